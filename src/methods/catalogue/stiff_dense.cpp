#include "stiff_dense.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/linalg/spectrum.hpp"
#include "daedalus/methods/properties.hpp"

namespace daedalus::methods {
namespace {

constexpr Real dependent = 1e-10L;

// sum b[i](x) factors[i] = value x^power
struct Condition {
  Row factors;
  std::size_t power = 0;
  Real value = 0;
};

Real inner(const Row& x, const Row& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), Real{0});
}

Row times(const Matrix& A, const Row& x) {
  Row result;
  for (const Row& row : A) result.push_back(inner(row, x));
  return result;
}

Row times(Row x, const Row& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= y[i];
  return x;
}

// Keeps conditions that do not follow from those before, as many as there are stages.
class Conditions {
 public:
  explicit Conditions(std::size_t stages) : stages_(stages) {}

  void offer(Condition condition) {
    if (all_.size() == stages_) return;
    Row rest = condition.factors;
    for (int repetition = 0; repetition < 2; ++repetition) {
      for (const Row& direction : directions_) {
        const Real share = inner(rest, direction);
        for (std::size_t i = 0; i < stages_; ++i) rest[i] -= share * direction[i];
      }
    }
    const Real length = std::sqrt(inner(rest, rest));
    if (length < dependent * std::sqrt(inner(condition.factors, condition.factors))) return;
    for (Real& value : rest) value /= length;
    directions_.push_back(rest);
    all_.push_back(std::move(condition));
  }

  const std::vector<Condition>& all() const { return all_; }

 private:
  std::size_t stages_;
  Matrix directions_;
  std::vector<Condition> all_;
};

// Those of the rooted trees of the order, up to 4.
void offer_trees(const Matrix& A, const Row& c, std::size_t order, Conditions& conditions) {
  const Row one(c.size(), 1);
  const Row Ac = times(A, c);
  if (order == 1) conditions.offer({one, 1, 1});
  if (order == 2) conditions.offer({c, 2, frac(1, 2)});
  if (order == 3) {
    conditions.offer({times(c, c), 3, frac(1, 3)});
    conditions.offer({Ac, 3, frac(1, 6)});
  }
  if (order == 4) {
    conditions.offer({times(c, times(c, c)), 4, frac(1, 4)});
    conditions.offer({times(c, Ac), 4, frac(1, 8)});
    conditions.offer({times(A, times(c, c)), 4, frac(1, 12)});
    conditions.offer({times(A, Ac), 4, frac(1, 24)});
  }
}

// The slopes k with the values Y = A k; that of an explicit first stage is given.
Row slopes_of(const Matrix& A, Row Y, Real first) {
  Row k;
  for (std::size_t i = 0; i < Y.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) Y[i] -= A[i][j] * k[j];
    k.push_back(A[i][i] == 0 ? first : Y[i] / A[i][i]);
  }
  return k;
}

Row powers(const Row& c, std::size_t q) {
  Row result;
  for (const Real node : c) result.push_back(std::pow(node, static_cast<Real>(q)));
  return result;
}

}  // namespace

Matrix stiffly_exact_dense(const RungeKutta& method) {
  const Matrix A = full_matrix(method);
  const Row c = nodes(method);
  const auto order = static_cast<std::size_t>(method.order);
  Conditions conditions(c.size());
  for (std::size_t p = 1; p < order; ++p) offer_trees(A, c, p, conditions);
  if (A[0][0] == 0) conditions.offer({slopes_of(A, Row(c.size()), 1), 1, 0});
  for (std::size_t q = 2; q < order; ++q) conditions.offer({slopes_of(A, powers(c, q), 0), q, 1});
  offer_trees(A, c, order, conditions);
  Matrix matrix;
  for (const Condition& condition : conditions.all()) matrix.push_back(condition.factors);
  DAEDALUS_CHECK(matrix.size() == c.size());
  const std::optional<Matrix> inverse = linalg::inverse(matrix);
  DAEDALUS_CHECK(inverse.has_value());
  Matrix dense(c.size(), Row(order));
  for (std::size_t i = 0; i < c.size(); ++i) {
    Real end = 0;
    for (std::size_t k = 0; k < conditions.all().size(); ++k) {
      const Condition& condition = conditions.all()[k];
      dense[i][condition.power - 1] += (*inverse)[i][k] * condition.value;
      end += (*inverse)[i][k] * condition.value;
    }
    dense[i].back() += method.b[i] - end;  // all conditions hold for b at the end; this is rounding
  }
  return dense;
}

}  // namespace daedalus::methods
