#include "hybrid/sign_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::hybrid {
namespace {

SignBound bound_of(double (*f)(double)) {
  SignBound::Values values;
  for (std::size_t i = 0; i < SignBound::points; ++i) values[i] = f(SignBound::nodes()[i]);
  return SignBound(values);
}

TEST(SignBound, ExcludesWhatIsClearlyPositive) {
  EXPECT_TRUE(bound_of([](double) { return 1.0; }).excludes_negative());
  EXPECT_TRUE(bound_of([](double x) { return 1.0 + x * (1.0 - x); }).excludes_negative());
  EXPECT_TRUE(bound_of([](double x) { return std::exp(-x); }).excludes_negative());
  EXPECT_TRUE(bound_of([](double) { return 0.0; }).excludes_negative());
}

TEST(SignBound, NeverExcludesADipBetweenThePoints) {
  EXPECT_FALSE(bound_of([](double x) { return (x - 0.5) * (x - 0.5) - 1e-8; }).excludes_negative());
  EXPECT_FALSE(
      bound_of([](double x) { return std::pow(x - 0.2, 4.0) - 1e-12; }).excludes_negative());
}

TEST(SignBound, DoesNotTrustValuesThatNoPolynomialFits) {
  const SignBound bound = bound_of([](double x) { return 1.1 + std::sin(40.0 * x); });
  EXPECT_FALSE(bound.excludes_negative());
  EXPECT_FALSE(bound.has_one_sign_change());
}

TEST(SignBound, GuessesTheZeroOfAPolynomialThatItCanFollow) {
  const auto zero_of = [](double (*f)(double)) {
    SignBound::Values values;
    for (std::size_t i = 0; i < SignBound::points; ++i) values[i] = f(SignBound::nodes()[i]);
    return SignBound::zero(values);
  };
  EXPECT_NEAR(zero_of([](double x) { return 0.3 - x; }), 0.3, 1e-15);
  EXPECT_NEAR(zero_of([](double x) { return 0.5 - std::pow(x, 5.0); }), std::pow(0.5, 0.2), 1e-9);
  EXPECT_NEAR(zero_of([](double x) { return std::cos(x) - x; }), 0.73908513321516064, 1e-5);
}

// After a crossing the indicator is at 0, and it is curved.
TEST(SignBound, ExcludesWhatRisesFromZero) {
  EXPECT_TRUE(bound_of([](double x) { return std::sin(x); }).excludes_negative());
  EXPECT_TRUE(bound_of([](double x) { return std::sin(3.14159 * x); }).excludes_negative());
  EXPECT_FALSE(bound_of([](double x) { return x * (x - 1e-3); }).excludes_negative());
  EXPECT_FALSE(bound_of([](double x) { return (1.0 - x) * (0.999 - x); }).excludes_negative());
}

TEST(SignBound, PredictsPolynomialsBetweenThePoints) {
  const auto quintic = [](double x) { return 1.0 - 3.0 * x + 2.0 * std::pow(x, 5.0); };
  SignBound::Values values;
  for (std::size_t i = 0; i < SignBound::points; ++i) values[i] = quintic(SignBound::nodes()[i]);
  for (std::size_t k = 0; k < SignBound::checks; ++k)
    EXPECT_NEAR(SignBound::predicted(values, k), quintic(SignBound::check(k)), 1e-14) << k;
}

// Values that look constant at 1 are worth no more than what was seen between them.
TEST(SignBound, BelievesNoMoreThanWhatWasSeenBetweenThePoints) {
  const SignBound bound = bound_of([](double) { return 1.0; });
  EXPECT_TRUE(bound.excludes_negative(1e-14));
  EXPECT_TRUE(bound.excludes_negative(0.2));
  EXPECT_FALSE(bound.excludes_negative(0.3));
  EXPECT_FALSE(bound.is_refuted_by(0.05));
  EXPECT_TRUE(bound.is_refuted_by(0.2));
  EXPECT_TRUE(bound.is_refuted_by(std::nan("")));
}

TEST(SignBound, SeesASingleChangeOfSign) {
  EXPECT_TRUE(bound_of([](double x) { return 0.3 - x; }).has_one_sign_change());
  EXPECT_FALSE(
      bound_of([](double x) { return (0.3 - x) * (0.6 - x) * (0.9 - x); }).has_one_sign_change());
}

}  // namespace
}  // namespace daedalus::hybrid
