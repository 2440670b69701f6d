#include "hybrid/lookout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "daedalus/system/function_system.hpp"

namespace daedalus::hybrid {
namespace {

// y is the function that it is given.
struct Given final : solution::DenseStep {
  Given(double begin, double end, std::function<double(double)> of_time)
      : DenseStep(begin, end, 0.0), y_at(std::move(of_time)), end_value{y_at(end)} {}
  std::span<const double> end_state() const override { return end_value; }
  void at(double t, std::span<double> y) const override { y[0] = y_at(t); }

  std::function<double(double)> y_at;
  std::vector<double> end_value;
};

// The only indicator is y.
system::FunctionSystem negative_y() {
  return system::FunctionSystem(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> f) { f[0] = 0.0; },
       .events = system::EventFunctions{
           .sources = {{"y < 0"}},
           .indicators = [](double, std::span<const double> y,
                            std::span<double> margins) { margins[0] = y[0]; },
           .settle = [](const system::Instant&, std::span<double>) -> system::Settling {
             return {};
           }}});
}

// Nothing from before an event tells how fast an indicator moves after it.
TEST(Lookout, SeesADipInTheFirstStepAfterAnEvent) {
  const system::FunctionSystem system = negative_y();
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  const auto calm = [](double) { return 1.0; };
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
  for (int step = 0; step < 3; ++step) {
    const Given passed(step, step + 1, calm);
    ASSERT_EQ(lookout.look(passed), Lookout::Sight::Nothing);
    lookout.pass(passed);
  }
  ASSERT_TRUE(lookout.begin_arc(3.0, std::vector{1.0}));
  const Given dip(3.0, 4.0, [](double t) { return 8.0 * (t - 3.5) * (t - 3.5) - 1.0; });
  ASSERT_EQ(lookout.look(dip), Lookout::Sight::Crossing);
  EXPECT_NEAR(lookout.crossing(), 3.5 - std::sqrt(0.125), 1e-12);
}

// Rounding of the dense output is not motion: what has just crossed is at 0.
TEST(Lookout, DoesNotTakeRoundingBehindACrossingForAnotherOne) {
  const system::FunctionSystem system = negative_y();
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
  const Given falling(0.0, 1.0, [](double t) { return 1.0 - 2.0 * t; });
  ASSERT_EQ(lookout.look(falling), Lookout::Sight::Crossing);
  const double t = lookout.crossing();
  lookout.crossed(falling, t, std::vector{-1e-16});
  ASSERT_TRUE(lookout.begin_arc(t, std::vector{1e-16}));
  EXPECT_EQ(lookout.fresh().size(), 1u);
  const Given rounded(t, 1.0, [t](double s) { return s - t < 1e-9 ? -1e-17 : 2.0 * (s - t); });
  EXPECT_EQ(lookout.look(rounded), Lookout::Sight::Nothing);
}

// An indicator that is exactly 0 where another one crosses also crosses there if it goes on
// falling, but not if it turns.
TEST(Lookout, TellsWhatCrossesAtOneInstant) {
  const auto coarse = [](double margin) { return std::round(margin * 0x1p40) / 0x1p40; };
  const system::FunctionSystem system(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> f) { f[0] = 0.0; },
       .events = system::EventFunctions{
           .sources = {{"rounded y < 0"}, {"y < 0"}, {"|rounded y| < 0"}},
           .indicators =
               [coarse](double, std::span<const double> y, std::span<double> margins) {
                 margins[0] = coarse(y[0]);
                 margins[1] = y[0];
                 margins[2] = std::abs(coarse(y[0]));
               },
           .settle = [](const system::Instant&, std::span<double>) -> system::Settling {
             return {};
           }}});
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
  const Given falling(0.0, 1.0, [](double t) { return 1.0 - 2.0 * t; });
  ASSERT_EQ(lookout.look(falling), Lookout::Sight::Crossing);
  ASSERT_EQ(lookout.crossing_indicator(), 1u);
  const auto crossed = lookout.crossed(falling, lookout.crossing(), std::vector{-1e-16});
  EXPECT_EQ(std::vector(crossed.begin(), crossed.end()), (std::vector<std::size_t>{0, 1}));
}

// Between the six values the indicator may be anywhere.
TEST(Lookout, LooksBetweenValuesThatAPolynomialDoesNotExplain) {
  const system::FunctionSystem system = negative_y();
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{0.5}));
  const double w = 2000.0;
  ASSERT_EQ(lookout.look(Given(0.0, 1.0, [w](double t) { return 0.5 + std::sin(w * t); })),
            Lookout::Sight::Crossing);
  EXPECT_NEAR(lookout.crossing(), (std::numbers::pi * 7.0 / 6.0) / w, 1e-12);
  EXPECT_TRUE(lookout.unresolved().empty());
}

// A dip between the values that the polynomial interpolates, at one of the points where the two are
// compared.
TEST(Lookout, ComparesThePolynomialAtEveryCheck) {
  const system::FunctionSystem system = negative_y();
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  for (std::size_t k = 0; k < SignBound::checks; ++k) {
    const double at = SignBound::check(k);
    Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
    ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
    const Given dip(0.0, 1.0, [at](double t) {
      return 1.0 - 0.999 * t - 2.0 * std::exp(-std::pow((t - at) / 0.03, 2));
    });
    ASSERT_EQ(lookout.look(dip), Lookout::Sight::Crossing) << at;
    EXPECT_NEAR(lookout.crossing(), at, 0.05);
  }
}

TEST(Lookout, SaysWhatItCannotFollow) {
  const system::FunctionSystem system = negative_y();
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.5}));
  const Given wild(0.0, 1.0, [](double t) { return 1.5 + std::sin(1e8 * t); });
  EXPECT_EQ(lookout.look(wild), Lookout::Sight::Nothing);
  ASSERT_EQ(lookout.unresolved().size(), 1u);
  EXPECT_EQ(lookout.unresolved()[0].indicator, 0u);
  EXPECT_LT(counts.evaluations, 50'000u);
}

// y falls from 1 to 0.9; what is known about it without further evaluations is far off.
struct Falling final : solution::DenseStep {
  Falling() : DenseStep(0.0, 1.0, 0.0) {}
  std::span<const double> end_state() const override { return end_value; }
  void at(double t, std::span<double> y) const override { y[0] = 1.0 - 0.1 * t; }
  void roughly_at(double, std::span<double> y) const override { y[0] = -1.0; }

  std::vector<double> end_value = {0.9};
};

TEST(Lookout, LooksCloserWhereARoughPointIsOutsideOfTheDomain) {
  const system::FunctionSystem system(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> f) { f[0] = -0.1; },
       .events = system::EventFunctions{
           .sources = {{"sqrt(y) < 0.5"}},
           .indicators = [](double, std::span<const double> y,
                            std::span<double> margins) { margins[0] = std::sqrt(y[0]) - 0.5; },
           .settle = [](const system::Instant&, std::span<double>) -> system::Settling {
             return {};
           }}});
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
  EXPECT_EQ(lookout.look(Falling()), Lookout::Sight::Nothing);
}

// y falls from 1 to -1, with the given polynomials of its indicator.
struct Straight final : solution::DenseStep {
  explicit Straight(std::vector<double> said)
      : DenseStep(0.0, 1.0, 0.0), coefficients(std::move(said)), terms(coefficients.size()) {}
  std::span<const double> end_state() const override { return end_value; }
  void at(double t, std::span<double> y) const override { y[0] = 1.0 - 2.0 * t; }
  solution::Polynomials margins() const override { return {coefficients, terms}; }

  std::vector<double> coefficients;
  std::size_t terms;
  std::vector<double> end_value = {-1.0};
};

struct Seen {
  double crossing = 0.0;
  std::size_t evaluations = 0;
};

Seen look_along(const std::vector<double>& said, const Options& options = {}) {
  const system::FunctionSystem system(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> f) { f[0] = -2.0; },
       .events = system::EventFunctions{
           .sources = {{"y < 0"}},
           .indicators = [](double, std::span<const double> y,
                            std::span<double> margins) { margins[0] = y[0]; },
           .settle = [](const system::Instant&, std::span<double>) -> system::Settling {
             return {};
           }}});
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  EXPECT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
  const Straight step(said);
  EXPECT_EQ(lookout.look(step), Lookout::Sight::Crossing);
  std::vector<double> y(1);
  lookout.state_at(step, lookout.crossing(), y);
  EXPECT_LT(y[0], 0.0);
  EXPECT_EQ(lookout.crossed(step, lookout.crossing(), y).size(), 1u);
  return {lookout.crossing(), counts.evaluations};
}

TEST(Lookout, FollowsPolynomialsWithFewEvaluations) {
  const Seen seen = look_along({1.0, -2.0, 0.0, 0.0});
  EXPECT_NEAR(seen.crossing, 0.5, 1e-15);
  EXPECT_LE(seen.evaluations, 4u);  // at the start, and near the zero
}

// The first indicator stays positive, the third crosses later than the second.
TEST(Lookout, FollowsThePolynomialThatCrossesFirst) {
  const system::FunctionSystem system(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> f) { f[0] = -2.0; },
       .events = system::EventFunctions{
           .sources = {{"y < -5"}, {"y < 0"}, {"y < -0.5"}},
           .indicators =
               [](double, std::span<const double> y, std::span<double> margins) {
                 margins[0] = y[0] + 5.0;
                 margins[1] = y[0];
                 margins[2] = y[0] + 0.5;
               },
           .settle = [](const system::Instant&, std::span<double>) -> system::Settling {
             return {};
           }}});
  const system::Held held;
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), held, *scratch, counts, 1, options);
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
  Straight step({6.0, -2.0, 0.0, 0.0, 1.0, -2.0, 0.0, 0.0, 1.5, -2.0, 0.0, 0.0});
  step.terms = 4;
  EXPECT_EQ(lookout.look(step), Lookout::Sight::Crossing);
  EXPECT_NEAR(lookout.crossing(), 0.5, 1e-15);
  EXPECT_EQ(lookout.crossing_indicator(), 1u);
  EXPECT_LE(counts.evaluations, 4u);
}

TEST(Lookout, LooksForItselfWherePolynomialsAreWrong) {
  EXPECT_NEAR(look_along({1.0, -4.0, 0.0, 0.0}).crossing, 0.5, 1e-15);
  EXPECT_NEAR(look_along({1.0, -1.25, 0.0, 0.0}).crossing, 0.5, 1e-15);
}

// The polynomials leave out what nothing depends on, but such runs have to see it.
TEST(Lookout, LooksForItselfWhereBothSidesAreWatched) {
  const std::vector<double> nothing = {1.0, 0.0, 0.0, 0.0};
  EXPECT_NEAR(look_along(nothing, {.zeno = Zeno::Regularize}).crossing, 0.5, 1e-15);
  EXPECT_NEAR(look_along(nothing, {.chattering = Chattering::Sliding}).crossing, 0.5, 1e-15);
}

}  // namespace
}  // namespace daedalus::hybrid
