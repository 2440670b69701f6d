#include "daedalus/expr/operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace daedalus::expr {
namespace {

const std::vector<double> numbers = {-7.5, -2.0, -1.0, -0.5, 0.0, 0.3, 1.0, 2.0, 3.7};

class EveryRow : public testing::TestWithParam<Operation> {
 protected:
  // For an operation with one argument or two.
  template <class Check>
  static void for_all_numbers(const Check& check) {
    for (const double a : numbers) {
      for (const double b : numbers) check(a, b, apply(GetParam().op, a, b));
    }
  }

 private:
  testing::ScopedTrace trace_{__FILE__, __LINE__, GetParam().name};
};

TEST_P(EveryRow, TellsWhereTheOperationIsDefined) {
  bool is_defined = true;
  for_all_numbers([&](double, double b, double value) {
    const bool is_outside =
        (GetParam().domain == Domain::NonzeroDivisor && b == 0.0) ||
        (GetParam().domain == Domain::WholeExponent && (b < 0.0 || b != std::floor(b)));
    is_defined = is_defined && (is_outside || !std::isnan(value));
  });
  const bool is_watched = GetParam().op == Op::Whole;  // undefined for large numbers only
  EXPECT_EQ(is_defined, GetParam().domain != Domain::Part || is_watched);
}

TEST_P(EveryRow, TellsWhatTheOperationGives) {
  const Gives gives = GetParam().gives;
  for_all_numbers([&](double a, double b, double value) {
    if (std::isnan(value) || GetParam().op == Op::Whole) return;
    const bool is_whole = value == std::trunc(value), is_truth = value == 0.0 || value == 1.0;
    EXPECT_TRUE(is_truth || gives != Gives::Truth) << a << " " << b;
    EXPECT_TRUE(is_whole || (gives != Gives::WholeReal && gives != Gives::Integer))
        << a << " " << b;
  });
}

TEST_P(EveryRow, TellsHowLargeResultsAre) {
  for_all_numbers([](double a, double b, double value) {
    const Magnitude magnitude = GetParam().magnitude;
    const double size = std::fabs(value), most = std::max({1.0, std::fabs(a), std::fabs(b)});
    EXPECT_TRUE(magnitude != Magnitude::OfArgument || size == std::fabs(a)) << a;
    const bool are_integers = a == std::trunc(a) && b == std::trunc(b) && b != 0.0;
    EXPECT_TRUE(magnitude != Magnitude::WithinArguments || !are_integers || size <= most)
        << a << " " << b;
  });
}

TEST_P(EveryRow, HasTheSameValuesForIntegersAsForNumbers) {
  if (GetParam().whole == nullptr) return;
  for (int a = -7; a <= 7; ++a) {
    for (int b = -7; b <= 7; ++b) {
      const double value = apply(GetParam().op, a, b);
      const std::optional<std::int64_t> whole = GetParam().whole(a, b);
      ASSERT_EQ(whole.has_value(), std::isfinite(value)) << a << " " << b;
      EXPECT_TRUE(!whole || static_cast<double>(*whole) == value) << a << " " << b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, EveryRow,
                         testing::ValuesIn(operations.begin() + 2, operations.end() - 1),
                         [](const auto& row) { return std::to_string(row.index); });

TEST(Operations, HaveNamesThatTellFunctionsApart) {
  std::set<std::string_view> names;
  for (const Operation& row : operations) {
    EXPECT_TRUE(row.binding < Binding::Call || names.insert(row.name).second) << row.name;
  }
}

}  // namespace
}  // namespace daedalus::expr
