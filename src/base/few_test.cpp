#include "daedalus/base/few.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

template <class T>
std::vector<T> entries(const Few<T>& few) {
  return few;
}

TEST(Few, GrowsBeyondWhatFits) {
  static_assert(sizeof(Few<std::uint32_t>) == 16);
  Few<std::uint32_t> few;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 100; ++i) {
    few.push_back(i * i);
    expected.push_back(i * i);
    ASSERT_EQ(entries(few), expected);
  }
  EXPECT_EQ(few.front(), 0U);
  EXPECT_EQ(few.back(), 99U * 99U);
}

TEST(Few, CopiesAreApart) {
  for (const std::size_t count : {0, 1, 2, 3, 50}) {
    const std::vector<std::uint32_t> given(count, 7);
    Few<std::uint32_t> few(given);
    Few<std::uint32_t> copy(few), taken;
    few.push_back(1);
    EXPECT_EQ(entries(copy), given);
    EXPECT_EQ(few.size(), count + 1);
    taken = std::move(few);
    EXPECT_EQ(taken.size(), count + 1);
    taken = copy;
    EXPECT_EQ(entries(taken), given);
    copy.push_back(copy.empty() ? 3U : copy.front());
    EXPECT_EQ(copy.size(), count + 1);
  }
}

}  // namespace
}  // namespace daedalus
