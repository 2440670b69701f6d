#include "daedalus/linalg/spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::linalg {
namespace {

TEST(Spectrum, FindsAConjugatePairAndItsVectors) {
  const SmallMatrix rotation = {{1.0L, -2.0L}, {2.0L, 1.0L}};
  const Spectrum found = spectrum(rotation).value();
  ASSERT_EQ(found.values.size(), 2u);
  EXPECT_NEAR(std::abs(found.values[0].imag()), 2.0, 1e-17);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& v = found.vectors[k];
    EXPECT_LT(std::abs(v[0] - 2.0L * v[1] - found.values[k] * v[0]), 1e-17L);
  }
}

TEST(Spectrum, RefusesValuesThatAreNotFinite) {
  EXPECT_FALSE(spectrum({{std::nanl("")}}).has_value());
}

TEST(Inverse, InvertsToExtendedPrecision) {
  const SmallMatrix inverted = inverse({{2.0L, 1.0L}, {1.0L, 3.0L}}).value();
  EXPECT_LT(std::abs(inverted[0][0] - 3.0L / 5.0L), 1e-18L);
  EXPECT_LT(std::abs(inverted[0][1] + 1.0L / 5.0L), 1e-18L);
}

TEST(Inverse, SeesASingularMatrix) {
  EXPECT_FALSE(inverse({{1.0L, 2.0L}, {2.0L, 4.0L}}).has_value());
}

}  // namespace
}  // namespace daedalus::linalg
