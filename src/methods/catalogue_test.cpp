// Properties of every method of the catalogue.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "daedalus/linalg/spectrum.hpp"
#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "methods/test_support.hpp"

namespace daedalus::methods {

void PrintTo(const RungeKutta& method, std::ostream* out) { *out << method.name; }

namespace {

using namespace testing_support;

class EveryRungeKutta : public testing::TestWithParam<RungeKutta> {};

TEST_P(EveryRungeKutta, HasExactlyTheOrderItClaims) {
  const RungeKutta& method = GetParam();
  if (method.order < highest_tree_order) {
    EXPECT_EQ(proven_order(method.A, method.b, method.order + 1), method.order);
  } else {
    EXPECT_EQ(proven_order(method.A, method.b, highest_tree_order), highest_tree_order);
    EXPECT_EQ(order_by_assumptions(method), method.order);
    EXPECT_EQ(simplifying_assumptions(method).B, method.order);  // not higher: B is necessary
  }
}

TEST_P(EveryRungeKutta, HasEmbeddedFormulasOfExactlyTheOrderTheyClaim) {
  std::vector<Embedded> formulas;
  if (const auto* one = std::get_if<Embedded>(&GetParam().error)) formulas = {*one};
  if (const auto* two = std::get_if<CombinedEmbedded>(&GetParam().error))
    formulas = {two->high, two->low};
  for (const Embedded& formula : formulas) {
    EXPECT_EQ(proven_order(GetParam().A, formula.b, formula.order + 1), formula.order);
  }
}

TEST_P(EveryRungeKutta, HasATwoStepEstimateOfExactlyThePowerItClaims) {
  const auto* estimate = std::get_if<TwoStep>(&GetParam().error);
  if (estimate == nullptr) return;
  EXPECT_EQ(two_step_power(GetParam(), *estimate, estimate->power), estimate->power);
}

TEST_P(EveryRungeKutta, FiltersOnlyWithTheOneRealEigenvalue) {
  if (!std::holds_alternative<FilteredQuadrature>(GetParam().error)) return;
  const auto spectrum = linalg::spectrum(full_matrix(GetParam()));
  ASSERT_TRUE(spectrum);
  EXPECT_EQ(
      std::ranges::count_if(spectrum->values,
                            [](const auto& value) { return std::abs(value.imag()) < 1e-12L; }),
      1);
}

TEST_P(EveryRungeKutta, HasWeightsOfSumOne) {
  Real sum = 0;
  for (const Real b : GetParam().b) sum += b;
  EXPECT_TRUE(near(sum, 1, 1e-16L));
}

TEST_P(EveryRungeKutta, HasDenseOutputThatEndsInTheResult) {
  const Row end = dense_weights(GetParam(), 1);
  for (std::size_t i = 0; i < end.size(); ++i) {
    EXPECT_TRUE(near(end[i], i < GetParam().b.size() ? GetParam().b[i] : 0.0L, 1e-17L));
  }
}

TEST_P(EveryRungeKutta, HasDenseOutputOfOneOrderLessInsideTheStep) {
  if (GetParam().dense.empty()) return;
  for (const Real x : {0.1L, 0.37L, 0.5L, 0.83L}) {
    EXPECT_GE(proven_order(GetParam().A, dense_weights(GetParam(), x), GetParam().order, x),
              GetParam().order - 1);
  }
}

TEST_P(EveryRungeKutta, HasAnExtensionThatEndsInTheResultAndHasOneOrderLessInside) {
  if (GetParam().extension.dense.empty()) return;
  const RungeKutta method = extended(GetParam());
  ASSERT_EQ(method.dense.size(), method.A.size());
  const Row end = dense_weights(method, 1);
  for (std::size_t i = 0; i < end.size(); ++i) {
    EXPECT_TRUE(near(end[i], i < method.b.size() ? method.b[i] : 0.0L, 1e-14L));
  }
  for (const Real x : {0.1L, 0.37L, 0.5L, 0.83L}) {
    EXPECT_GE(proven_order(method.A, dense_weights(method, x), method.order, x), method.order - 1);
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
  for (const RungeKutta& entry : runge_kutta_methods()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(entry.also.empty() || names.insert(entry.also).second) << entry.also;
  }
}

TEST(Catalogue, ShowsFullyThenDiagonallyImplicitThenExplicitMethodsByOrder) {
  const auto place = [](const RungeKutta& method) {
    const Structure kind = structure(method);
    const int family =
        kind == Structure::FullyImplicit ? 0 : (kind == Structure::DiagonallyImplicit ? 1 : 2);
    return std::pair(family, method.order);
  };
  EXPECT_TRUE(std::ranges::is_sorted(runge_kutta_methods(), {}, place));
}

struct PublishedNodes {
  const char* name;
  Row c;
};

void PrintTo(const PublishedNodes& published, std::ostream* out) { *out << published.name; }

class Published : public testing::TestWithParam<PublishedNodes> {};

TEST_P(Published, NodesAreTheSumsOfTheRows) {
  const Row c = nodes(extended(method(GetParam().name)));
  ASSERT_EQ(c.size(), GetParam().c.size());
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_TRUE(near(c[i], GetParam().c[i], 1e-15L)) << i;
}

const Real s2 = std::sqrt(Real{2});
const Real s6 = std::sqrt(Real{6});

INSTANTIATE_TEST_SUITE_P(
    Catalogue, Published,
    testing::Values(
        PublishedNodes{"rk43", {0, frac(1, 3), frac(2, 3), 1, 1}},
        PublishedNodes{"ruku5",
                       {0, frac(1, 8), frac(1, 4), frac(1, 2), frac(3, 4), 1, 1, frac(1, 3)}},
        PublishedNodes{"ruku6",
                       {0, frac(1, 9), frac(1, 6), frac(1, 3), frac(1, 2), frac(2, 3), frac(5, 6),
                        1, 1, frac(1, 3), frac(1, 4), frac(1, 2)}},
        PublishedNodes{"dopri5", {0, 0.2L, 0.3L, 0.8L, frac(8, 9), 1, 1}},
        PublishedNodes{"tsit5", {0, 0.161L, 0.327L, 0.9L, 0.98002554090450968573L, 1, 1}},
        PublishedNodes{"verner65",
                       {0, 0.06L, frac(1439, 15000), 0.1439L, 0.4973L, 0.9725L, 0.9995L, 1, 1, 0.5L,
                        0.828L, 0.28L}},
        PublishedNodes{"dop853",
                       {0, (6 - s6) * frac(2, 135), (6 - s6) / 45, (6 - s6) / 30, (6 + s6) / 30,
                        frac(1, 3), frac(1, 4), frac(4, 13), frac(127, 195), frac(3, 5), frac(6, 7),
                        1, 1, 0.1L, 0.2L, frac(7, 9)}},
        PublishedNodes{"hw-sdirk4", {0.25L, 0.75L, 0.55L, 0.5L, 1}},
        PublishedNodes{"esdirk4", {0, 0.5L, (2 - s2) / 4, 0.625L, 1.04L, 1}},
        PublishedNodes{"esdirk5",
                       {0, 0.368L, frac(7121331996143, 11335814405378), frac(49, 353),
                        frac(3706679970760, 5295570149437), frac(347, 382), 1}}));

}  // namespace
}  // namespace daedalus::methods
