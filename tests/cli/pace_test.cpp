// What is said about an unfinished run, from observations at some moments.
#include "cli/pace.hpp"

#include <gtest/gtest.h>

namespace daedalus::cli {
namespace {

solution::Progress::State run_at(double t, std::size_t steps, std::string limited_by = "") {
  return {.time = t, .attempts = steps, .steps = steps, .limited_by = std::move(limited_by)};
}

TEST(Pace, TellsHowLongARunWillTake) {
  Pace pace(10.0, 20.0, 100.0);
  const Moment first = pace.at(run_at(12.0, 500), 101.0);
  EXPECT_DOUBLE_EQ(first.share, 0.2);
  EXPECT_DOUBLE_EQ(first.steps_per_second, 500.0);
  EXPECT_DOUBLE_EQ(first.left.value(), 4.0);
  EXPECT_EQ(progress_text(first, 20.0), "t = 12 of 20 s (20 %), 5e+02 steps/s, 4 s left");

  const Moment second = pace.at(run_at(15.0, 700), 103.0);  // slower since
  EXPECT_DOUBLE_EQ(second.steps_per_second, 100.0);
  EXPECT_DOUBLE_EQ(second.elapsed, 3.0);
  EXPECT_DOUBLE_EQ(second.left.value(), 3.0);
}

TEST(Pace, KnowsNoEndBeforeTimeHasAdvanced) {
  Pace pace(0.0, 1.0, 0.0);
  const Moment moment = pace.at(run_at(0.0, 0), 1.0);
  EXPECT_FALSE(moment.left);
  EXPECT_EQ(progress_text(moment, 1.0), "t = 0 of 1 s (0 %), 0 steps/s");
}

TEST(Pace, SaysWhatARunIsStuckAt) {
  Pace pace(0.0, 1.0, 0.0);
  EXPECT_EQ(pace.at(run_at(0.5, 10, "x"), 1.0).stuck, 0.0);
  EXPECT_EQ(pace.at(run_at(0.5 + 1e-12, 20, "x"), 5.9).stuck, 0.0);
  const Moment moment = pace.at(run_at(0.5 + 2e-12, 30, "x"), 6.0);
  EXPECT_DOUBLE_EQ(moment.stuck, 5.0);
  EXPECT_EQ(progress_text(moment, 1.0),
            "t = 0.5 of 1 s (50 %), 1e+02 steps/s, stuck for 5 s: `x` limits the steps");
  EXPECT_EQ(pace.at(run_at(0.6, 40, "x"), 7.0).stuck, 0.0);  // it has gone on
}

TEST(Pace, TellsLongTimesInUnitsOfTheirSize) {
  const auto left = [](double share) {
    Pace pace(0.0, 1.0, 0.0);
    const std::string text = progress_text(pace.at(run_at(share, 1), 60.0), 1.0);
    return text.substr(text.rfind(", ") + 2);
  };
  EXPECT_EQ(left(0.25), "3 min 0 s left");
  EXPECT_EQ(left(0.005), "3 h 19 min left");
  EXPECT_EQ(left(1e-4), "6 days left");
  EXPECT_EQ(left(1e-8), "years left");
}

TEST(Pace, IsAnObjectForOtherPrograms) {
  Pace pace(0.0, 4.0, 0.0);
  EXPECT_EQ(progress_json(pace.at(run_at(1.0, 8, "a\"b"), 2.0), false),
            R"({"t":1.0,"share":0.25,"steps":8,"attempts":8,"steps_per_s":4.0,"elapsed_s":2.0,)"
            R"("left_s":6.0,"stuck_s":0.0,"limited_by":"a\"b","done":false})");
}

}  // namespace
}  // namespace daedalus::cli
