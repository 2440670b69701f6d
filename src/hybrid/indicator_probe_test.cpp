#include "hybrid/indicator_probe.hpp"

#include <gtest/gtest.h>

#include "hybrid/test_support.hpp"

namespace daedalus::hybrid {
namespace {

using namespace testing_support;

// A point (x, y) that moves with (1, -2), and a margin that depends on its distance from the
// origin.
Functions point(double radius) {
  return {.size = 2,
          .f =
              [](double, Vector, Output dydt) {
                dydt[0] = 1.0;
                dydt[1] = -2.0;
              },
          .events = EventFunctions{.sources = {{"outside"}},
                                   .indicators =
                                       [radius](double, Vector y, Output margins) {
                                         margins[0] = radius - std::hypot(y[0], y[1]);
                                       },
                                   .settle = [](const Instant&, Output) { return Settling{}; }}};
}

struct Probed {
  explicit Probed(Functions functions, const Options& given = {})
      : options(given),
        system(std::move(functions)),
        scratch(system.make_scratch()),
        probe(system, *system.events(), held, *scratch, options) {}

  Options options;
  FunctionSystem system;
  system::Held held;
  std::unique_ptr<system::Scratch> scratch;
  IndicatorProbe probe;
};

TEST(IndicatorProbe, TellsThePaceOfAnIndicator) {
  Probed probed(point(5.0));
  ASSERT_TRUE(probed.probe.move_to(0.0, std::vector{3.0, 4.0}));
  const auto pace = probed.probe.pace(0, 1e-15);
  ASSERT_TRUE(pace);
  EXPECT_NEAR(pace->pace, -(3.0 * 1.0 - 4.0 * 2.0) / 5.0, 1e-6);
  EXPECT_GT(pace->error, 0.0);
  EXPECT_LT(pace->error, 1e-12);
}

TEST(IndicatorProbe, SeesWhetherAnIndicatorRisesFromZero) {
  Probed probed(point(5.0));
  EXPECT_TRUE(probed.probe.is_positive_after(0.0, std::vector{3.0, 4.0}, 0));
  EXPECT_FALSE(probed.probe.is_positive_after(0.0, std::vector{3.0, -4.0}, 0));
}

TEST(IndicatorProbe, FindsTheIndicatorThatIsAboutToBecomeNegative) {
  Probed probed(point(5.0));
  const double inside = 1e-9;
  ASSERT_TRUE(probed.probe.move_to(0.0, std::vector{4.0, -3.0 + inside}));
  const auto edge = probed.probe.edge(1e-16);
  ASSERT_TRUE(edge);
  EXPECT_TRUE(edge->is_near);
  EXPECT_EQ(edge->indicator, 0u);
  EXPECT_GE(edge->ahead, 0.3 * inside);  // the time to the circle, at the pace of 2
  EXPECT_LE(edge->ahead, 0.4 * inside);
}

TEST(IndicatorProbe, SaysWhenThatIsFurtherThanTheTolerancesAllow) {
  Probed probed(point(5.0));
  ASSERT_TRUE(probed.probe.move_to(0.0, std::vector{1.0, -1.0}));
  const auto edge = probed.probe.edge(1e-16);
  ASSERT_TRUE(edge);
  EXPECT_FALSE(edge->is_near);
}

TEST(IndicatorProbe, FindsNoneWhereAllGoAway) {
  Probed probed(point(5.0));
  ASSERT_TRUE(probed.probe.move_to(0.0, std::vector{-3.0, 3.9999999999}));
  EXPECT_FALSE(probed.probe.edge(1e-16));
}

TEST(IndicatorProbe, KnowsNothingWithoutADerivative) {
  Functions undefined = point(5.0);
  undefined.f = [](double, Vector, Output dydt) {
    dydt[0] = std::numeric_limits<double>::quiet_NaN();
    dydt[1] = 0.0;
  };
  Probed probed(std::move(undefined));
  EXPECT_FALSE(probed.probe.move_to(0.0, std::vector{1.0, 1.0}));
}

}  // namespace
}  // namespace daedalus::hybrid
