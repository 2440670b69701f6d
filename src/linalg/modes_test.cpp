#include "daedalus/linalg/modes.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace daedalus::linalg {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Modes, AreTheEigenvaluesWithTheSharesOfTheComponents) {
  // x'' + 2 x' + 100 x = 0: both components take part equally, up to the damping.
  const std::vector<double> oscillator = {0.0, -100.0, 1.0, -2.0};
  const Modes found = modes(2, oscillator).value();
  ASSERT_EQ(found.values.size(), 2U);
  EXPECT_NEAR(found.values[0].real(), -1.0, 1e-13);
  EXPECT_NEAR(std::abs(found.values[0].imag()), std::sqrt(99.0), 1e-13);
  EXPECT_EQ(found.values[1], std::conj(found.values[0]));
  EXPECT_THAT(found.shares[0], ElementsAre(DoubleNear(0.5, 1e-14), DoubleNear(0.5, 1e-14)));
}

TEST(Modes, OfUncoupledComponentsBelongToOneComponentEach) {
  const Modes found = modes(2, std::vector<double>{-1.0, 0.0, 0.0, -1e9}).value();
  EXPECT_THAT(found.values, ElementsAre(-1.0, -1e9));
  EXPECT_THAT(found.shares[0], ElementsAre(1.0, 0.0));
  EXPECT_THAT(found.shares[1], ElementsAre(0.0, 1.0));
}

TEST(Modes, KeepTheirDigitsInUnitsFarApart) {
  // The eigenvalues -1 and -2, with the second component in units of 1e-12.
  const Modes found = modes(2, std::vector<double>{0.0, -2e12, 1e-12, -3.0}).value();
  EXPECT_NEAR(std::max(found.values[0].real(), found.values[1].real()), -1.0, 1e-14);
  EXPECT_NEAR(std::min(found.values[0].real(), found.values[1].real()), -2.0, 1e-14);
}

TEST(Modes, OfADefectiveMatrixAreFound) {
  const Modes found = modes(2, std::vector<double>{0.0, 0.0, 1.0, 0.0}).value();
  EXPECT_THAT(found.values, ElementsAre(0.0, 0.0));
}

TEST(Modes, OfNothingAreNone) { EXPECT_THAT(modes(0, {}).value().values, IsEmpty()); }

TEST(Modes, NeedFiniteValues) {
  EXPECT_FALSE(modes(1, std::vector<double>{std::numeric_limits<double>::quiet_NaN()}));
}

TEST(SpectralAbscissa, IsTheLargestRealPart) {
  SpectralAbscissa abscissa(2);
  EXPECT_NEAR(*abscissa.of(std::vector<double>{0.0, -4.0, 1.0, 0.6}), 0.3, 1e-14);
  EXPECT_NEAR(*abscissa.of(std::vector<double>{-1.0, 0.0, 0.0, -1e9}), -1.0, 1e-9);
  EXPECT_NEAR(*abscissa.of(std::vector<double>{0.0, -2e12, 1e-12, -3.0}), -1.0, 1e-14);
  EXPECT_FALSE(abscissa.of(std::vector<double>(4, std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(SpectralAbscissa(0).of({}));
}

}  // namespace
}  // namespace daedalus::linalg
