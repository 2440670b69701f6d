// The order of a method by the conditions of the rooted trees.
#include <cmath>
#include <cstddef>

#include "daedalus/base/check.hpp"
#include "daedalus/methods/properties.hpp"

namespace daedalus::methods {
namespace {

constexpr int highest_order = 9;
constexpr Real rounding = 1e-14L;  // of the conditions in long double; misprints are far larger

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

}  // namespace

int proven_order(const Matrix& A, const Row& b, int limit, Real x) {
  DAEDALUS_CHECK(limit <= highest_order);
  std::vector<Row> grafted;  // A phi(t): what t contributes as a subtree
  int proven = limit;
  for (const Tree& tree : all_trees()) {
    if (tree.order > proven) break;
    Row phi(A.size(), 1);
    for (const std::size_t subtree : tree.subtrees) {
      for (std::size_t i = 0; i < phi.size(); ++i) phi[i] *= grafted[subtree][i];
    }
    Real sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * phi[i];
    const Real wanted = std::pow(x, static_cast<Real>(tree.order)) / tree.density;
    if (!(std::abs(sum - wanted) < rounding)) proven = tree.order - 1;
    grafted.push_back(times(A, phi));
  }
  return proven;
}

}  // namespace daedalus::methods
