// Helpers shared by the tests of methods.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string_view>

#include "daedalus/methods/properties.hpp"

namespace daedalus::methods::testing_support {

inline const RungeKutta& method(std::string_view name) { return *find_method(name); }

// Unlike EXPECT_NEAR, which compares doubles, this compares all digits of a Real.
inline testing::AssertionResult near(Real value, Real wanted, Real tolerance) {
  if (std::abs(value - wanted) <= tolerance) return testing::AssertionSuccess();
  return testing::AssertionFailure() << value << " differs from " << wanted << " by "
                                     << std::abs(value - wanted) << ", more than " << tolerance;
}

// The same stages with other weights, as a method.
inline RungeKutta with_weights(RungeKutta method, const Row& b) {
  method.b = b;
  return method;
}

// The coefficient of z^k in R(z): b A^(k-1) e.
inline Real stability_coefficient(const RungeKutta& method, int k) {
  Row v(stages(method), 1);
  for (int step = 1; step < k; ++step) {
    Row next(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t j = 0; j < method.A[i].size(); ++j) next[i] += method.A[i][j] * v[j];
    }
    v = next;
  }
  Real sum = 0;
  for (std::size_t i = 0; i < method.b.size(); ++i) sum += method.b[i] * v[i];
  return sum;
}

// The coefficient of z^k in R(z) - exp(z).
inline Real linear_error(const RungeKutta& method, int k) {
  return stability_coefficient(method, k) - 1 / std::tgamma(static_cast<Real>(k + 1));
}

}  // namespace daedalus::methods::testing_support
