// The regression formulas of Hermann's thesis, as their data points: the coefficients follow.
#include "daedalus/methods/regression.hpp"

namespace daedalus::methods {
namespace {

// Tables 5.2 and 6.2 print the coefficients as rounded fractions, seven of them misprinted.
Regression hermann(std::string name, int order, std::vector<int> values,
                   std::vector<int> slopes = {}) {
  std::string title = "regression formula of order " + std::to_string(order) + ", " +
                      std::to_string(1 + values.size() + slopes.size()) + " data points";
  return {.name = std::move(name),
          .title = std::move(title),
          .source =
              "Hermann 1995, Solution of stiff systems described by ODEs using regression "
              "backward difference formulae",
          .order = order,
          .values = std::move(values),
          .slopes = std::move(slopes)};
}

// The special case of interpolation: Hermann compares his formulas with BDF6.
Regression bdf(int order) {
  Regression method{.name = "fbdf" + std::to_string(order),
                    .title = "BDF in the frame of the regression formulas",
                    .source = "Gear 1971",
                    .order = order};
  for (int back = 0; back < order; ++back) method.values.push_back(back);
  return method;
}

}  // namespace

const std::vector<Regression>& regression_methods() {
  static const std::vector<Regression> all = {
      bdf(1),
      bdf(2),
      bdf(3),
      bdf(4),
      bdf(5),
      bdf(6),
      hermann("rbdf61", 6, {0, 1, 2, 3, 4, 5, 6}),
      hermann("rbdf62", 6, {0, 1, 3, 4, 5}, {1, 6}),
      hermann("rbdf63", 6, {0, 1, 2}, {1, 3, 5, 6}),
      hermann("rbdf64", 6, {0, 1, 3, 4, 6}, {3, 6}),
      hermann("rbdf65", 6, {0, 1, 2, 5, 6}, {1, 6}),
      hermann("rbdf66", 6, {0, 1, 2, 3, 4, 5, 6}, {1}),
      hermann("rbdf67", 6, {0, 1, 2, 3, 4, 5}, {1, 6}),
      hermann("rbdf68", 6, {0, 1, 2, 6}, {1, 3, 5, 6}),
      hermann("rbdf71", 7, {0, 1, 2, 3, 4, 5, 7, 9}),
      hermann("rbdf72", 7, {0, 1, 2, 3, 4, 6, 7, 9}),
      hermann("rbdf73", 7, {0, 1, 2, 3, 5, 6, 7, 9}),
      hermann("rbdf74", 7, {0, 1, 2, 4, 5, 6, 7, 9}),
      hermann("rbdf75", 7, {0, 1, 3, 4, 5, 6, 7, 9}),
      hermann("rbdf76", 7, {0, 1, 2, 3, 4, 5, 8, 9}),
      hermann("rbdf77", 7, {0, 1, 2, 3, 4, 6, 8, 9}),
      hermann("rbdf78", 7, {0, 1, 2, 3, 5, 6, 8, 9}),
      hermann("rbdf79", 7, {0, 1, 3, 4, 5, 6, 8, 9}),
      hermann("rbdf710", 7, {0, 1, 2, 3, 6, 7, 8, 9}),
      hermann("rbdf711", 7, {0, 1, 2, 4, 6, 7, 8, 9}),
      hermann("rbdf712", 7, {0, 1, 3, 4, 6, 7, 8, 9}),
      hermann("rbdf713", 7, {0, 1, 2, 5, 6, 7, 8, 9}),
      hermann("rbdf714", 7, {0, 1, 3, 5, 6, 7, 8, 9}),
      hermann("rbdf715", 7, {0, 1, 4, 5, 6, 7, 8, 9}),
  };
  return all;
}

}  // namespace daedalus::methods
