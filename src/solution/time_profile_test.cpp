#include "daedalus/solution/time_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace daedalus::solution {
namespace {

// Attempts at t(0), t(1), ...; every tenth is rejected.
template <class Time>
TimeProfile profile_of(std::size_t attempts, Time t) {
  TimeProfile profile;
  for (std::size_t i = 0; i < attempts; ++i) {
    profile.attempt(t(static_cast<double>(i)));
    if (i % 10 == 9) profile.reject();
  }
  return profile;
}

std::size_t attempts_in(const std::vector<TimeSlice>& slices) {
  std::size_t sum = 0;
  for (const TimeSlice& slice : slices) sum += slice.attempts;
  return sum;
}

std::size_t rejections_in(const std::vector<TimeSlice>& slices) {
  std::size_t sum = 0;
  for (const TimeSlice& slice : slices) sum += slice.rejected;
  return sum;
}

TEST(TimeProfile, HasASliceForEachOfAFewAttempts) {
  TimeProfile profile;
  profile.attempt(0.0);
  profile.attempt(1.0);
  profile.reject();
  profile.attempt(1.0);
  const std::vector<TimeSlice> slices = profile.slices(5.0, 20);
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].end, 1.0);
  EXPECT_EQ(slices[1].rejected, 1u);
  EXPECT_EQ(slices[1].steps(), 0u);
  EXPECT_EQ(slices[1].end, 1.0);
  EXPECT_EQ(slices[2].end, 5.0);
  EXPECT_EQ(slices[2].steps(), 1u);
}

TEST(TimeProfile, CountsEveryAttemptOfRunsOfAnyLength) {
  for (const std::size_t attempts :
       {0u, 1u, 19u, 20u, 21u, 199u, 200u, 201u, 400u, 401u, 3456789u}) {
    const TimeProfile profile = profile_of(attempts, [](double i) { return 0.5 * i; });
    const double end = 0.5 * static_cast<double>(attempts);
    const std::vector<TimeSlice> slices = profile.slices(end, 20);
    EXPECT_LE(slices.size(), 20u) << attempts;
    EXPECT_EQ(attempts_in(slices), attempts);
    EXPECT_EQ(rejections_in(slices), attempts / 10) << attempts;
    for (std::size_t i = 0; i + 1 < slices.size(); ++i) {
      EXPECT_EQ(slices[i].end, slices[i + 1].begin);
      EXPECT_EQ(slices[i].attempts, slices[0].attempts);
      EXPECT_GE(slices[i].attempts, slices.back().attempts);
    }
    if (!slices.empty()) {
      EXPECT_EQ(slices.front().begin, 0.0);
      EXPECT_EQ(slices.back().end, end);
    }
  }
}

TEST(TimeProfile, ShowsEveryDecadeOfALogarithmicRun) {
  const TimeProfile profile =
      profile_of(1'000'000, [](double i) { return std::pow(10.0, i / 100'000.0); });
  const std::vector<TimeSlice> slices = profile.slices(1e10, 20);
  ASSERT_GE(slices.size(), 15u);
  for (std::size_t i = 0; i + 1 < slices.size(); ++i) {
    EXPECT_NEAR(std::log10(slices[i].end / slices[i].begin),
                static_cast<double>(slices[i].attempts) / 100'000.0, 1e-9);
  }
}

TEST(TimeProfile, FindsTheShortestStretchWithHalfOfTheAttempts) {
  // One attempt in each second, but a thousand between t = 50 and t = 51.
  const TimeProfile profile = profile_of(1100, [](double i) {
    return i < 50 ? i : (i < 1050 ? 50.0 + (i - 50.0) / 1000.0 : 51.0 + i - 1050.0);
  });
  const TimeSlice half = profile.busiest_half(101.0);
  EXPECT_GE(half.begin, 49.0);
  EXPECT_LE(half.end, 51.0);
  EXPECT_GE(2 * half.attempts, 1100u);
  EXPECT_LT(half.end - half.begin, 0.6);
}

TEST(TimeProfile, FindsTheEndOfARunThatGotStuck) {
  const TimeProfile profile = profile_of(300, [](double i) { return std::min(i, 100.0); });
  const TimeSlice half = profile.busiest_half(100.0);
  EXPECT_EQ(half.begin, 100.0);
  EXPECT_EQ(half.end, 100.0);
}

TEST(TimeProfile, IsEmptyBeforeTheFirstAttempt) {
  EXPECT_TRUE(TimeProfile().slices(1.0, 20).empty());
  EXPECT_EQ(TimeProfile().busiest_half(1.0).attempts, 0u);
}

}  // namespace
}  // namespace daedalus::solution
