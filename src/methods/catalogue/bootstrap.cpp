#include "bootstrap.hpp"

#include <cstddef>
#include <vector>

#include "daedalus/linalg/spectrum.hpp"
#include "daedalus/methods/properties.hpp"

namespace daedalus::methods {
namespace {

// A point of the step and the stage that has f there.
struct Slope {
  Real x = 0;
  std::size_t stage = 0;
};

// The polynomials of the stages for values at both ends and the slopes: for every stage the
// coefficients of x, x^2, ...
Matrix through(const Row& b, const std::vector<Slope>& slopes, std::size_t stages) {
  const std::size_t degree = slopes.size() + 1;
  Matrix conditions = {Row(degree, 1)};  // on the coefficients: the value at 1, then the slopes
  for (const Slope& slope : slopes) {
    Row& row = conditions.emplace_back();
    Real power = 1;
    for (std::size_t k = 0; k < degree; ++k, power *= slope.x) {
      row.push_back(static_cast<Real>(k + 1) * power);
    }
  }
  const Matrix inverse = linalg::inverse(conditions).value();
  Matrix dense(stages, Row(degree));
  for (std::size_t k = 0; k < degree; ++k) {
    for (std::size_t j = 0; j < b.size(); ++j) dense[j][k] += inverse[k][0] * b[j];
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      dense[slopes[i].stage][k] += inverse[k][i + 1];
    }
  }
  return dense;
}

}  // namespace

DenseExtension bootstrapped(const RungeKutta& method) {
  if (method.order <= 4) return {};
  std::size_t stages = methods::stages(method);
  RungeKutta coarser = method;
  const std::vector<Slope> ends = {{0, 0}, {1, stages}};
  DenseExtension extension{.A = {method.b}};
  ++stages;
  extension.dense = through(method.b, ends, stages);
  for (int degree = 4; degree < method.order; ++degree) {
    std::vector<Slope> slopes = ends;
    coarser.dense = extension.dense;
    for (int i = 1; i <= degree - 3; ++i) {  // the points of a Lobatto formula would be dependent
      const Real x = frac(i, degree - 1);
      extension.A.push_back(dense_weights(coarser, x));
      slopes.push_back({x, stages++});
    }
    extension.dense = through(method.b, slopes, stages);
  }
  return extension;
}

}  // namespace daedalus::methods
