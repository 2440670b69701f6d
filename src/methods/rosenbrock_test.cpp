#include "daedalus/methods/rosenbrock.hpp"

#include <gtest/gtest.h>

#include "daedalus/methods/method.hpp"

namespace daedalus::methods {

void PrintTo(const Rosenbrock& method, std::ostream* out) { *out << method.name; }

namespace {

const Rosenbrock& rosenbrock(std::string_view name) {
  return *std::get<const Rosenbrock*>(require_method(name).value());
}

class EveryRosenbrock : public testing::TestWithParam<Rosenbrock> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryRosenbrock, testing::ValuesIn(rosenbrock_methods()),
                         [](const auto& each) { return each.param.name; });

TEST_P(EveryRosenbrock, HasExactlyTheOrderItClaims) {
  const Rosenbrock& method = GetParam();
  EXPECT_EQ(proven_order(method, method.b, method.order + 1), method.order);
}

TEST_P(EveryRosenbrock, HasAnEmbeddedFormulaOfExactlyTheOrderItClaims) {
  const Rosenbrock& method = GetParam();
  EXPECT_EQ(proven_order(method, method.embedded.b, method.embedded.order + 1),
            method.embedded.order);
}

TEST_P(EveryRosenbrock, HasDenseOutputOfOneOrderLessInsideTheStep) {
  const Rosenbrock& method = GetParam();
  for (const Real x : {0.1L, 0.37L, 0.5L, 0.83L}) {
    EXPECT_GE(proven_order(method, dense_weights(method, x), method.order, x), method.order - 1);
  }
}

TEST_P(EveryRosenbrock, IsLStableAndStifflyAccurate) {
  EXPECT_TRUE(is_l_stable(GetParam()));
  EXPECT_TRUE(is_stiffly_accurate(GetParam()));
}

TEST(Rosenbrock, HasTheNodesOfTheBook) {
  const Row c = nodes(rosenbrock("rodas4"));
  const Row d = time_weights(rosenbrock("rodas4"));
  const Row book_c = {0, 0.386L, 0.21L, 0.63L, 1, 1};
  const Row book_d = {0.25L, -0.1043L, 0.1035L, -0.0362L, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(c[i], book_c[i], 1e-13);
    EXPECT_NEAR(d[i], book_d[i], 1e-13);
  }
}

TEST(Rosenbrock, OrderNoticesAMisprintInTheNinthDigit) {
  Rosenbrock misprinted = rosenbrock("rodas4");
  misprinted.C[3][1] += 1e-8L;
  EXPECT_LT(proven_order(misprinted, misprinted.b, 4), 4);
}

}  // namespace
}  // namespace daedalus::methods
