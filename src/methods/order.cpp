// The order of a method by the conditions of the rooted trees.
#include <cmath>
#include <cstddef>

#include "daedalus/base/check.hpp"
#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/rosenbrock.hpp"

namespace daedalus::methods {
namespace {

constexpr int highest_order = 9;
constexpr Real rounding = 1e-14L;  // of the conditions in long double; misprints are far larger

constexpr Real published_rounding = 1e-11L;  // of coefficients with 15 digits, the largest near 100

// A root with subtrees, which stand earlier in the table.
struct Tree {
  int order = 1;
  Real density = 1;  // gamma
  std::vector<std::size_t> subtrees = {};
};

// Adds every tree of the order whose further subtrees, `left` nodes in all, stand at or before
// `last`.
void add_trees(std::vector<Tree>& trees, Tree& partial, int left, std::size_t last) {
  if (left == 0) {
    trees.push_back(partial);
    trees.back().density *= static_cast<Real>(partial.order);
    return;
  }
  for (std::size_t k = 0; k <= last; ++k) {
    if (trees[k].order > left) break;  // the table is sorted by order
    partial.subtrees.push_back(k);
    partial.density *= trees[k].density;
    add_trees(trees, partial, left - trees[k].order, k);
    partial.density /= trees[k].density;
    partial.subtrees.pop_back();
  }
}

// Every rooted tree up to the order, once each: 1, 1, 2, 4, 9, 20, 48, 115, 286 of them.
std::vector<Tree> rooted_trees(int order) {
  std::vector<Tree> trees = {Tree{}};
  for (int p = 2; p <= order; ++p) {
    const std::size_t last = trees.size() - 1;
    Tree partial{.order = p};
    add_trees(trees, partial, p - 1, last);
  }
  return trees;
}

const std::vector<Tree>& all_trees() {
  static const std::vector<Tree> trees = rooted_trees(highest_order);
  return trees;
}

// A times v, A ragged.
Row times(const Matrix& A, const Row& v) {
  Row result(v.size());
  for (std::size_t i = 0; i < A.size(); ++i) {
    for (std::size_t j = 0; j < A[i].size(); ++j) result[i] += A[i][j] * v[j];
  }
  return result;
}

struct Coefficients {
  const Matrix& branch;    // of a node with one subtree
  const Matrix& branches;  // of a node with several
  const Row& weights;
  Real rounding = 0;
};

// The largest order up to the limit whose conditions hold at the point x of the step.
int order_of(const Coefficients& of, int limit, Real x) {
  DAEDALUS_CHECK(limit <= highest_order);
  std::vector<Row> alone;       // what a tree contributes as the only subtree
  std::vector<Row> among_more;  // and as one of several
  int proven = limit;
  for (const Tree& tree : all_trees()) {
    if (tree.order > proven) break;
    const std::vector<Row>& grafted = tree.subtrees.size() == 1 ? alone : among_more;
    Row phi(of.branch.size(), 1);
    for (const std::size_t subtree : tree.subtrees) {
      for (std::size_t i = 0; i < phi.size(); ++i) phi[i] *= grafted[subtree][i];
    }
    Real sum = 0;
    for (std::size_t i = 0; i < of.weights.size(); ++i) sum += of.weights[i] * phi[i];
    const Real wanted = std::pow(x, static_cast<Real>(tree.order)) / tree.density;
    if (!(std::abs(sum - wanted) < of.rounding)) proven = tree.order - 1;
    alone.push_back(times(of.branch, phi));
    among_more.push_back(times(of.branches, phi));
  }
  return proven;
}

}  // namespace

int proven_order(const Matrix& A, const Row& b, int limit, Real x) {
  return order_of({.branch = A, .branches = A, .weights = b, .rounding = rounding}, limit, x);
}

int proven_order(const Rosenbrock& method, const Row& weights, int limit, Real x) {
  const ClassicalRosenbrock classic = classical(method);
  Matrix beta = classic.alpha;
  Row b(stages(method));
  for (std::size_t i = 0; i < beta.size(); ++i) {
    for (std::size_t j = 0; j < beta.size(); ++j) beta[i][j] += classic.gamma[i][j];
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) b[j] += weights[i] * classic.gamma[i][j];
  }
  return order_of(
      {.branch = beta, .branches = classic.alpha, .weights = b, .rounding = published_rounding},
      limit, x);
}

}  // namespace daedalus::methods
