#include "methods/modular.hpp"

#include <gtest/gtest.h>

namespace daedalus::methods {
namespace {

std::optional<Fraction> found_again(std::int64_t numerator, std::int64_t denominator) {
  std::vector<PrimeField::Number> residues;
  for (const PrimeField& field : prime_fields())
    residues.push_back(field.product(field.of(numerator), field.inverse(field.of(denominator))));
  return fraction_of(residues);
}

TEST(PrimeField, HasPowersAndInverses) {
  for (const PrimeField& field : prime_fields()) {
    EXPECT_EQ(field.power(3, 0), 1U);
    EXPECT_EQ(field.power(3, 5), 243U);
    EXPECT_EQ(field.of(-2), field.prime() - 2);
    for (const PrimeField::Number a : {std::uint64_t{2}, std::uint64_t{12345678901234567}})
      EXPECT_EQ(field.product(a, field.inverse(a)), 1U);
  }
}

TEST(PrimeField, SolvesRegularSystems) {
  const PrimeField& field = prime_fields()[0];
  EXPECT_EQ(field.solve({{0, 2}, {3, 1}}, {4, 5}), (std::vector<PrimeField::Number>{1, 2}));
  EXPECT_FALSE(field.solve({{1, 2}, {2, 4}}, {1, 1}));
}

TEST(FractionOf, FindsWhatTheResiduesComeFrom) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;  // and 7 have no factor in common
  for (const auto& [numerator, denominator] :
       {std::pair<std::int64_t, std::int64_t>{0, 1}, {1, 3}, {-7, 5}, {large, 7}, {-7, large}}) {
    const std::optional<Fraction> found = found_again(numerator, denominator);
    ASSERT_TRUE(found) << numerator << " / " << denominator;
    EXPECT_EQ(found->numerator, numerator);
    EXPECT_EQ(found->denominator, denominator);
  }
}

TEST(FractionOf, FindsNoneWhosePartsAreTooLong) {
  const std::int64_t most = std::int64_t{1} << 61;
  for (const std::int64_t sign : {1, -1}) {
    EXPECT_FALSE(found_again(sign * (most - 259889064061), most + 2074035335495));
    EXPECT_FALSE(found_again(sign * (2 * most + 1), 3));
  }
}

}  // namespace
}  // namespace daedalus::methods
