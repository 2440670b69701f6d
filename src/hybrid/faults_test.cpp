// Indicators, events and times that cause trouble.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hybrid/test_support.hpp"

namespace daedalus::hybrid {
namespace {

using namespace testing_support;
using solution::Reason;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Along x = t, an indicator that changes sides at every event.
Ran follow(const std::function<double(double)>& g, double stop = 1.0,
           const std::string& method = "dopri5") {
  double side = g(0.0) < 0.0 ? -1.0 : 1.0;
  return run_with(method,
                  clock({.sources = {{"g < 0"}},
                         .indicators = [&side, g](double, Vector y,
                                                  Output margins) { margins[0] = side * g(y[0]); },
                         .settle = [&side](const Instant& at, Output) -> Settling {
                           if (!at.crossed.empty()) side = -side;
                           return {.is_new_motion = !at.crossed.empty(), .iterations = 1};
                         }}),
                  {0.0}, {.stop = stop});
}

TEST(Faults, E1FindsBothRootsOfAPairHoweverNear) {
  for (const double width : {2e-2, 2e-3, 2e-4, 2e-5}) {
    for (const std::string method : {"dopri5", "radau5", "rodas4", "dop853"}) {
      const double half = 0.5 * width;
      const Ran ran =
          follow([half](double x) { return (x - 0.31) * (x - 0.31) - half * half; }, 1.0, method);
      ASSERT_THAT(ran.event_times(), SizeIs(2)) << width << method;
      EXPECT_NEAR(ran.event_times()[0], 0.31 - half, 1e-9);
      EXPECT_NEAR(ran.event_times()[1], 0.31 + half, 1e-9);
    }
  }
}

TEST(Faults, E2TakesAZeroThatIsOnlyTouchedForNoEvent) {
  EXPECT_THAT(follow([](double x) { return (x - 0.3) * (x - 0.3); }).event_times(), SizeIs(0));
  EXPECT_THAT(follow([](double x) { return std::abs(x - 0.3); }).event_times(), SizeIs(0));
}

TEST(Faults, E3LocatesATripleRootAsWellAsItsValuesTell) {
  const Ran ran = follow([](double x) { return std::pow(0.3 - x, 3); });
  ASSERT_THAT(ran.event_times(), SizeIs(1));
  EXPECT_NEAR(ran.event_times()[0], 0.3, 1e-12);
  const Ran flat = follow([](double x) { return 1e-12 * std::pow(0.3 - x, 5); });
  ASSERT_THAT(flat.event_times(), SizeIs(1));
  EXPECT_NEAR(flat.event_times()[0], 0.3, 1e-12);
}

TEST(Faults, E4FindsARootAtTheStartAndNoneThatIsOnlyReachedAtTheStop) {
  const Ran at_start = follow([](double x) { return -x; });
  ASSERT_THAT(at_start.event_times(), SizeIs(1));
  EXPECT_NEAR(at_start.event_times()[0], 0.0, 1e-5);  // no event while the tolerances hide it
  EXPECT_THAT(follow([](double x) { return 1.0 - x; }).event_times(), SizeIs(0));
  const Ran before_stop = follow([](double x) { return 1.0 - 1e-12 - x; });
  ASSERT_THAT(before_stop.event_times(), SizeIs(1));
  EXPECT_NEAR(before_stop.event_times()[0], 1.0 - 1e-12, 1e-15);
}

TEST(Faults, E5LetsAnIndicatorBeZeroForEver) {
  const Ran ran = follow([](double) { return 0.0; });
  EXPECT_TRUE(ran.outcome.finished());
  EXPECT_THAT(ran.event_times(), SizeIs(0));
}

TEST(Faults, E6SettlesTenEventsAtOneInstantTogether) {
  const std::vector<system::EventSource> sources(10, {"x > 0.5"});
  std::vector<std::size_t> sizes;
  bool has_passed = false;
  const Ran ran = run_with("dopri5",
                           clock({.sources = sources,
                                  .indicators =
                                      [&](double, Vector y, Output margins) {
                                        for (double& margin : margins)
                                          margin = has_passed ? 1.0 : 0.5 - y[0];
                                      },
                                  .settle = [&](const Instant& at, Output) -> Settling {
                                    if (at.is_end) return {};
                                    sizes.push_back(at.crossed.size());
                                    has_passed = true;
                                    return {.iterations = 1};
                                  }}),
                           {0.0}, {});
  EXPECT_THAT(sizes, ElementsAre(10u));
  EXPECT_EQ(ran.statistics.events.instants, 1u);
}

TEST(Faults, E6KeepsTheOrderOfEventsThatAreNear) {
  std::vector<std::size_t> order;
  const Ran ran = run_with(
      "dopri5",
      clock({.sources = {{"b"}, {"a"}},
             .indicators =
                 [&](double, Vector y, Output margins) {
                   margins[0] = std::ranges::count(order, 0u) > 0 ? 1.0 : 0.5 + 1e-12 - y[0];
                   margins[1] = std::ranges::count(order, 1u) > 0 ? 1.0 : 0.5 - y[0];
                 },
             .settle = [&](const Instant& at, Output) -> Settling {
               order.insert(order.end(), at.crossed.begin(), at.crossed.end());
               return {.iterations = 1};
             }}),
      {0.0}, {});
  EXPECT_THAT(order, ElementsAre(1u, 0u));
}

TEST(Faults, E7SaysWhichVariableDoesNotSettle) {
  const Ran ran = run_with(
      "dopri5",
      clock({.sources = {{"x > 0.5"}},
             .indicators = [](double, Vector y, Output margins) { margins[0] = 0.5 - y[0]; },
             .settle = [](const Instant& at, Output) -> Settling {
               if (at.crossed.empty()) return {};
               return {.end = Settling::End::DoesNotSettle, .variable = "x"};
             }}),
      {0.0}, {});
  EXPECT_EQ(ran.outcome.reason, Reason::EventIteration);
  EXPECT_EQ(ran.outcome.variable, "x");
  EXPECT_NEAR(ran.outcome.time, 0.5, 1e-12);
}

// x' = 1 where x <= 0, -1 where it is not.
Ran slide(std::size_t& settled) {
  double side = 1.0;
  return run_with(
      "dopri5",
      {.size = 1,
       .f = [&](double, Vector, Output dydt) { dydt[0] = side; },
       .events = EventFunctions{
           .sources = {{"x > 0", Span{.source = 0, .begin = 3, .end = 8}}},
           .indicators = [&](double, Vector y, Output margins) { margins[0] = -side * y[0]; },
           .settle = [&](const Instant& at, Output) -> Settling {
             if (!at.crossed.empty()) side = -side;
             ++settled;
             return {.iterations = 1};
           }}},
      {-0.5}, {.stop = 2.0});
}

TEST(Faults, E9RecognisesChatteringOfASlidingMode) {
  std::size_t settled = 0;
  const Ran ran = slide(settled);
  EXPECT_EQ(ran.outcome.reason, Reason::EventChattering) << ran.outcome.message;
  EXPECT_NEAR(ran.outcome.time, 0.5, 1e-12);
  EXPECT_THAT(ran.outcome.message, HasSubstr("`x > 0`"));
  ASSERT_TRUE(ran.outcome.span.has_value());
  EXPECT_EQ(ran.outcome.span->begin, 3u);
  EXPECT_LT(settled, 1000u);
}

TEST(Faults, E11EndsWhereAnIndicatorIsNotFinite) {
  const Ran ran = follow([](double x) { return std::sqrt(0.5 - x) + 0.1; });
  EXPECT_EQ(ran.outcome.reason, Reason::Domain);
  EXPECT_NEAR(ran.outcome.time, 0.5, 1e-9);
  EXPECT_THAT(ran.outcome.message, HasSubstr("`g < 0`"));
}

TEST(Faults, E11FindsAnEventBeforeTheIndicatorEnds) {
  const Ran ran = follow([](double x) { return x < 0.5 ? std::sqrt(0.6 - x) - 0.4 : NAN; });
  ASSERT_THAT(ran.event_times(), SizeIs(1));
  EXPECT_NEAR(ran.event_times()[0], 0.44, 1e-9);
}

TEST(Faults, E11LocatesAJump) {
  const Ran ran = follow([](double x) { return x < 0.3 ? 1.0 : -1.0; });
  ASSERT_THAT(ran.event_times(), SizeIs(1));
  EXPECT_NEAR(ran.event_times()[0], 0.3, 1e-15);
}

TEST(Faults, E12SeesTheEventThatAnotherOneSetsOff) {
  std::vector<double> seconds;
  bool first_done = false, second_done = false;
  const Ran ran =
      run_with("dopri5",
               {.size = 2,
                .f =
                    [](double, Vector, Output dydt) {
                      dydt[0] = 1.0;
                      dydt[1] = 1.0;
                    },
                .events = EventFunctions{.sources = {{"x > 0.5"}, {"z > 1"}},
                                         .indicators =
                                             [&](double, Vector y, Output margins) {
                                               margins[0] = first_done ? 1.0 : 0.5 - y[0];
                                               margins[1] = second_done ? 1.0 : 1.0 - y[1];
                                             },
                                         .settle = [&](const Instant& at, Output y) -> Settling {
                                           if (at.is_end) return {};
                                           for (const std::size_t i : at.crossed) {
                                             if (i == 0) y[1] = 1.0, first_done = true;
                                             if (i == 1)
                                               seconds.push_back(at.t), second_done = true;
                                           }
                                           return {.iterations = 1};
                                         }}},
               {0.0, 0.0}, {});
  ASSERT_THAT(seconds, SizeIs(1));
  EXPECT_NEAR(seconds[0], 0.5, 2e-6);
}

TEST(Faults, E13HitsAHundredThousandTimesWithoutDrift) {
  std::size_t k = 0;
  bool is_exact = true;
  const Ran ran =
      run_with("dopri5",
               clock({.next_time_event = [&](double) { return 0.1 * static_cast<double>(k + 1); },
                      .settle = [&](const Instant& at, Output) -> Settling {
                        if (!at.is_time_event) return {.is_new_motion = false};
                        is_exact &= at.t == 0.1 * static_cast<double>(++k);
                        return {.is_new_motion = false, .iterations = 1};
                      }}),
               {0.0}, {.stop = 1e4});
  EXPECT_TRUE(ran.outcome.finished()) << ran.outcome.message;
  EXPECT_EQ(k, 100'000u);
  EXPECT_TRUE(is_exact);
  EXPECT_NEAR(ran.y[0], 1e4, 1e-6);
}

TEST(Faults, E14SettlesTheEndOfTheRunOnce) {
  int ends = 0;
  const Ran ran = run_with("dopri5", clock({.settle = [&](const Instant& at, Output) -> Settling {
                             ends += at.is_end ? 1 : 0;
                             return {.is_new_motion = false};
                           }}),
                           {0.0}, {.stop = 2.0});
  EXPECT_EQ(ends, 1);
  ASSERT_THAT(ran.log.records, SizeIs(1));
  EXPECT_TRUE(ran.log.records[0].is_end);
  EXPECT_EQ(ran.statistics.events.instants, 0u);
}

TEST(Faults, E14SaysThatTimeEventsDoNotMoveOn) {
  const auto with_next = [](double next) {
    return run_with("dopri5",
                    clock({.next_time_event = [next](double) { return next; },
                           .settle = [](const Instant&, Output) { return Settling{}; }}),
                    {0.0}, {});
  };
  EXPECT_EQ(with_next(0.0).outcome.reason, Reason::EventAccumulation);
  EXPECT_EQ(with_next(-1.0).outcome.reason, Reason::EventAccumulation);
  EXPECT_EQ(with_next(0.5).outcome.reason, Reason::EventAccumulation);
  EXPECT_EQ(with_next(NAN).outcome.reason, Reason::EventNonfinite);
}

TEST(Faults, E15RecognisesAHysteresisOfNoWidth) {
  bool heats = true;
  const Ran ran = run_with(
      "radau5",
      {.size = 1,
       .f = [&](double, Vector y, Output dydt) { dydt[0] = (heats ? 10.0 : 0.0) - y[0]; },
       .events = EventFunctions{
           .sources = {{"T beyond 5"}},
           .indicators = [&](double, Vector y,
                             Output margins) { margins[0] = heats ? 5.0 - y[0] : y[0] - 5.0; },
           .settle = [&](const Instant& at, Output) -> Settling {
             if (!at.crossed.empty()) heats = !heats;
             return {.iterations = 1};
           }}},
      {0.0}, {.stop = 5.0});
  EXPECT_EQ(ran.outcome.reason, Reason::EventChattering) << ran.outcome.message;
  EXPECT_NEAR(ran.outcome.time, std::log(2.0), 1e-5);
}

TEST(Faults, ABodyWithoutSupportDoesNotFallThrough) {
  const Ran ran = run_with("dopri5", bouncing_ball(0.0), {1.0, 0.0}, {.stop = 10.0});
  EXPECT_EQ(ran.outcome.reason, Reason::EventChattering) << ran.outcome.message;
  EXPECT_GT(ran.y[0], -1e-5);
}

}  // namespace
}  // namespace daedalus::hybrid
