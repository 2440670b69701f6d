// The models of examples/bench against the equivalent built-in problems: the same states, start
// values, end and derivatives, and the reference at the end. Also the scalable models there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/problems/problem.hpp"

namespace daedalus {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> every_model() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(DAEDALUS_SOURCE_DIR "/examples/bench")) {
    if (entry.path().extension() == ".mo") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class EveryBenchModel : public testing::TestWithParam<std::string> {
 protected:
  EveryBenchModel()
      : model(
            engine::load(DAEDALUS_SOURCE_DIR "/examples/bench/" + GetParam() + ".mo", "").value()) {
    std::string name = GetParam();
    std::ranges::replace(name, '_', '-');
    problem = problems::find_problem(name);
  }

  std::vector<double> start_values() const {
    const runtime::Start start = model.system->initialise(0.0);
    EXPECT_FALSE(start.failure);
    return model.system->states_in(start.values);
  }

  engine::Model model;
  const problems::Problem* problem = nullptr;
};

TEST_P(EveryBenchModel, StartsAndEndsAsItsProblem) {
  ASSERT_NE(problem, nullptr) << "no built-in problem is called so";
  ASSERT_TRUE(model.experiment.stop_time);
  EXPECT_EQ(problem->t0, 0.0);
  EXPECT_EQ(*model.experiment.stop_time, problem->t1);
  EXPECT_EQ(start_values(), problem->y0);
}

TEST_P(EveryBenchModel, HasTheDerivativesOfItsProblem) {
  ASSERT_NE(problem, nullptr);
  const std::size_t n = problem->size();
  ASSERT_EQ(model.system->size(), n);
  const auto scratch = model.system->make_scratch();
  const system::Held held = model.system->make_held();
  std::vector<double> ours(n), theirs(n);
  for (const double share : {0.0, 0.3, 0.7, 1.0, 1.5}) {
    // Between the start and the end, plus a small perturbation, so that nothing is 0.
    std::vector<double> y = problem->y0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] += share * (problem->reference.values[i] - y[i]) +
              share * problem->scale * std::sin(1.0 + double(i));
    }
    ASSERT_EQ(model.system->derivatives(0.0, y, ours, {held, *scratch}),
              system::Evaluation::Defined);
    problem->functions.f(0.0, y, theirs);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LE(std::fabs(ours[i] - theirs[i]), 1e-13 * std::fabs(theirs[i]))
          << model.system->variable_name(i) << " at " << share << ": " << ours[i] << " for "
          << theirs[i];
    }
  }
}

// To 4 digits: rounding errors leave no more of `e5_long` for any method.
TEST_P(EveryBenchModel, EndsAtTheReferenceOfItsProblem) {
  ASSERT_NE(problem, nullptr);
  const solution::Solution solution = engine::simulate(model, {.rtol = 1e-8}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  std::vector<double> y(problem->size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = solution.final_value(model.system->variable_name(i));
  }
  EXPECT_GT(problems::accuracy(*problem, y, 0.0).mescd, 4.0);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryBenchModel, testing::ValuesIn(every_model()),
                         [](const auto& about) { return about.param; });

// The models with many algebraic variables for each state, in three sizes.
class EveryNetwork : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  EveryNetwork()
      : model(engine::load(
                  std::string(DAEDALUS_SOURCE_DIR "/examples/bench/") + std::get<0>(GetParam()), "",
                  {{"n", std::to_string(std::get<1>(GetParam()))}})
                  .value()) {}

  engine::Model model;
};

TEST_P(EveryNetwork, HasManyAlgebraicVariablesAndOneTearingVariableInEachLoop) {
  const structure::StructuredModel& structured = model.system->model();
  const auto n = static_cast<std::size_t>(std::get<1>(GetParam()));
  EXPECT_LE(structured.index, 1);
  EXPECT_GE(structured.equation_count - structured.states.size(), 6 * n);
  EXPECT_GE(structured.equation_count, 4 * structured.states.size());
  for (const structure::Block& block : structured.dynamics.blocks) {
    EXPECT_LE(block.tearing.size(), 1U);
  }
}

TEST_P(EveryNetwork, EndsAtTheSameValuesWithMethodsOfDifferentKinds) {
  const solution::Solution radau =
      engine::simulate(model, {.rtol = 1e-10, .method = "radau"}).value();
  const solution::Solution rodas =
      engine::simulate(model, {.rtol = 1e-9, .method = "rodas5p"}).value();
  ASSERT_TRUE(radau.outcome.finished()) << radau.outcome.message;
  ASSERT_TRUE(rodas.outcome.finished()) << rodas.outcome.message;
  for (std::size_t i = 0; i < model.system->size(); ++i) {
    const std::string name = model.system->variable_name(i);
    const double value = radau.final_value(name);
    EXPECT_NEAR(rodas.final_value(name), value, 1e-7 * (1e-2 + std::fabs(value))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryNetwork,
                         testing::Combine(testing::Values("circuits/bridge_ladder.mo",
                                                          "circuits/diode_clippers.mo",
                                                          "drives/drive_train.mo"),
                                          testing::Values(1, 2, 10)));

}  // namespace
}  // namespace daedalus
