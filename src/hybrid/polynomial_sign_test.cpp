#include "hybrid/polynomial_sign.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus::hybrid {
namespace {

// The terms of cos(a + b x) - c.
std::vector<double> cosine(double a, double b, double c, std::size_t terms) {
  std::vector<double> coefficients;
  double factor = 1.0;
  for (std::size_t k = 0; k < terms; ++k) {
    coefficients.push_back(factor * std::cos(a + 1.5707963267948966 * static_cast<double>(k)));
    factor *= b / static_cast<double>(k + 1);
  }
  coefficients[0] -= c;
  return coefficients;
}

TEST(PolynomialSign, ExcludesWhatStaysPositive) {
  for (const auto& coefficients : {std::vector{1.0, 0.5, -0.25, 0.0, 0.0},
                                   std::vector{1.0, -3.0, 4.0, 0.0, 0.0},  // down to 7/16
                                   cosine(0.0, 1.0, 0.5, 13)}) {
    const PolynomialSign sign = sign_of(coefficients, 0.0);
    EXPECT_EQ(sign.change, SignChange::None);
    double end = 0.0;
    for (const double c : coefficients) end += c;
    EXPECT_NEAR(sign.end, end, 1e-15);
  }
}

TEST(PolynomialSign, FindsTheOnlyZeroToRounding) {
  const PolynomialSign falling = sign_of(cosine(0.3, 1.0, 0.5, 17), 0.0);
  ASSERT_EQ(falling.change, SignChange::One);
  EXPECT_NEAR(falling.zero, std::acos(0.5) - 0.3, 1e-15);
  EXPECT_NEAR(falling.slope, -std::sin(std::acos(0.5)), 1e-4);
  // Rises before it falls.
  const PolynomialSign bent = sign_of(cosine(-0.5, 1.8, 0.5, 21), 0.0);
  ASSERT_EQ(bent.change, SignChange::One);
  EXPECT_NEAR(bent.zero, (std::acos(0.5) + 0.5) / 1.8, 1e-15);
}

TEST(PolynomialSign, TakesTheOffsetIntoAccount) {
  const PolynomialSign sign = sign_of(std::vector{0.25, -1.0, 0.0, 0.0}, 0.5);
  ASSERT_EQ(sign.change, SignChange::One);
  EXPECT_DOUBLE_EQ(sign.zero, 0.75);
  EXPECT_DOUBLE_EQ(sign.end, -0.25);
}

TEST(PolynomialSign, DoesNotOverlookTwoZerosCloseTogether) {
  for (const double gap : {0.3, 1e-2, 1e-5}) {
    const double a = 0.4, b = a + gap;
    EXPECT_EQ(sign_of(std::vector{a * b, -a - b, 1.0, 0.0, 0.0}, 0.0).change, SignChange::Unclear)
        << gap;
  }
}

TEST(PolynomialSign, DoesNotTrustASeriesThatHasNotConverged) {
  EXPECT_EQ(sign_of(cosine(0.0, 40.0, -1.5, 13), 0.0).change, SignChange::Unclear);
  EXPECT_EQ(sign_of(cosine(0.0, 6.0, -1.01, 9), 0.0).change, SignChange::Unclear);
}

TEST(PolynomialSign, IsUnclearWithoutNumbersOrAtZero) {
  EXPECT_EQ(sign_of(std::vector{1.0, std::nan(""), 0.0, 0.0}, 0.0).change, SignChange::Unclear);
  EXPECT_EQ(sign_of(std::vector{0.0, -1.0, 0.0, 0.0}, 0.0).change, SignChange::Unclear);
}

}  // namespace
}  // namespace daedalus::hybrid
