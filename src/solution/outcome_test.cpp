#include "daedalus/solution/outcome.hpp"

#include <gtest/gtest.h>

namespace daedalus::solution {
namespace {

TEST(Ended, IsNothingAtFirst) {
  EXPECT_FALSE(Ended());
  EXPECT_FALSE(Ended(std::nullopt).has_value());
  EXPECT_LE(sizeof(Ended), sizeof(void*));
}

TEST(Ended, OwnsItsOutcome) {
  const Ended first = Outcome{.status = Status::Failed, .time = 2.0, .message = "the first one"};
  Ended copy = first;
  copy->message += " is another one";
  EXPECT_EQ(first->message, "the first one");
  Ended taken = std::move(copy);
  EXPECT_EQ((*taken).message, "the first one is another one");
  taken = first;
  EXPECT_EQ(taken->message, "the first one");
  EXPECT_EQ(taken->time, 2.0);
  taken = std::nullopt;
  EXPECT_FALSE(taken);
  EXPECT_TRUE(first);
}

}  // namespace
}  // namespace daedalus::solution
