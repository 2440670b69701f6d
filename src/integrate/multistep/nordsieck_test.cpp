#include "integrate/multistep/nordsieck.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus::integrate {
namespace {

// 2 - 3 t + t^2 - 0.5 t^3 and -t, at this many points that are h apart, the latest first.
std::vector<double> samples(double t, double h, int order) {
  std::vector<double> all;
  for (int k = 0; k <= order; ++k) {
    const double s = t - k * h;
    all.push_back(2.0 - 3.0 * s + s * s - 0.5 * s * s * s);
    all.push_back(-s);
  }
  return all;
}

TEST(Nordsieck, FitsPolynomialsThroughPastValues) {
  Nordsieck history(2, 5);
  history.fit(3, 0.2, samples(1.0, 0.2, 3));
  EXPECT_NEAR(history[0][0], -0.5, 1e-15);
  EXPECT_NEAR(history[1][0], 0.2 * (-3.0 + 2.0 - 1.5), 1e-14);
  EXPECT_NEAR(history[2][0], 0.04 * (2.0 - 3.0) / 2, 1e-14);
  EXPECT_NEAR(history[3][0], 0.008 * -0.5, 1e-14);
  EXPECT_NEAR(history[1][1], -0.2, 1e-15);
  EXPECT_NEAR(history[2][1], 0.0, 1e-14);
}

TEST(Nordsieck, PredictsPolynomialsExactlyWithAnyStep) {
  Nordsieck begin(2, 5), end(2, 5);
  begin.fit(3, 0.2, samples(1.0, 0.2, 3));
  end.predict_from(begin, 0.35);
  EXPECT_NEAR(end[0][0], samples(1.35, 1.0, 0)[0], 1e-14);
  EXPECT_NEAR(end[0][1], -1.35, 1e-14);
  std::vector<double> y(2);
  end.at(-0.4, y);
  EXPECT_NEAR(y[0], samples(1.35 - 0.4 * 0.35, 1.0, 0)[0], 1e-14);
}

TEST(Nordsieck, KeepsValueAndSlopeWhenTheOrderChanges) {
  StepHistory sizes;
  sizes.start(0.2);
  Nordsieck history(2, 5);
  history.fit(3, 0.2, samples(1.0, 0.2, 3));
  const double value = history[0][0], slope = history[1][0];
  history.lower_order(order_change(MultistepKind::Bdf, 3, sizes));
  EXPECT_EQ(history.order(), 2);
  EXPECT_EQ(history[0][0], value);
  EXPECT_EQ(history[1][0], slope);
  std::vector<double> y(2);
  history.at(-1.0, y);
  EXPECT_NEAR(y[0], samples(0.8, 1.0, 0)[0], 1e-14);
  const std::vector<double> third = {0.008 * -0.5 * 3.0, 0.0};
  history.raise_order(third, 3.0, order_change(MultistepKind::Bdf, 3, sizes));
  history.at(-2.0, y);
  EXPECT_NEAR(y[0], samples(0.6, 1.0, 0)[0], 1e-14);
}

TEST(Nordsieck, ForgetsThePastOfComponents) {
  Nordsieck history(2, 5);
  history.fit(3, 0.2, samples(1.0, 0.2, 3));
  history.forget(std::vector<std::size_t>{1});
  std::vector<double> y(2);
  history.at(-1.0, y);
  EXPECT_EQ(y[1], -1.0);
  EXPECT_NEAR(y[0], samples(0.8, 1.0, 0)[0], 1e-14);
}

}  // namespace
}  // namespace daedalus::integrate
