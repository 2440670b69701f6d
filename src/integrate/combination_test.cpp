#include "integrate/combination.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace daedalus::integrate {
namespace {

// Small sizes, which have code of their own, chunks and what is left of them.
TEST(Combination, IsTheSumForEverySize) {
  const Combination terms = without_zeros({2.0L, 0.0L, -1.0L});
  ASSERT_EQ(terms.size(), 2u);
  for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 15u, 16u, 23u, 200u}) {
    std::vector<double> k(3 * n);
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = 1.0 + static_cast<double>(i);
    std::vector<double> base(n, 100.0);
    std::vector<double> out(n);
    const auto sum = [&](std::size_t i) { return 0.5 * (2.0 * k[i] - k[2 * n + i]); };
    combine(base, 0.5, terms, k, out);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], 100.0 + sum(i)) << n << ", " << i;
    combine({}, 0.5, terms, k, out);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], sum(i)) << n << ", " << i;
    combine(base, 0.5, terms, k, base);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(base[i], 100.0 + sum(i)) << n << ", " << i;
  }
}

}  // namespace
}  // namespace daedalus::integrate
