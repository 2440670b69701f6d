#include "engine/deadline.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace daedalus::engine {
namespace {

TEST(Deadline, WithoutALimitIsNothingToLookAt) {
  EXPECT_EQ(Deadline(std::nullopt).is_over(), nullptr);
}

TEST(Deadline, IsSetWhenItsTimeIsOver) {
  const Deadline soon(1e-4);
  ASSERT_NE(soon.is_over(), nullptr);
  soon.is_over()->wait(false);  // or the test hangs
  EXPECT_TRUE(soon.is_over()->load());
}

TEST(Deadline, KeepsNobodyWaiting) {
  const Deadline later(1e300);
  EXPECT_FALSE(later.is_over()->load());
}

}  // namespace
}  // namespace daedalus::engine
