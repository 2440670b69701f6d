#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "hybrid/test_support.hpp"

namespace daedalus::hybrid {
namespace {

using namespace testing_support;
using solution::Reason;
using solution::Status;
using testing::SizeIs;

EventFunctions at_half(EventFunctions::Settle settle) {
  return {.sources = {{"x > 0.5"}},
          .indicators = [](double, Vector y, Output margins) { margins[0] = 0.5 - y[0]; },
          .settle = std::move(settle)};
}

TEST(Run, LogsWhenAndWhyAndWhatChanged) {
  const Ran ran = run_with("dopri5", bouncing_ball(1.0), {1.0, 0.0}, {.stop = 1.0});
  ASSERT_THAT(ran.log.records, SizeIs(2));
  const solution::EventRecord& bounce = ran.log.records[0];
  EXPECT_NEAR(bounce.t, std::sqrt(2.0 / 9.81), 1e-12);
  ASSERT_THAT(bounce.causes, SizeIs(1));
  EXPECT_EQ(ran.log.causes[bounce.causes[0]].text, "h < 0");
  ASSERT_THAT(bounce.changes, SizeIs(1));
  EXPECT_EQ(bounce.changes[0].name, "v");
  EXPECT_NEAR(bounce.changes[0].before, -std::sqrt(2.0 * 9.81), 1e-9);
  EXPECT_EQ(bounce.changes[0].after, -bounce.changes[0].before);
  EXPECT_TRUE(ran.log.records[1].is_end);
  EXPECT_EQ(ran.statistics.events.by_indicator, std::vector<std::size_t>{1});
  EXPECT_GT(ran.statistics.events.seconds, 0.0);
}

TEST(Run, KeepsABoundedLogOfManyEvents) {
  double u = 1.0;
  const FunctionSystem system(
      {.size = 1,
       .f = [&](double, Vector, Output dydt) { dydt[0] = u; },
       .events = EventFunctions{
           .sources = {{"x beyond 1"}},
           .indicators = [&](double, Vector y, Output margins) { margins[0] = 1.0 - u * y[0]; },
           .settle = [&](const Instant& at, Output) -> Settling {
             if (!at.crossed.empty()) u = -u;
             return {.iterations = 1};
           }}});
  const double stop = 6e5;
  const auto integrator =
      integrate::make_integrator("dopri5", system, {.stop = stop, .max_attempts = 10'000'000})
          .value();
  Silent recorder;
  solution::EventLog log{.most = 1000};
  std::vector<double> y = {0.0};
  const Options options{.stop = stop};
  const solution::Outcome outcome = run({*integrator, system, options, recorder, &log}, y);
  EXPECT_TRUE(outcome.finished()) << outcome.message;
  EXPECT_EQ(integrator->statistics().events.state_events, 300'000u);
  EXPECT_THAT(log.records, SizeIs(1000));
  EXPECT_EQ(log.dropped, 300'001u - 1000u);
  EXPECT_LT(integrator->statistics().f_evals, 10u * 300'000u);
}

TEST(Run, ShowsRecordersThePieceBeforeTheEventAndTheValueBehindIt) {
  const Ran ran = run_with("radau5", bouncing_ball(1.0), {1.0, 0.0}, {.stop = 1.0});
  const double fall = std::sqrt(2.0 / 9.81);
  EXPECT_TRUE(ran.kept.is_gapless);
  for (const Keeper::Point& inside : ran.kept.insides) {
    const double speed = 9.81 * fall;
    const double behind = inside.t - fall;
    const double expected = inside.t < fall ? 1.0 - 0.5 * 9.81 * inside.t * inside.t
                                            : speed * behind - 0.5 * 9.81 * behind * behind;
    EXPECT_NEAR(inside.y[0], expected, 1e-6);
  }
  ASSERT_THAT(ran.kept.behind_events, SizeIs(1));
  EXPECT_NEAR(ran.kept.behind_events[0].y[1], 9.81 * fall, 1e-6);
}

// A recorder may end the run at the piece before an event, or after the event.
struct Ender final : solution::Recorder {
  bool at_event = false;
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep& step) override {
    return !at_event && step.end() > 0.3 ? solution::Recording::Stop
                                         : solution::Recording::Continue;
  }
  solution::Recording event(double, Vector) override { return solution::Recording::Stop; }
};

TEST(Run, LeavesTheValuesWhereARecorderEndsIt) {
  for (const bool at_event : {false, true}) {
    const FunctionSystem system(bouncing_ball(1.0));
    const auto integrator = integrate::make_integrator("dopri5", system, {.stop = 2.0}).value();
    Ender recorder;
    recorder.at_event = at_event;
    std::vector<double> y = {1.0, 0.0};
    const Options options{.stop = 2.0};
    const solution::Outcome outcome = run({*integrator, system, options, recorder}, y);
    const double fall = std::sqrt(2.0 / 9.81);
    EXPECT_EQ(outcome.status, Status::Terminated);
    EXPECT_NEAR(outcome.time, fall, 1e-9);
    EXPECT_NEAR(y[0], 0.0, 1e-9);
    EXPECT_NEAR(y[1], (at_event ? 9.81 : -9.81) * fall, 1e-9);
  }
}

TEST(Run, EndsWhereTheSystemWants) {
  const Ran ran = run_with("dopri5", clock(at_half([](const Instant&, Output) -> Settling {
                             return {.end = Settling::End::Terminated, .message = "enough"};
                           })),
                           {0.0}, {});
  EXPECT_EQ(ran.outcome.status, Status::Terminated);
  EXPECT_EQ(ran.outcome.reason, Reason::None);
  EXPECT_EQ(ran.outcome.message, "enough");
  EXPECT_NEAR(ran.y[0], 0.5, 1e-12);
}

TEST(Run, NamesWhatWasViolatedOrNotDefinedAtAnEvent) {
  const auto ended = [](Settling::End end) {
    return run_with("dopri5", clock(at_half([end](const Instant&, Output) -> Settling {
                      return {.end = end, .span = {.source = 0, .begin = 1, .end = 2}};
                    })),
                    {0.0}, {})
        .outcome;
  };
  EXPECT_EQ(ended(Settling::End::Violated).reason, Reason::Assertion);
  EXPECT_EQ(ended(Settling::End::Undefined).reason, Reason::Domain);
  EXPECT_EQ(ended(Settling::End::Violated).status, Status::Failed);
  EXPECT_NEAR(ended(Settling::End::Violated).time, 0.5, 1e-12);
  EXPECT_TRUE(ended(Settling::End::Violated).span.has_value());
}

TEST(Run, ChecksEveryStep) {
  EventFunctions events{.settle = [](const Instant&, Output) { return Settling{}; },
                        .check = [](double, Vector y) -> Settling {
                          if (y[0] < 0.3) return {};
                          return {.end = Settling::End::Violated, .message = "x is too large"};
                        }};
  const Ran ran = run_with("dopri5", clock(std::move(events)), {0.0}, {.max_step = 0.1});
  EXPECT_EQ(ran.outcome.reason, Reason::Assertion);
  EXPECT_THAT(ran.outcome.message, testing::HasSubstr("x is too large"));
  EXPECT_NEAR(ran.outcome.time, 0.3, 0.11);
}

TEST(Run, StaysInTheStepWhereAnEventChangesNoMotion) {
  int events = 0;
  const Ran ran = run_with(
      "dopri5",
      clock({.sources = {{"x > next"}},
             .indicators = [&](double, Vector y,
                               Output margins) { margins[0] = 0.01 * (events + 1) - y[0]; },
             .settle = [&](const Instant& at, Output) -> Settling {
               if (!at.crossed.empty()) ++events;
               return {.is_new_motion = false, .iterations = 1};
             }}),
      {0.0}, {.stop = 0.999});
  EXPECT_EQ(events, 99);
  for (std::size_t k = 0; k < 99; ++k)
    EXPECT_NEAR(ran.event_times()[k], 0.01 * static_cast<double>(k + 1), 1e-14);
  EXPECT_LT(ran.statistics.steps, 40u);
  EXPECT_TRUE(ran.kept.is_gapless);
}

TEST(Run, GoesToATimeEventThatAStateEventAskedFor) {
  double next = std::numeric_limits<double>::infinity();
  std::vector<double> times;
  bool has_passed = false;
  EventFunctions events = at_half([&](const Instant& at, Output) -> Settling {
    if (!at.crossed.empty()) {
      has_passed = true;
      next = at.t + 0.01;
    }
    if (at.is_time_event) {
      times.push_back(at.t);
      next = std::numeric_limits<double>::infinity();
    }
    return {.is_new_motion = false, .iterations = 1};
  });
  events.next_time_event = [&](double) { return next; };
  events.indicators = [&](double, Vector y, Output margins) {
    margins[0] = has_passed ? 1.0 : 0.5 - y[0];
  };
  const Ran ran = run_with("dopri5", clock(std::move(events)), {0.0}, {});
  ASSERT_THAT(times, SizeIs(1));
  EXPECT_NEAR(times[0], 0.51, 1e-12);
}

TEST(Run, FollowsIndicatorsOfTimeAlone) {
  int events = 0;
  Functions nothing{.events = EventFunctions{.sources = {{"sin(100 t) changes its sign"}},
                                             .indicators =
                                                 [&](double t, Vector, Output margins) {
                                                   margins[0] = (events % 2 == 0 ? 1 : -1) *
                                                                std::sin(100.0 * t + 0.1);
                                                 },
                                             .settle = [&](const Instant& at, Output) -> Settling {
                                               if (!at.crossed.empty()) ++events;
                                               return {.is_new_motion = false, .iterations = 1};
                                             }}};
  const Ran ran = run_with("dopri5", std::move(nothing), {}, {.stop = 1.0});
  ASSERT_THAT(ran.event_times(), SizeIs(31));
  for (std::size_t k = 0; k < 31; ++k) {
    const double expected = (static_cast<double>(k + 1) * std::numbers::pi - 0.1) / 100.0;
    EXPECT_NEAR(ran.event_times()[k], expected, 1e-14);
  }
}

TEST(Run, CanBeInterruptedInALongStep) {
  std::atomic<bool> interrupt = false;
  int events = 0;
  Functions nothing{.events = EventFunctions{.sources = {{"sin(100 t) changes its sign"}},
                                             .indicators =
                                                 [&](double t, Vector, Output margins) {
                                                   margins[0] = (events % 2 == 0 ? 1 : -1) *
                                                                std::sin(100.0 * t + 0.1);
                                                 },
                                             .settle = [&](const Instant& at, Output) -> Settling {
                                               if (!at.crossed.empty()) ++events;
                                               interrupt = events > 500;
                                               return {.is_new_motion = false, .iterations = 1};
                                             }}};
  const Ran ran =
      run_with("dopri5", std::move(nothing), {}, {.stop = 1000.0, .interrupt = &interrupt});
  EXPECT_EQ(ran.outcome.reason, Reason::Interrupted);
  EXPECT_LT(events, 2000);
}

TEST(Run, FindsEventsNoLaterThanAsked) {
  const auto error = [](double tolerance) {
    const Ran ran = run_with("radau5", bouncing_ball(1.0), {1.0, 0.0}, {.stop = 1.0}, tolerance);
    return ran.event_times()[0] - std::sqrt(2.0 / 9.81);
  };
  EXPECT_NEAR(error(0.0), 0.0, 1e-10);
  EXPECT_NEAR(error(1e-3), 0.0, 1.1e-3);
}

TEST(Run, StopsAtTheStepLimitAndWhenInterrupted) {
  const Ran limited =
      run_with("dopri5", bouncing_ball(1.0), {1.0, 0.0}, {.stop = 1e6, .max_attempts = 100});
  EXPECT_EQ(limited.outcome.reason, Reason::StepLimit);
  const std::atomic<bool> interrupt = true;
  const Ran interrupted =
      run_with("dopri5", bouncing_ball(1.0), {1.0, 0.0}, {.stop = 1e6, .interrupt = &interrupt});
  EXPECT_EQ(interrupted.outcome.reason, Reason::Interrupted);
}

}  // namespace
}  // namespace daedalus::hybrid
