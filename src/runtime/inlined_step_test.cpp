// An inlined step, solved block by block, against the library's integrators with the same step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/runtime/model_system.hpp"
#include "daedalus/structure/inlining.hpp"
#include "runtime/sequence.hpp"

namespace daedalus::runtime {
namespace {

using structure::InlinedStep;
using structure::IntegratorPivots;

constexpr IntegratorPivots every_choice[] = {IntegratorPivots::States,
                                             IntegratorPivots::StatesAndDerivatives};

struct Example {
  engine::Analysis analysis;
  std::unique_ptr<ModelSystem> system;

  explicit Example(const std::string& file, const std::vector<engine::Setting>& settings = {})
      : analysis(engine::analyse_file(DAEDALUS_SOURCE_DIR + file, "", settings).value()) {
    Phases phases;
    system = engine::compile_system(*analysis.structured, phases).value();
  }
  const structure::StructuredModel& model() const { return *analysis.structured; }

  // Every variable at the start.
  std::vector<double> start() const {
    const Start start = system->initialise(0.0);
    EXPECT_FALSE(start.failure);
    return start.values;
  }
};

// Takes steps by interpretation of the sorted system.
class Stepper {
 public:
  // `values` of all variables of the model: parameters, and the guesses of each stage.
  Stepper(InlinedStep step, std::span<const double> values)
      : step_(std::move(step)), memory_(step_.sorted), symbols_(step_.symbol_count, 0.0) {
    std::copy_n(values.begin(), step_.stages.front().copies.size(), symbols_.begin());
    for (const structure::InlinedStage& stage : step_.stages) {
      for (std::size_t i = 0; i < stage.copies.size(); ++i) {
        if (!stage.copies[i].is_none()) symbols_[index(stage.copies[i])] = values[i];
      }
    }
    std::vector<structure::Kernel> kernels;
    for (const SequencePlan::Step& one : plan_sequence(step_.sorted, Part::All, kernels).steps) {
      if (one.block) {
        steps_.push_back({.block = one.block,
                          .functions = {interpreted(kernels[one.kernel]),
                                        interpreted(kernels[one.jacobian_kernel])}});
      } else {
        steps_.push_back({.assignments = interpreted(kernels[one.kernel])});
      }
    }
  }

  // Only with a Rosenbrock method.
  void set_jacobian(std::span<const double> entries) {
    for (std::size_t e = 0; e < entries.size(); ++e)
      symbols_[index(step_.jacobian.entries[e])] = entries[e];
  }

  double value(structure::VariableId id) const { return symbols_[index(id)]; }
  const InlinedStep& step() const { return step_; }

  bool take(double t, double h, std::vector<double>& y) {
    symbols_[index(model::FlatModel::time)] = t;
    symbols_[index(step_.step_size)] = h;
    for (std::size_t k = 0; k < y.size(); ++k) symbols_[index(step_.begin[k])] = y[k];
    if (run_sequence(steps_, step_.sorted, step_.attributes, symbols_.data(), memory_))
      return false;
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = symbols_[index(step_.end[k])];
    return true;
  }

 private:
  KernelFunction interpreted(const structure::Kernel& kernel) {
    const auto tape = std::make_shared<expr::Tape>();  // shared: std::function must be copyable
    for (const structure::Assignment& a : kernel.assignments)
      tape->assign(step_.flat.arena, a.target, a.value);
    for (const expr::ExprId id : kernel.outputs) tape->output(step_.flat.arena, id);
    return [tape, symbols = symbols_.size(), outputs = kernel.outputs.size()](
               double* in, double* out) { tape->run({in, symbols}, {out, outputs}); };
  }

  InlinedStep step_;
  BlockMemories memory_;
  std::vector<double> symbols_;
  std::vector<SequenceStep> steps_;
};

struct Steps {
  double size = 0.0;
  int count = 0;
};

// The largest difference between the step and the library's integrator after any of the steps,
// relative to the largest value of the state.
double largest_difference(const Example& example, InlinedStep step, const Steps& steps) {
  const methods::Method method = step.method;
  const std::vector<double> values = example.start();
  std::vector<double> y;
  for (const structure::VariableId id : example.model().states) y.push_back(values[index(id)]);
  const bool has_jacobian = !step.jacobian.entries.empty();
  Stepper stepper(std::move(step), values);

  const integrate::Options options{.stop = (steps.count + 1) * steps.size,
                                   .rtol = 1e-14,
                                   .atol = {1e-16},
                                   .fixed_step = steps.size};
  const auto integrator =
      integrate::make_integrator(methods::name(method), *example.system, options).value();
  EXPECT_FALSE(integrator->start(y));
  const auto scratch = example.system->make_scratch();
  const system::Held held = example.system->make_held();
  std::vector<double> jacobian(has_jacobian ? example.model().jacobian->entries.size() : 0);
  std::vector<double> largest, difference(y.size(), 0.0);
  for (const double value : y) largest.push_back(std::fabs(value));
  for (int i = 0; i < steps.count; ++i) {
    const double t = integrator->time();
    if (has_jacobian) example.system->jacobian(t, y, jacobian, {held, *scratch});
    stepper.set_jacobian(jacobian);
    const bool both_go_on = !integrator->advance() && stepper.take(t, steps.size, y);
    if (!both_go_on) return std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < y.size(); ++k) {
      const double expected = integrator->state()[k];
      largest[k] = std::max(largest[k], std::fabs(expected));
      difference[k] = std::max(difference[k], std::fabs(y[k] - expected));
    }
  }
  for (std::size_t k = 0; k < y.size(); ++k) difference[k] /= largest[k];
  return std::ranges::max(difference);
}

class InlinedRungeKutta : public testing::TestWithParam<methods::RungeKutta> {
 protected:
  void expect_agreement(const Example& example, const Steps& steps, double tolerance) {
    for (const IntegratorPivots pivots : every_choice) {
      InlinedStep step = structure::inline_step(example.model(), &GetParam(), pivots).value();
      EXPECT_LT(largest_difference(example, std::move(step), steps), tolerance)
          << "pivots " << static_cast<int>(pivots);
    }
  }
};

TEST_P(InlinedRungeKutta, TakesTheStepsOfTheLibraryInALinearCircuit) {
  expect_agreement(Example("/examples/rlc.mo"), {2.3e-6, 200}, 1e-12);
}

// Newton's method on either side ends with a correction of 1e-10 or less, and the error after that.
TEST_P(InlinedRungeKutta, TakesTheStepsOfTheLibraryWithADiode) {
  expect_agreement(Example("/examples/rectifier.mo"), {2e-5, 500}, 1e-11);
}

TEST_P(InlinedRungeKutta, TakesTheStepsOfTheLibraryInANonlinearOscillator) {
  expect_agreement(Example("/examples/van_der_pol.mo", {{"mu", "5"}}), {0.02, 500}, 1e-11);
}

TEST_P(InlinedRungeKutta, TakesTheStepsOfTheLibraryInAPendulumOfIndex3) {
  expect_agreement(Example("/tests/models/pendulum.mo"), {0.01, 20}, 1e-12);
}

TEST_P(InlinedRungeKutta, TakesTheStepsOfTheLibraryInALoopOfBooleans) {
  expect_agreement(Example("/tests/models/switches.mo"), {0.1, 60}, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, InlinedRungeKutta,
                         testing::ValuesIn(methods::runge_kutta_methods()), [](const auto& about) {
                           std::string name = about.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(InlinedStep, TakesTheStepsOfRosenbrockMethods) {
  const Example example("/examples/van_der_pol.mo", {{"mu", "5"}});
  for (const methods::Rosenbrock& method : methods::rosenbrock_methods()) {
    InlinedStep step = structure::inline_step(example.model(), &method).value();
    EXPECT_LT(largest_difference(example, std::move(step), {0.02, 500}), 1e-11) << method.name;
  }
}

// Some shortest time constant, and the largest difference in steps that are this many times as
// long.
struct Lengths {
  const char* file;
  double time_constant;

  double difference(const char* method, IntegratorPivots pivots, double times) const {
    const Example example(file);
    const methods::Method found = methods::require_method(method).value();
    return largest_difference(example,
                              structure::inline_step(example.model(), found, pivots).value(),
                              {times * time_constant, 10});
  }
};
constexpr Lengths rod = {"/examples/heat.mo", 1.0 / (21.0 * 21.0) / (4.0 * 0.1)};

// The same for the circuit, by varying the capacitor, because the source has a fixed frequency. The
// structure is that for the model's own capacitor.
double difference_in_circuit(const char* method, IntegratorPivots pivots, double times) {
  const Example written("/examples/rlc.mo");
  const double h = 2.3e-6, resistance = 1.0 / (1.0 / 100 + 1.0 / 20);
  const Example other("/examples/rlc.mo", {{"C", fmt::format("{:.17g}", h / times / resistance)}});
  const methods::Method found = methods::require_method(method).value();
  return largest_difference(other, structure::inline_step(written.model(), found, pivots).value(),
                            {h, 100});
}

constexpr const char* thesis_methods[] = {"radau3", "radau5", "lobatto4", "lobatto6", "hw-sdirk4"};

TEST(InlinedStep, KeepsItsDigitsInShortAndLongSteps) {
  for (const char* method : thesis_methods) {
    for (const double times : {1e-6, 1e-3, 1e3, 1e6})
      EXPECT_LT(rod.difference(method, IntegratorPivots::States, times), 1e-12) << method;
    for (const double times : {1e-3, 1e3, 1e6})
      EXPECT_LT(difference_in_circuit(method, IntegratorPivots::States, times), 1e-12) << method;
  }
}

// Why divisions by h are not the default. If this test no longer holds, docs/inline-integration.md
// has to be rewritten.
TEST(InlinedStep, LosesDigitsIfEquationsAreSolvedForDerivatives) {
  const IntegratorPivots pivots = IntegratorPivots::StatesAndDerivatives;
  EXPECT_GT(difference_in_circuit("radau5", pivots, 1e6), 1e-11);
  EXPECT_LT(difference_in_circuit("radau5", pivots, 1e6), 1e-8);
  EXPECT_GT(rod.difference("hw-sdirk4", pivots, 1e-4), 1e-8);
}

// The capacitor in a step of the circuit that is a small part of its time constant.
struct ShortStep {
  double voltage = 0.0;             // at the end
  std::vector<double> derivatives;  // in the stages

  ShortStep(const char* method, IntegratorPivots pivots) {
    const Example example("/examples/rlc.mo");
    const methods::Method found = methods::require_method(method).value();
    Stepper stepper(structure::inline_step(example.model(), found, pivots).value(),
                    example.start());
    std::vector<double> y = {0.1, 1.0};
    const double h = 1e-8 * 1e-6 / (1.0 / 100 + 1.0 / 20);
    EXPECT_TRUE(stepper.take(1e-5, h, y));
    voltage = y[1];
    for (const structure::InlinedStage& stage : stepper.step().stages)
      derivatives.push_back(stepper.value(stage.derivatives[1]));
  }
};

TEST(InlinedStep, LosesDigitsOfDerivativesButNotOfTheirStatesInShortSteps) {
  for (const char* method : {"radau3", "radau5", "lobatto4", "lobatto6"}) {
    const ShortStep divided(method, IntegratorPivots::StatesAndDerivatives);
    const ShortStep exact(method, IntegratorPivots::States);
    EXPECT_NEAR(divided.voltage / exact.voltage, 1.0, 1e-15) << method;
    double lost = 0.0;
    for (std::size_t i = 0; i < exact.derivatives.size(); ++i)
      lost = std::max(lost, std::fabs(divided.derivatives[i] / exact.derivatives[i] - 1.0));
    EXPECT_GT(lost, 1e-11) << method;
    EXPECT_LT(lost, 1e-5) << method;
  }
}

}  // namespace
}  // namespace daedalus::runtime
