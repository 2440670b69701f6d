// The order of a method: by the conditions of the rooted trees, and by simplifying assumptions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/rosenbrock.hpp"

namespace daedalus::methods {
namespace {

constexpr Real rounding = 1e-14L;  // of the conditions in long double; misprints are far larger
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

constexpr Real published_rounding = 1e-11L;  // of coefficients with 15 digits, the largest near 100

// A root with subtrees, which stand earlier in the table.
struct Tree {
  int order = 1;
  Real density = 1;  // gamma
  std::vector<std::size_t> subtrees = {};
};

// Adds every tree of the order whose remaining subtrees, `left` nodes in all, are at or before
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

// Every rooted tree up to the order, once each: 1, 1, 2, 4, 9, 20, 48, 115, 286, 719 of them.
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
  static const std::vector<Tree> trees = rooted_trees(highest_tree_order);
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

// phi(t): the product of the contributions of the subtrees.
Row product(const std::vector<Row>& grafted, const std::vector<std::size_t>& subtrees,
            std::size_t stages) {
  Row result(stages, 1);
  for (const std::size_t subtree : subtrees) {
    for (std::size_t i = 0; i < stages; ++i) result[i] *= grafted[subtree][i];
  }
  return result;
}

Real power(Real x, int k) { return std::pow(x, static_cast<Real>(k)); }

// sum weights[j] c[j]^(k-1) = end^k / k
bool integrates(const Row& weights, const Row& c, Real end, int k) {
  Real sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * power(c[j], k - 1);
  return std::abs(sum - power(end, k) / static_cast<Real>(k)) < rounding;
}

bool stages_integrate(const RungeKutta& method, const Row& c, int k) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!integrates(method.A[i], c, c[i], k)) return false;
  }
  return true;
}

// sum over i of b[i] c[i]^(k-1) a[i][j] = b[j] (1 - c[j]^k) / k for every j
bool columns_integrate(const RungeKutta& method, const Row& c, int k) {
  const std::size_t s = c.size();
  Row sums(s);
  for (std::size_t i = 0; i < method.b.size(); ++i) {
    for (std::size_t j = 0; j < method.A[i].size(); ++j)
      sums[j] += method.b[i] * power(c[i], k - 1) * method.A[i][j];
  }
  for (std::size_t j = 0; j < s; ++j) {
    const Real b = j < method.b.size() ? method.b[j] : 0;
    if (!(std::abs(sums[j] - b * (1 - power(c[j], k)) / static_cast<Real>(k)) < rounding))
      return false;
  }
  return true;
}

struct Coefficients {
  const Matrix& branch;    // of a node with one subtree
  const Matrix& branches;  // of a node with several
  const Row& weights;
  Real rounding = 0;
};

Matrix absolute(Matrix A) {
  for (Row& row : A) std::ranges::transform(row, row.begin(), [](Real a) { return std::abs(a); });
  return A;
}

// The largest order up to the limit whose conditions hold at the point x of the step.
int order_of(const Coefficients& of, int limit, Real x) {
  DAEDALUS_CHECK(limit <= highest_tree_order);
  const Matrix branch_sizes = absolute(of.branch), branches_sizes = absolute(of.branches);
  const std::size_t stages = of.branch.size();
  struct Grafted {
    std::vector<Row> alone,
        among_more;  // the contribution of a tree as the only subtree, and as one of several
  };
  Grafted values, sizes;  // sizes: the same without cancellation, by which rounding is measured
  int proven = limit;
  for (const Tree& tree : all_trees()) {
    if (tree.order > proven) break;
    const bool single = tree.subtrees.size() == 1;
    const Row phi = product(single ? values.alone : values.among_more, tree.subtrees, stages);
    const Row size = product(single ? sizes.alone : sizes.among_more, tree.subtrees, stages);
    Real sum = 0;
    Real terms = 0;
    for (std::size_t i = 0; i < of.weights.size(); ++i) {
      sum += of.weights[i] * phi[i];
      terms += std::abs(of.weights[i]) * size[i];
    }
    const Real wanted = power(x, tree.order) / tree.density;
    if (!(std::abs(sum - wanted) < of.rounding + 8 * epsilon * terms)) proven = tree.order - 1;
    values.alone.push_back(times(of.branch, phi));
    values.among_more.push_back(times(of.branches, phi));
    sizes.alone.push_back(times(branch_sizes, size));
    sizes.among_more.push_back(times(branches_sizes, size));
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

int two_step_power(const RungeKutta& method, const TwoStep& estimate, int limit) {
  const Matrix A = full_matrix(method);
  const std::size_t s = A.size();
  Row b = method.b;
  b.resize(s);
  Row weights = estimate.previous;
  weights.resize(s);
  weights.insert(weights.end(), estimate.current.begin(), estimate.current.end());
  Matrix both = A;  // the step before, then this one, which starts from the result of the first
  for (const Row& row : A) {
    both.push_back(b);
    both.back().insert(both.back().end(), row.begin(), row.end());
  }
  return proven_order(both, weights, limit, 0) + 1;  // the difference is 0 at every order
}

SimplifyingAssumptions simplifying_assumptions(const RungeKutta& method) {
  const Row c = nodes(method);
  SimplifyingAssumptions hold;
  while (integrates(method.b, c, 1, hold.B + 1)) ++hold.B;
  while (hold.C < hold.B && stages_integrate(method, c, hold.C + 1)) ++hold.C;
  while (hold.D < hold.B && columns_integrate(method, c, hold.D + 1)) ++hold.D;
  return hold;
}

int order_by_assumptions(const RungeKutta& method) {
  const SimplifyingAssumptions hold = simplifying_assumptions(method);
  return std::min({hold.B, hold.C + hold.D + 1, 2 * hold.C + 2});
}

}  // namespace daedalus::methods
