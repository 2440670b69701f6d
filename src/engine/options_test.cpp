#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "daedalus/engine/resolved_options.hpp"

namespace daedalus::engine {
namespace {

using testing::HasSubstr;

const double nan = std::nan("");
const double infinity = std::numeric_limits<double>::infinity();

std::string refusal(const Options& options, const model::Experiment& experiment = {}) {
  const Result<ResolvedOptions> resolved = resolve(options, experiment);
  return resolved ? "accepted" : resolved.error().code + ": " + resolved.error().message;
}

TEST(Options, HaveDefaults) {
  const ResolvedOptions r = *resolve({}, {});
  EXPECT_EQ(r.start, 0.0);
  EXPECT_EQ(r.stop, 1.0);
  EXPECT_EQ(r.rtol, 1e-6);
  EXPECT_DOUBLE_EQ(r.default_atol(), 1e-9);
  EXPECT_EQ(r.intervals, 500U);
  EXPECT_EQ(r.max_step, infinity);
  EXPECT_EQ(r.method, "auto");
}

TEST(Options, ComeFromTheExperimentUnlessTheyAreGiven) {
  const model::Experiment experiment{
      .start_time = 1, .stop_time = 3, .tolerance = 1e-4, .interval = 0.5};
  const ResolvedOptions theirs = *resolve({}, experiment);
  EXPECT_EQ(theirs.start, 1.0);
  EXPECT_EQ(theirs.stop, 3.0);
  EXPECT_EQ(theirs.rtol, 1e-4);
  EXPECT_EQ(theirs.intervals, 4U);
  const ResolvedOptions ours =
      *resolve({.start = 2, .stop = 4, .rtol = 1e-5, .intervals = 7}, experiment);
  EXPECT_EQ(ours.start, 2.0);
  EXPECT_EQ(ours.stop, 4.0);
  EXPECT_EQ(ours.rtol, 1e-5);
  EXPECT_EQ(ours.intervals, 7U);
}

TEST(Options, ThatAreNotFiniteAreRefusedByName) {
  for (const double value : {nan, infinity, -infinity}) {
    EXPECT_THAT(refusal({.start = value}),
                HasSubstr("usage.option: start must be a finite number"));
    EXPECT_THAT(refusal({.stop = value}), HasSubstr("stop must be"));
    EXPECT_THAT(refusal({.rtol = value}), HasSubstr("rtol must be"));
    EXPECT_THAT(refusal({.atol = value}), HasSubstr("atol must be"));
    EXPECT_THAT(refusal({.interval = value}), HasSubstr("interval must be"));
    EXPECT_THAT(refusal({.max_step = value}), HasSubstr("max-step must be"));
  }
}

TEST(Options, OfTheErrorControlArePassedOn) {
  const ResolvedOptions r =
      *resolve({.norm = integrate::Norm::Maximum, .controller = integrate::Controller::Thesis}, {});
  EXPECT_EQ(r.norm, integrate::Norm::Maximum);
  EXPECT_EQ(r.controller, integrate::Controller::Thesis);
}

TEST(Options, OfTheErrorControlThatCannotActAreRefused) {
  EXPECT_EQ(refusal({.step = 0.1, .controller = integrate::Controller::Pi}),
            "usage.option: step = 0.1 and controller = pi contradict each other");
  EXPECT_EQ(refusal({.atol = 0.0, .norm = integrate::Norm::Euclidean}),
            "usage.option: atol = 0 and norm = euclidean contradict each other");
  EXPECT_EQ(refusal({.step = 0.1, .norm = integrate::Norm::Maximum}), "accepted");
}

TEST(Options, ThatMakeNoSenseAreRefused) {
  EXPECT_THAT(refusal({.start = 2, .stop = 1}), HasSubstr("stop = 1 lies before start = 2"));
  EXPECT_THAT(refusal({.start = 1e16, .stop = 1e16 + 2}), HasSubstr("time has no resolution"));
  EXPECT_THAT(refusal({.start = 1e16, .stop = 1e16}), HasSubstr("time has no resolution"));
  EXPECT_THAT(refusal({.start = -1.5e308, .stop = 1.5e308}), HasSubstr("is not finite"));
  EXPECT_THAT(refusal({.rtol = 0}), HasSubstr("rtol = 0 is not between 0 and 1"));
  EXPECT_THAT(refusal({.rtol = 1.5}), HasSubstr("rtol = 1.5"));
  EXPECT_THAT(refusal({.rtol = -1e-3}), HasSubstr("rtol = -0.001"));
  EXPECT_THAT(refusal({.atol = -1}), HasSubstr("atol = -1 is negative"));
  EXPECT_THAT(refusal({.intervals = 0}), HasSubstr("intervals = 0"));
  EXPECT_THAT(refusal({.interval = 0}), HasSubstr("interval = 0 is not positive"));
  EXPECT_THAT(refusal({.interval = -1}), HasSubstr("interval = -1 is not positive"));
  EXPECT_THAT(refusal({.intervals = 5, .interval = 0.1}), HasSubstr("contradict"));
  EXPECT_THAT(refusal({.interval = 1e-300}), HasSubstr("more than the limit"));
  EXPECT_THAT(refusal({.intervals = 200'000'000}), HasSubstr("more than the limit"));
  EXPECT_THAT(refusal({.max_step = 0}), HasSubstr("max-step = 0 is not positive"));
  EXPECT_THAT(refusal({.max_steps = 0}), HasSubstr("max-steps = 0"));
  EXPECT_THAT(refusal({.method = "radua"}), HasSubstr("usage.unknown-method"));
  EXPECT_THAT(refusal({}, {.interval = -1}), HasSubstr("interval = -1"));
  EXPECT_THAT(refusal({}, {.tolerance = 2}), HasSubstr("rtol = 2"));
}

TEST(Options, GiveAMethodOurName) {
  const ResolvedOptions r = resolve({.method = "ODE45"}, {}).value();
  EXPECT_EQ(r.method, "dopri5");
  EXPECT_EQ(r.method_written, "ODE45");
  EXPECT_EQ(resolve({.method = "dopri5"}, {}).value().method_written, "");
}

TEST(Options, NameTheMethodThatWasMeant) {
  const Result<ResolvedOptions> resolved = resolve({.method = "raddau5"}, {});
  ASSERT_FALSE(resolved);
  EXPECT_THAT(resolved.error().hint, HasSubstr("did you mean `radau5`, "));
}

struct Grid {
  double start, stop, interval;
  std::size_t intervals;
};

class OutputGrid : public testing::TestWithParam<Grid> {};

TEST_P(OutputGrid, EndsExactlyAtTheStopTimeWithoutASliver) {
  const auto& [start, stop, interval, intervals] = GetParam();
  const ResolvedOptions r = *resolve({.start = start, .stop = stop, .interval = interval}, {});
  EXPECT_EQ(r.intervals, intervals);
  EXPECT_EQ(r.grid_point(0), start);
  EXPECT_EQ(r.grid_point(intervals), stop);
  EXPECT_GT(stop - r.grid_point(intervals - 1), 1e-6 * interval);
}

INSTANTIATE_TEST_SUITE_P(Intervals, OutputGrid,
                         testing::Values(Grid{0, 1, 0.1, 10}, Grid{0, 1, 1.0 / 3.0, 3},
                                         Grid{0, 1, 0.3, 4}, Grid{0, 1, 5, 1}, Grid{0, 1, 0.7, 2},
                                         Grid{0, 0.3, 0.1, 3}, Grid{-1e6, -1e6 + 1, 0.1, 10},
                                         Grid{0, 1e-3, 1e-6, 1000}, Grid{0, 1, 1e-7, 10'000'000}));

TEST(Options, GiveARunOfNoLengthOnePoint) {
  const ResolvedOptions r = *resolve({.start = 3, .stop = 3}, {});
  EXPECT_EQ(r.intervals, 0U);
  EXPECT_EQ(r.grid_point(0), 3.0);
}

}  // namespace
}  // namespace daedalus::engine
