// Measures the order of the Taylor methods, at the ends of fixed steps and between them.
#include <algorithm>
#include <cmath>
#include <functional>

#include "daedalus/methods/method.hpp"
#include "support.hpp"

namespace daedalus::engine {
namespace {

// A model whose variable `x` has a known solution.
struct Known {
  const char* text;
  double stop;
  std::function<double(double)> x;
};

const Known linear = {
    "model A Real x(start = 1, fixed = true), v(start = 0.5, fixed = true); equation\n"
    "der(x) = v; der(v) = -4 * x - 0.4 * v; end A;",
    40.0, [](double t) {
      const double w = std::sqrt(4 - 0.04);
      return std::exp(-0.2 * t) * (std::cos(w * t) + 0.7 / w * std::sin(w * t));
    }};

// Depends on time, with quotients and functions.
const Known nonlinear = {
    "model B Real x(start = 1, fixed = true); equation\n"
    "der(x) = -x * (sin(time)^2 + cos(time)^2) / (1 + time); end B;",
    4.5, [](double t) { return 1 / (1 + t); }};

const Known singular = {
    "model C Real x(start = 1, fixed = true); equation der(x) = -x^2 * sqrt(x); end C;", 3.0,
    [](double t) { return std::pow(1 + 1.5 * t, -2.0 / 3.0); }};

struct Errors {
  double at_end = 0.0;
  double between = 0.0;
};

// Rows are at the ends of the steps and seven times between them.
Errors errors(const Model& model, const Known& known, const std::string& method, int steps) {
  Options options{.stop = known.stop, .method = method};
  options.step = known.stop / steps;
  options.intervals = static_cast<std::size_t>(8 * steps);
  const solution::Solution solution = finished(model, options);
  const solution::Series x = solution["x"];
  Errors largest;
  for (std::size_t i = 0; i < x.time.size(); ++i) {
    const double error = std::abs(x.values[i] - known.x(x.time[i]));
    double& size = i % 8 == 0 ? largest.at_end : largest.between;
    size = std::max(size, error);
  }
  return largest;
}

// From the two most accurate runs that are not limited by rounding.
double slope(const std::vector<int>& steps, const std::vector<double>& sizes) {
  constexpr double rounding = 3e-13;
  std::size_t last = 0;
  while (last + 1 < sizes.size() && sizes[last + 1] > rounding) ++last;
  EXPECT_GT(last, 0u);
  return std::log(sizes[last - 1] / sizes[last]) /
         std::log(static_cast<double>(steps[last]) / steps[last - 1]);
}

class EveryTaylor : public testing::TestWithParam<methods::Taylor> {
 protected:
  void expect_order(const Known& known) {
    const methods::Taylor& method = GetParam();
    const Model model = model_of(known.text);
    std::vector<int> steps;
    std::vector<double> ends, between;
    for (int n = 8; n <= 160; n = n * 5 / 4) {
      const Errors found = errors(model, known, method.name, n);
      steps.push_back(n);
      ends.push_back(found.at_end);
      between.push_back(found.between);
    }
    const double allowed = 0.1 * method.order;
    EXPECT_NEAR(slope(steps, ends), method.order, allowed);
    EXPECT_NEAR(slope(steps, between), method.order, allowed);
  }
};

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTaylor, testing::ValuesIn(methods::taylor_methods()),
                         [](const auto& each) { return each.param.name; });

TEST_P(EveryTaylor, HasItsOrderOnALinearModel) { expect_order(linear); }
TEST_P(EveryTaylor, HasItsOrderOnAModelThatDependsOnTime) { expect_order(nonlinear); }
TEST_P(EveryTaylor, HasItsOrderOnANonlinearModel) { expect_order(singular); }

}  // namespace
}  // namespace daedalus::engine
