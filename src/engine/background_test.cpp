#include "engine/background.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace daedalus::engine {
namespace {

void wait_for(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::yield();
}

TEST(BackgroundWork, EndsWithItsOwner) {
  std::atomic<bool> has_ended = false;
  {
    const BackgroundWork work([&](const std::stop_token& stop) {
      wait_for(stop);
      has_ended = true;
    });
  }
  EXPECT_TRUE(has_ended);
}

TEST(BackgroundWork, MayFail) {
  const BackgroundWork work([](const std::stop_token&) { throw std::runtime_error("no"); });
}

[[noreturn]] void exit_with_work() {
  new BackgroundWork([](const std::stop_token& stop) {
    wait_for(stop);
    std::fputs("ended", stderr);
  });
  std::exit(0);
}

TEST(BackgroundWorkDeathTest, EndsBeforeTheProgramWhoseOwnersForgotIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_work(), testing::ExitedWithCode(0), "ended");
}

}  // namespace
}  // namespace daedalus::engine
