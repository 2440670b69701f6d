#include <gtest/gtest.h>

#include "daedalus/methods/collocation.hpp"
#include "daedalus/methods/properties.hpp"
#include "methods/test_support.hpp"

namespace daedalus::methods {
namespace {

using namespace testing_support;

RungeKutta collocation(const Row& c) {
  return {.name = "",
          .title = "",
          .source = "",
          .A = collocation_matrix(c),
          .b = collocation_weights(c, 1)};
}

TEST(ProvenOrder, NoticesAMisprintInTheNinthDigit) {
  RungeKutta misprinted = method("dopri5");
  misprinted.A[3][1] += 1e-9L;
  EXPECT_LT(proven_order(misprinted.A, misprinted.b, 5), 5);
  misprinted = method("radau5");
  misprinted.b[1] -= 1e-9L;
  EXPECT_LT(proven_order(misprinted.A, misprinted.b, 5), 5);
  misprinted = method("dop853");
  misprinted.A[11][5] += 1e-9L;
  EXPECT_LT(proven_order(misprinted.A, misprinted.b, 8), 8);
}

TEST(ProvenOrder, CountsTheTreesOfOrderEight) {  // Gauss with four stages has order 8 and not 9
  const RungeKutta gauss8 = collocation(gauss_nodes(4));
  EXPECT_EQ(proven_order(gauss8.A, gauss8.b, 10), 8);
}

TEST(ProvenOrder, OfRuku6AsPrintedIsOne) {
  RungeKutta printed = method("ruku6");
  printed.A[4][3] = 6;
  printed.A[6][0] = frac(-783, 48);
  printed.A[7][0] = frac(761, 82);
  std::swap(printed.b[1], printed.b[2]);
  EXPECT_EQ(proven_order(printed.A, printed.b, 6), 1);
}

TEST(Assumptions, HoldForTheFamiliesAsButcherProved) {
  for (int s = 1; s <= 7; ++s) {
    const SimplifyingAssumptions gauss = simplifying_assumptions(collocation(gauss_nodes(s)));
    EXPECT_EQ(gauss.B, 2 * s);
    EXPECT_EQ(gauss.C, s);
    EXPECT_EQ(gauss.D, s);
    const SimplifyingAssumptions radau = simplifying_assumptions(collocation(radau_nodes(s)));
    EXPECT_EQ(radau.B, 2 * s - 1);
    EXPECT_EQ(radau.C, s);
    EXPECT_EQ(radau.D, s - 1);
  }
  const SimplifyingAssumptions lobatto = simplifying_assumptions(method("lobatto6"));
  EXPECT_EQ(lobatto.B, 6);
  EXPECT_EQ(lobatto.C, 3);
  EXPECT_EQ(lobatto.D, 3);
}

TEST(Assumptions, GiveTheOrderThatTheTreesProve) {
  for (const RungeKutta& entry : runge_kutta_methods()) {
    if (structure(entry) == Structure::FullyImplicit) {
      EXPECT_EQ(order_by_assumptions(entry), entry.order) << entry.name;
    } else {
      EXPECT_LE(order_by_assumptions(entry), entry.order) << entry.name;
    }
  }
}

TEST(Assumptions, NoticeAMisprintInTheNinthDigit) {
  RungeKutta misprinted = method("radau13");
  misprinted.A[3][1] += 1e-9L;
  misprinted.A[3][2] -= 1e-9L;
  EXPECT_LT(order_by_assumptions(misprinted), 13);
}

}  // namespace
}  // namespace daedalus::methods
