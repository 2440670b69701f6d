#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

void PrintTo(const RungeKutta& method, std::ostream* out) { *out << method.name; }

namespace {

const RungeKutta& method(std::string_view name) { return *find_method(name); }

class EveryRungeKutta : public testing::TestWithParam<RungeKutta> {};

TEST_P(EveryRungeKutta, HasExactlyTheOrderItClaims) {
  EXPECT_EQ(proven_order(GetParam().A, GetParam().b, GetParam().order + 1), GetParam().order);
}

TEST_P(EveryRungeKutta, HasAnEmbeddedFormulaOfExactlyTheOrderItClaims) {
  const auto* embedded = std::get_if<Embedded>(&GetParam().error);
  if (embedded == nullptr) return;
  EXPECT_EQ(proven_order(GetParam().A, embedded->b, embedded->order + 1), embedded->order);
}

TEST_P(EveryRungeKutta, HasDenseOutputThatEndsInTheResult) {
  const Row end = dense_weights(GetParam(), 1);
  for (std::size_t i = 0; i < end.size(); ++i) {
    EXPECT_NEAR(end[i], i < GetParam().b.size() ? GetParam().b[i] : 0.0L, 1e-17);
  }
}

TEST_P(EveryRungeKutta, HasDenseOutputOfOneOrderLessInsideTheStep) {
  if (GetParam().dense.empty()) return;
  for (const Real x : {0.1L, 0.37L, 0.5L, 0.83L}) {
    EXPECT_GE(proven_order(GetParam().A, dense_weights(GetParam(), x), GetParam().order, x),
              GetParam().order - 1);
  }
}

TEST_P(EveryRungeKutta, SaysWhereItComesFrom) {
  EXPECT_FALSE(GetParam().title.empty());
  EXPECT_FALSE(GetParam().source.empty());
  EXPECT_EQ(find_method(GetParam().name)->title, GetParam().title);
}

std::string name_of(const testing::TestParamInfo<RungeKutta>& info) {
  std::string name = info.param.name;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryRungeKutta, testing::ValuesIn(runge_kutta_methods()),
                         name_of);

TEST(Catalogue, HasEachNameOnce) {
  std::set<std::string> names;
  for (const RungeKutta& entry : runge_kutta_methods())
    EXPECT_TRUE(names.insert(entry.name).second);
}

TEST(ProvenOrder, NoticesAMisprintInTheNinthDigit) {
  RungeKutta misprinted = method("dopri5");
  misprinted.A[3][1] += 1e-9L;
  EXPECT_LT(proven_order(misprinted.A, misprinted.b, 5), 5);
  misprinted = method("radau5");
  misprinted.b[1] -= 1e-9L;
  EXPECT_LT(proven_order(misprinted.A, misprinted.b, 5), 5);
}

TEST(ProvenOrder, CountsTheTreesOfOrderEight) {  // Gauss with four stages has order 8 and not 9
  const Real small = std::sqrt((3 - 2 * std::sqrt(Real{6} / 5)) / 7);
  const Real large = std::sqrt((3 + 2 * std::sqrt(Real{6} / 5)) / 7);
  const Row c = {(1 - large) / 2, (1 - small) / 2, (1 + small) / 2, (1 + large) / 2};
  const auto integral = [&](std::size_t j, Real x) {  // of the j-th Lagrange polynomial from 0 to x
    Row polynomial = {1};
    for (std::size_t k = 0; k < 4; ++k) {
      if (k == j) continue;
      Row next(polynomial.size() + 1);
      for (std::size_t m = 0; m < polynomial.size(); ++m) {
        next[m] -= polynomial[m] * c[k] / (c[j] - c[k]);
        next[m + 1] += polynomial[m] / (c[j] - c[k]);
      }
      polynomial = next;
    }
    Real sum = 0;
    for (std::size_t m = 0; m < polynomial.size(); ++m) {
      sum += polynomial[m] * std::pow(x, Real(m + 1)) / Real(m + 1);
    }
    return sum;
  };
  Matrix A(4, Row(4));
  Row b(4);
  for (std::size_t j = 0; j < 4; ++j) {
    b[j] = integral(j, 1);
    for (std::size_t i = 0; i < 4; ++i) A[i][j] = integral(j, c[i]);
  }
  EXPECT_EQ(proven_order(A, b, 9), 8);
}

TEST(Properties, OfRadau5AreThoseOfTheBook) {
  const RungeKutta& radau5 = method("radau5");
  EXPECT_EQ(stages(radau5), 3u);
  EXPECT_NEAR(nodes(radau5)[0], (4 - std::sqrt(6.0L)) / 10, 1e-18);
  EXPECT_EQ(structure(radau5), Structure::FullyImplicit);
  EXPECT_TRUE(is_stiffly_accurate(radau5));
  EXPECT_TRUE(is_a_stable(radau5));
  EXPECT_TRUE(is_l_stable(radau5));
  EXPECT_EQ(stage_order(radau5), 3);
}

TEST(Properties, OfDopri5AreThoseOfTheBook) {
  const RungeKutta& dopri5 = method("dopri5");
  EXPECT_EQ(stages(dopri5), 7u);
  EXPECT_EQ(structure(dopri5), Structure::Explicit);
  EXPECT_TRUE(is_first_same_as_last(dopri5));
  EXPECT_FALSE(is_a_stable(dopri5));
  EXPECT_EQ(stage_order(dopri5), 1);
  EXPECT_NEAR(real_stability_boundary(dopri5), 3.3066, 1e-4);
}

TEST(Properties, TellGaussFromRadauByStability) {
  const RungeKutta midpoint{
      .name = "midpoint", .title = "", .source = "", .order = 2, .A = {{0.5L}}, .b = {1}};
  EXPECT_TRUE(is_a_stable(midpoint));
  EXPECT_FALSE(is_l_stable(midpoint));
  EXPECT_FALSE(is_stiffly_accurate(midpoint));
  EXPECT_EQ(structure(midpoint), Structure::DiagonallyImplicit);
}

TEST(FindMethod, KnowsNoOtherNames) { EXPECT_EQ(find_method("radau7"), nullptr); }

TEST(RequireMethod, SuggestsTheNearestNameAndListsAll) {
  EXPECT_EQ(require_method("radua5").error().hint.find("did you mean `radau5`? the methods are "),
            0U);
  EXPECT_EQ(require_method("zzz").error().hint.find("the methods are radau5, dopri5"), 0U);
  EXPECT_EQ(std::get<const RungeKutta*>(*require_method("dopri5")), find_method("dopri5"));
  EXPECT_EQ(name(*require_method("rodas4")), "rodas4");
}

}  // namespace
}  // namespace daedalus::methods
