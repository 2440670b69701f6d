#include "daedalus/system/held.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "daedalus/base/archive.hpp"

namespace daedalus::system {
namespace {

TEST(Held, ACopyIsEqualUntilOneOfThemChanges) {
  Held one(std::vector<double>{1.0, std::numeric_limits<double>::quiet_NaN()});
  const Held copy = one;
  EXPECT_EQ(copy.stamp(), one.stamp());
  EXPECT_EQ(copy, one);
  one.change()[0] = 2.0;
  EXPECT_NE(copy.stamp(), one.stamp());
  EXPECT_NE(copy, one);
  EXPECT_EQ(copy[0], 1.0);
  one.change()[0] = 1.0;
  EXPECT_EQ(copy, one);  // also NaN, to the bit
}

TEST(Held, IsComparedToTheBit) {
  EXPECT_NE(Held(std::vector<double>{0.0}), Held(std::vector<double>{-0.0}));
  EXPECT_NE(Held(std::vector<double>{0.0}), Held(std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(Held(), Held(std::vector<double>{}));
}

TEST(Held, GoesThroughAnArchive) {
  Held held(std::vector<double>{1.5, -0.0, std::numeric_limits<double>::infinity()});
  Archive writer;
  writer(held);
  Held read;
  Archive reader(writer.bytes());
  reader(read);
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(read, held);
  EXPECT_NE(read.stamp(), 0u);
}

TEST(Held, HasStampsThatNoOtherThreadHas) {
  std::vector<std::uint64_t> stamps;
  std::thread other([&] { stamps.push_back(Held(std::vector<double>{1.0}).stamp()); });
  other.join();
  EXPECT_NE(Held(std::vector<double>{1.0}).stamp(), stamps.front());
}

}  // namespace
}  // namespace daedalus::system
