#include "daedalus/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "daedalus/base/check.hpp"

namespace daedalus {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 3;
  const Result<int> bad = Error{"io", "no such file", "look elsewhere"};
  EXPECT_TRUE(good.has_value());
  EXPECT_EQ(*good, 3);
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code, "io");
}

TEST(Result, ThrowsItsErrorWhenAskedForAMissingValue) {
  const Result<int> bad = Error{"io", "no such file", "look elsewhere"};
  try {
    (void)bad.value();
    FAIL() << "value() returned";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, "io");
    EXPECT_STREQ(failure.what(), "no such file [io]\n  hint: look elsewhere");
  }
}

TEST(Result, MovesOutWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(5);
  EXPECT_EQ(*std::move(made).value(), 5);
}

TEST(Check, NamesTheBrokenConditionAndItsPlace) {
  try {
    DAEDALUS_CHECK(1 + 1 == 3);
    FAIL() << "the check passed";
  } catch (const std::logic_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("1 + 1 == 3"), std::string::npos);
    EXPECT_NE(text.find("result_test.cpp"), std::string::npos);
  }
}

}  // namespace
}  // namespace daedalus
