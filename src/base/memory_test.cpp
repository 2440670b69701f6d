#include "daedalus/base/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace daedalus {
namespace {

TEST(Memory, ALimitOfAddressesCounts) {
  const double without = memory_limit();
  EXPECT_GT(without, 1e8);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit small{std::min<rlim_t>(rlim_t{1} << 46U, before.rlim_max), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  EXPECT_LE(memory_limit(), static_cast<double>(small.rlim_cur));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(memory_limit(), without);
}

TEST(Memory, SizesHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(bytes_text(0.0), "0 B");
  EXPECT_EQ(bytes_text(999.0), "999 B");
  EXPECT_EQ(bytes_text(1000.0), "1 kB");
  EXPECT_EQ(bytes_text(3.92e12), "3.92 TB");
  EXPECT_EQ(bytes_text(1e24), "1e+06 EB");
}

}  // namespace
}  // namespace daedalus
