#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hybrid/test_support.hpp"

namespace daedalus::hybrid {
namespace {

using namespace testing_support;
using solution::Reason;
using solution::Status;

TEST(Run, FindsEveryBounceOfABall) {
  const Ran ran = run_with("dopri5", bouncing_ball(1.0), {1.0, 0.0}, {.stop = 10.0});
  ASSERT_TRUE(ran.outcome.finished()) << ran.outcome.message;
  const double fall = std::sqrt(2.0 / 9.81);
  const std::vector<double> times = ran.event_times();
  ASSERT_EQ(times.size(), 11u);
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_NEAR(times[k], (2.0 * static_cast<double>(k) + 1.0) * fall, 1e-10) << k;
  EXPECT_TRUE(ran.kept.is_gapless);
  EXPECT_EQ(ran.statistics.events.state_events, 11u);
  EXPECT_EQ(ran.statistics.events.by_indicator, std::vector<std::size_t>{11});
}

}  // namespace
}  // namespace daedalus::hybrid
