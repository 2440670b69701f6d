#include "report/number.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <limits>
#include <random>

namespace daedalus::report {
namespace {

using solution::Kind;

std::string number(double value, Kind kind = Kind::Real) {
  std::string text;
  append_number(text, value, kind);
  return text;
}

TEST(AppendNumber, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(number(-2.5e-300), "-2.5e-300");
}

TEST(AppendNumber, ReadsBackBitForBit) {
  const std::uint64_t seed = 20240229;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponents(-300.0, 300.0);
  for (int i = 0; i < 10'000; ++i) {
    const double value = std::pow(10.0, exponents(random));
    EXPECT_EQ(std::strtod(number(value).c_str(), nullptr), value);
  }
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(std::strtod(number(tiny).c_str(), nullptr), tiny);
}

TEST(AppendNumber, WritesNegativeZeroAsZero) { EXPECT_EQ(number(-0.0), "0"); }

TEST(AppendNumber, WritesIntegersAndBooleansWithoutExponent) {
  EXPECT_EQ(number(1e6, Kind::Integer), "1000000");
  EXPECT_EQ(number(-3.0, Kind::Integer), "-3");
  EXPECT_EQ(number(1.0, Kind::Boolean), "1");
}

TEST(AppendNumber, KeepsAFractionThatAnIntegerShouldNotHave) {
  EXPECT_EQ(number(2.5, Kind::Integer), "2.5");
}

TEST(AppendNumber, KnowsNoDecimalComma) {
  const char* comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  EXPECT_EQ(number(2.5), "2.5") << (comma != nullptr ? comma : "without the locale");
  std::setlocale(LC_NUMERIC, "C");
}

TEST(AppendRounded, KeepsNineDigits) {
  std::string text;
  append_rounded(text, 2.0 / 3.0);
  EXPECT_EQ(text, "0.666666667");
}

}  // namespace
}  // namespace daedalus::report
