// Every problem of the catalogue: its Jacobian, its pattern, its reference.
#include "daedalus/problems/problem.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <set>

#include "daedalus/engine/analysis.hpp"
#include "problems/families.hpp"

namespace daedalus::problems {

void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

namespace {

std::string name_of(const testing::TestParamInfo<Problem>& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

class EveryProblem : public testing::TestWithParam<Problem> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryProblem, testing::ValuesIn(problems()), name_of);

// Column by column, also for a sparse one.
std::vector<double> full_jacobian(const system::Functions& functions, double t,
                                  std::span<const double> y) {
  const std::size_t n = functions.size;
  std::vector<double> full(n * n, 0.0);
  if (!functions.pattern) {
    functions.jacobian(t, y, full);
    return full;
  }
  std::vector<double> values(functions.pattern->entries(), 0.0);
  functions.jacobian(t, y, values);
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = functions.pattern->starts[j]; k < functions.pattern->starts[j + 1]; ++k) {
      full[static_cast<std::size_t>(functions.pattern->rows[k]) + j * n] = values[k];
    }
  }
  return full;
}

// The size of the terms that add up to f_i, as far as the Jacobian shows it.
std::vector<double> term_sizes(const system::Functions& functions, double t,
                               std::span<const double> y, std::span<const double> J) {
  const std::size_t n = functions.size;
  std::vector<double> sizes(n);
  functions.f(t, y, sizes);
  for (double& size : sizes) size = std::abs(size);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i)
      sizes[i] += std::abs(J[i + j * n]) * (std::abs(y[j]) + 1e-7);
  }
  return sizes;
}

// df/dy_j by central differences of order 4.
std::vector<double> difference_column(const system::Functions& functions, double t,
                                      std::vector<double> y, std::size_t j, double step) {
  const double middle = y[j];
  std::vector<double> column(functions.size, 0.0), f(functions.size);
  for (const auto& [steps, weight] : {std::pair{-2, 1.0}, {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
    y[j] = middle + steps * step;
    functions.f(t, y, f);
    for (std::size_t i = 0; i < f.size(); ++i) column[i] += weight / (12.0 * step) * f[i];
  }
  return column;
}

// Empty, or the first entry that differences do not confirm. They err by their rounding: 1e-14 of
// the terms of f over the step.
std::string wrong_entry(const system::Functions& functions, double t,
                        const std::vector<double>& y) {
  const std::size_t n = functions.size;
  const std::vector<double> J = full_jacobian(functions, t, y);
  const std::vector<double> sizes = term_sizes(functions, t, y, J);
  for (std::size_t j = 0; j < n; ++j) {
    const double step = 1e-5 * std::max(std::abs(y[j]), 1e-2);
    const std::vector<double> column = difference_column(functions, t, y, j, step);
    for (std::size_t i = 0; i < n; ++i) {
      const double given = J[i + j * n];
      const double allowed = 1e-8 * std::abs(given) + 1e-14 * sizes[i] / step;
      if (!(std::abs(column[i] - given) <= allowed)) {
        return fmt::format("({}, {}) is {:g}, by differences {:g}", i, j, given, column[i]);
      }
    }
  }
  return {};
}

// A point nearby at which no component is zero.
std::vector<double> perturbed(const Problem& problem) {
  std::vector<double> y = problem.y0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] +=
        0.01 * (1.0 + std::abs(y[i])) * (0.75 + 0.25 * std::sin(static_cast<double>(7 * i + 1)));
  }
  return y;
}

TEST_P(EveryProblem, HasTheJacobianOfItsFunction) {
  const Problem& problem = GetParam();
  ASSERT_EQ(problem.functions.size, problem.y0.size());
  EXPECT_EQ(wrong_entry(problem.functions, problem.t0, problem.y0), "");
  const double middle = 0.5 * (problem.t0 + problem.t1);
  EXPECT_EQ(wrong_entry(problem.functions, middle, perturbed(problem)), "");
}

TEST(WrongEntry, IsFoundInTheSixthDigitAndOutsideThePattern) {
  system::Functions hires = find_problem("hires")->functions;
  hires.jacobian = [right = hires.jacobian](double t, auto y, auto values) {
    right(t, y, values);
    values[5 + 5 * 8] *= 1.000001;
  };
  EXPECT_THAT(wrong_entry(hires, 0.0, perturbed(*find_problem("hires"))),
              testing::StartsWith("(5, 5)"));

  const Problem& heat = *find_problem("heat1d");
  system::Functions diagonal = heat.functions;
  diagonal.pattern = linalg::Sparsity{.size = heat.size()};
  for (int j = 0; j < static_cast<int>(heat.size()); ++j) {
    diagonal.pattern->starts.push_back(j + 1);
    diagonal.pattern->rows.push_back(j);
  }
  diagonal.jacobian = [](double, auto, auto values) {
    std::ranges::fill(values, -2.0 * 1001.0 * 1001.0);
  };
  EXPECT_THAT(wrong_entry(diagonal, 0.0, heat.y0), testing::StartsWith("(1, 0) is 0"));
}

// Empty, or what is wrong with it.
std::string disorder(const linalg::Sparsity& pattern, std::size_t n) {
  if (pattern.size != n || pattern.starts.size() != n + 1) return "its size";
  if (static_cast<std::size_t>(pattern.starts.back()) != pattern.entries()) return "its end";
  for (std::size_t j = 0; j < n; ++j) {
    const auto begin = pattern.rows.begin() + pattern.starts[j];
    const auto end = pattern.rows.begin() + pattern.starts[j + 1];
    const bool increasing = std::adjacent_find(begin, end, std::greater_equal<>()) == end;
    if (!increasing) return fmt::format("column {}", j);
  }
  return {};
}

TEST_P(EveryProblem, HasPartsThatFitTogether) {
  const Problem& problem = GetParam();
  const Reference& reference = problem.reference;
  ASSERT_FALSE(reference.values.empty());
  EXPECT_GE(reference.digits, 8.0);
  EXPECT_EQ(reference.values.size(),
            reference.components.empty() ? problem.size() : reference.components.size());
  EXPECT_THAT(reference.components, testing::Each(testing::Lt(problem.size())));
  EXPECT_GT(problem.t1, problem.t0);
  EXPECT_GT(problem.scale, 0.0);
  EXPECT_FALSE(problem.title.empty() || problem.source.empty());
  if (problem.functions.pattern) {
    EXPECT_EQ(disorder(*problem.functions.pattern, problem.size()), "");
  }
}

double digits_with(const Problem& problem, const std::string& method, double rtol) {
  const Result<solution::Solution> solution = engine::solve(
      {.functions = problem.functions, .y0 = problem.y0}, {.start = problem.t0,
                                                           .stop = problem.t1,
                                                           .rtol = rtol,
                                                           .atol = rtol * problem.scale,
                                                           .intervals = 1,
                                                           .method = method});
  EXPECT_TRUE(solution.has_value() && solution->outcome.finished());
  const solution::Table& table = solution->table;
  std::vector<double> y;
  for (const solution::Variable& variable : table.variables) {
    y.push_back(table.value(variable, table.rows() - 1));
  }
  return accuracy(problem, y, rtol * problem.scale).mescd;
}

// The digits that radau5 must reach, with the reason where they are fewer than elsewhere.
struct Demand {
  std::string name;
  double rtol = 1e-11;
  double digits = 9.2;  // the errors of up to 10^4 steps at 1e-11 add up to less than 100 of them
  const char* why = "";
};

Demand demand_for(const std::string& name) {
  static const Demand special[] = {
      {"arenstorf", 1e-12, 6.8, "passing the moon magnifies errors by 1e5"},
      {"lorenz", 1e-12, 9.0, "chaos: errors grow by 1e4 until 10"},
      {"pleiades", 1e-12, 9.0, "encounters of stars magnify errors"},
      {"e5-long", 1e-11, 5.0, "rounding makes y2 - y3 - y4 drift by 1e-25"},
      {"medakzo", 1e-11, 9.0, "the jump at 5 is not told to the integrator"},
      {"ring-modulator", 1e-8, 5.0, "10^5 steps and more; a tighter run would take too long"},
      {"treeaporn-scalar", 1e-12, 9.2,
       "errors of either sign cancel at the end, more or less by chance"},
      {"bruss2d", 1e-7, 6.0, "a tighter run would take too long; dopri5 checks more digits"},
  };
  const auto found = std::ranges::find(special, name, &Demand::name);
  return found == std::end(special) ? Demand{.name = name} : *found;
}

TEST_P(EveryProblem, IsSolvedByRadau5ToItsReference) {
  const Problem& problem = GetParam();
  const Demand demand = demand_for(problem.name);
  const double digits = digits_with(problem, "radau5", demand.rtol);
  RecordProperty("digits", fmt::format("{:.1f}", digits));
  EXPECT_GE(digits, std::min(demand.digits, problem.reference.digits - 0.5)) << demand.why;
}

TEST(Problems, WithoutStiffnessAreSolvedByDopri5ToTheirReferences) {
  for (const Problem& problem : problems()) {
    if (problem.kind == Kind::Stiff) continue;
    const double demand = demand_for(problem.name).digits;
    EXPECT_GE(digits_with(problem, "dopri5", 1e-12), demand) << problem.name;
  }
  EXPECT_GE(digits_with(*find_problem("bruss2d"), "dopri5", 1e-12), 10.0);
}

TEST(Problems, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Problem& problem : problems()) {
    EXPECT_TRUE(names.insert(problem.name).second) << problem.name;
    EXPECT_THAT(problem.name, testing::MatchesRegex("[a-z0-9-]+"));
    EXPECT_EQ(find_problem(problem.name), &problem);
  }
}

TEST(Problems, AreSuggestedWhenTheNameIsNearlyRight) {
  const Result<const Problem*> found = require_problem("robetson");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, "usage.unknown-problem");
  EXPECT_THAT(found.error().hint, testing::HasSubstr("`robertson`"));
  EXPECT_THAT(require_problem("nonsense").error().hint, testing::HasSubstr("daedalus problems"));
}

// The weighted sums that do not change along the solution: f keeps them to rounding.
TEST(Problems, KeepTheirInvariants) {
  struct Invariant {
    const char* name;
    std::vector<double> weights;
  };
  for (const Invariant& invariant : {Invariant{"robertson", {1, 1, 1}},
                                     {"detest-d3", {1, 0, 1, 0}},
                                     {"detest-d3", {0, 1, 1, 2}},
                                     {"detest-d4", {1, 1, -1}},
                                     {"detest-d6", {1, 1, 1}},
                                     {"detest-e5", {0, 1, -1, -1}},
                                     {"e5-long", {0, 1, -1, -1}},
                                     {"hires", {0, 0, 0, 0, 0, 0, 1, 1}}}) {
    const Problem& problem = *find_problem(invariant.name);
    std::vector<double> dydt(problem.size());
    problem.functions.f(0.0, perturbed(problem), dydt);
    double sum = 0.0, size = 0.0;
    for (std::size_t i = 0; i < dydt.size(); ++i) {
      sum += invariant.weights[i] * dydt[i];
      size += std::abs(invariant.weights[i] * dydt[i]);
    }
    EXPECT_LE(std::abs(sum), 1e-15 * size) << invariant.name;
  }
}

TEST(Problems, StartTheColumnInItsSteadyStateBeforeTheStep) {
  const Problem& column = *find_problem("cameron-5-distillation");
  std::vector<double> slopes(column.size());
  distillation(410.0).f(0.0, column.y0, slopes);
  EXPECT_THAT(slopes, testing::Each(testing::DoubleNear(0.0, 1e-11)));
  column.functions.f(0.0, column.y0, slopes);
  EXPECT_THAT(slopes, testing::Contains(testing::Gt(1.0)));
}

TEST(Accuracy, LeavesOutOfTheRelativeErrorWhatIsBelowTheAbsoluteTolerance) {
  const Problem problem{.y0 = {0, 0}, .reference = {.values = {2.0, 1e-9}}, .scale = 1.0};
  const Accuracy accurate = accuracy(problem, std::vector{2.002, 0.0}, 1e-6);
  EXPECT_NEAR(*accurate.max_relative_error, 1e-3, 1e-12);
  EXPECT_NEAR(*accurate.scd, 3.0, 1e-9);
  EXPECT_NEAR(accurate.mescd, -std::log10(0.002 / 3.0), 1e-9);
  EXPECT_EQ(*accuracy(problem, std::vector{2.0, 0.0}, 1e-12).max_relative_error, 1.0);
  EXPECT_FALSE(accuracy(problem, std::vector{2.0, 0.0}, 10.0).scd.has_value());
}

TEST(Accuracy, OfWhatIsNotFiniteIsNone) {
  const Problem problem{.y0 = {0}, .reference = {.values = {1.0}}};
  const Accuracy none = accuracy(problem, std::vector{std::nan("")}, 1e-6);
  EXPECT_TRUE(std::isinf(*none.max_relative_error));
  EXPECT_LT(none.mescd, -300.0);
}

}  // namespace
}  // namespace daedalus::problems
