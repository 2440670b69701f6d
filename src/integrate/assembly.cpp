#include "integrate/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/methods/method.hpp"
#include "integrate/diagonal/diagonal_stepper.hpp"
#include "integrate/family.hpp"
#include "integrate/generated/generated_diagonal.hpp"
#include "integrate/generated/generated_explicit.hpp"
#include "integrate/generated/generated_implicit.hpp"
#include "integrate/generated/generated_regression.hpp"
#include "integrate/generated/generated_rosenbrock.hpp"
#include "integrate/implicit/variable_order_stepper.hpp"
#include "integrate/multistep/multistep_stepper.hpp"
#include "integrate/newton/convergence.hpp"
#include "integrate/regression/regression_stepper.hpp"
#include "integrate/switching/switching_stepper.hpp"
#include "integrate/taylor/taylor_stepper.hpp"

namespace daedalus::integrate {
namespace {

constexpr double tight_rtol = 1e-5;        // below it, a variable order starts above the lowest
constexpr double very_tight_rtol = 2e-7;   // and below this, it never takes the lowest
constexpr double tight_start_rtol = 1e-8;  // below it, order 3 is too low for a multistep start

// A fixed step cannot be shortened, so it may take more iterations than one that can.
constexpr int most_iterations_of_a_fixed_step = 20;

Estimation estimation_for(const Options& options) {
  return options.fixed_step > 0.0 ? Estimation::Off : Estimation::On;
}

// The task for which a stepper is made.
struct Task {
  const system::System& system;
  NewtonLimits limits;
  Estimation estimation;
  const ErrorNorm& norm;
};

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const ExplicitCoefficients> coefficients,
                                      const Task& task) {
  return std::make_unique<ExplicitStepper>(std::move(coefficients), task.system.size(),
                                           task.estimation);
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const DiagonalCoefficients> coefficients,
                                      const Task& task) {
  return std::make_unique<DiagonalStepper>(std::move(coefficients), task.system, task.limits,
                                           task.estimation);
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                                      const Task& task) {
  return std::make_unique<ImplicitStepper>(std::move(coefficients), task.system, task.limits,
                                           task.estimation);
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const RosenbrockCoefficients> coefficients,
                                      const Task& task) {
  return std::make_unique<RosenbrockStepper>(std::move(coefficients), task.system, task.estimation);
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const RosenbrockCoefficients> coefficients,
                                      const Task& task, const StepCode& code) {
  return std::make_unique<GeneratedRosenbrock>(std::move(coefficients), task.system, code,
                                               task.norm, task.estimation);
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                                      const Task& task, const StepCode& code) {
  const GeneratedImplicit::Setup setup{code, task.norm, task.limits, task.estimation};
  return std::make_unique<GeneratedImplicit>(std::move(coefficients), task.system, setup,
                                             std::make_shared<Jacobian>(task.system));
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const DiagonalCoefficients> coefficients,
                                      const Task& task, const StepCode& code) {
  return std::make_unique<GeneratedDiagonal>(std::move(coefficients), task.system, code, task.norm,
                                             task.limits, task.estimation);
}

std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const ExplicitCoefficients> coefficients,
                                      const Task& task, const StepCode& code) {
  return std::make_unique<GeneratedExplicit>(std::move(coefficients), task.system.size(), code,
                                             task.norm, task.estimation);
}

// Why the method cannot solve a system in which y' is not given explicitly; empty where it can.
std::string why_not(const ExplicitCoefficients&, system::Form) { return "it is explicit"; }

std::string why_not(const DiagonalCoefficients& coefficients, system::Form) {
  return coefficients.is_stiffly_accurate ? "" : "it is not stiffly accurate";
}

std::string why_not(const ImplicitCoefficients& coefficients, system::Form) {
  return coefficients.end_derivative.empty() ? "it is not stiffly accurate" : "";
}

std::string why_not(const RosenbrockCoefficients&, system::Form form) {
  return form == system::Form::Residual ? "it needs M y' = f(t, y)" : "";
}

std::string_view form_text(system::Form form) {
  return form == system::Form::Mass ? "a system with a mass matrix" : "a system in residual form";
}

std::optional<Error> check_form(const auto& coefficients, std::string_view name,
                                const system::System& system) {
  const system::Form form = system.form();
  if (form == system::Form::Explicit) return std::nullopt;
  const std::string why = why_not(coefficients, form);
  if (why.empty()) return std::nullopt;
  return Error{"usage.method-unsuited",
               fmt::format("`{}` cannot solve {}: {}", name, form_text(form), why),
               form == system::Form::Mass ? "take radau5, rodas4 or another stiffly accurate method"
                                          : "take radau5 or another stiffly accurate method"};
}

// A method without an estimate cannot choose its steps.
std::optional<Error> check_steps(const Formula& formula, std::string_view name,
                                 const Options& options) {
  if (formula.estimate_power > 0 || options.fixed_step > 0.0) return std::nullopt;
  return Error{"usage.method-needs-step",
               fmt::format("`{}` cannot choose its steps: it does not estimate its error", name),
               "give it a fixed step, or take a method with an error estimate"};
}

// Whether f at the end of a step shows that its stages were not iterated enough.
bool can_be_contradicted(const DiagonalCoefficients& coefficients) {
  return coefficients.is_stiffly_accurate;
}
bool can_be_contradicted(const ImplicitCoefficients& coefficients) {
  return !coefficients.end_derivative.empty();
}
bool can_be_contradicted(const auto&) { return true; }

std::size_t stages_at_once(const ImplicitCoefficients& coefficients) { return coefficients.stages; }
std::size_t stages_at_once(const auto&) { return 1; }

// The loop around the stepper of the family.
template <class Coefficients>
Result<StepLoopParts> assemble(std::shared_ptr<const Coefficients> coefficients,
                               std::string_view name, const system::System& system,
                               const Options& options, std::span<const StepCode> codes) {
  Formula formula = coefficients->formula;
  if (const auto error = check_steps(formula, name, options)) return *error;
  if (const auto error = check_form(*coefficients, name, system)) return *error;
  if (!std::is_same_v<Coefficients, ExplicitCoefficients>) {
    if (auto error = check_room(system)) return *error;
  }
  ErrorNorm norm = norm_for(formula, options, system.size());
  NewtonLimits limits = newton_limits(stages_at_once(*coefficients), norm.rtol());
  // A tolerance that was lowered because of the estimate does not require more accurate stages.
  if (norm.rtol() < options.rtol) {
    limits.accuracy =
        std::max(limits.accuracy, std::min(0.03, limits.accuracy / formula.estimate_share));
  }
  if (options.fixed_step > 0.0) limits.most_iterations = most_iterations_of_a_fixed_step;
  if (!can_be_contradicted(*coefficients)) limits.least_remaining = good_rate;
  formula.most_iterations = limits.most_iterations;
  const Task task{system, limits, estimation_for(options), norm};
  std::unique_ptr<Stepper> stepper =
      codes.empty() ? make_stepper(std::move(coefficients), task)
                    : make_stepper(std::move(coefficients), task, codes.front());
  if (!codes.empty()) formula.sets_scale = true;
  std::vector<Regime> regimes;
  regimes.emplace_back(formula, std::move(norm));
  return StepLoopParts{std::move(stepper), std::move(regimes)};
}

// With a regime for each order.
Result<StepLoopParts> assemble(
    const std::vector<std::shared_ptr<const ImplicitCoefficients>>& levels, std::string_view name,
    const system::System& system, const Options& options, std::span<const StepCode> codes) {
  if (options.fixed_step > 0.0) {
    return Error{"usage.method-unsuited",
                 fmt::format("`{}` changes its order with the step size, which is fixed", name),
                 "take a method of one order, for example radau5"};
  }
  if (auto error = check_room(system)) return *error;
  const double rtol = options.norm != Norm::Euclidean ? options.rtol : 1.0;
  const LevelRange range{.first = rtol <= tight_rtol ? 1U : 0U,
                         .lowest = rtol <= very_tight_rtol ? 1U : 0U};
  const auto jacobian = std::make_shared<Jacobian>(system);
  std::vector<std::unique_ptr<ImplicitStepper>> library;
  std::vector<std::unique_ptr<GeneratedImplicit>> generated;
  std::vector<Regime> regimes;
  for (const std::shared_ptr<const ImplicitCoefficients>& level : levels) {
    Regime regime{level->formula, norm_for(level->formula, options, system.size())};
    const NewtonLimits limits = newton_limits(level->stages, regime.norm.rtol());
    regime.formula.most_iterations = limits.most_iterations;
    regime.formula.sets_scale |= !codes.empty();
    const Estimation estimation = estimation_for(options);
    if (codes.empty()) {
      library.push_back(
          std::make_unique<ImplicitStepper>(level, system, limits, estimation, jacobian));
    } else {
      const GeneratedImplicit::Setup setup{codes[generated.size()], regime.norm, limits,
                                           estimation};
      generated.push_back(std::make_unique<GeneratedImplicit>(level, system, setup, jacobian));
    }
    regimes.push_back(std::move(regime));
  }
  std::unique_ptr<Stepper> stepper;
  if (codes.empty()) {
    stepper = std::make_unique<VariableOrderStepper<ImplicitStepper>>(std::move(library), range);
  } else {
    stepper =
        std::make_unique<VariableOrderStepper<GeneratedImplicit>>(std::move(generated), range);
  }
  return StepLoopParts{std::move(stepper), std::move(regimes)};
}

// A Taylor method consists only of its generated step.
Result<StepLoopParts> assemble(const std::shared_ptr<const TaylorCoefficients>& coefficients,
                               std::string_view name, const system::System& system,
                               const Options& options, std::span<const StepCode> codes) {
  if (codes.empty()) {
    return Error{
        "usage.method-needs-model",
        fmt::format("`{}` needs a model: it differentiates the equations of its text, which "
                    "functions do not show",
                    name),
        "take dop853, or write the equations as a model"};
  }
  Regime regime{coefficients->formula, norm_for(coefficients->formula, options, system.size())};
  auto stepper = std::make_unique<TaylorStepper>(*coefficients, codes.front(), regime.norm,
                                                 estimation_for(options));
  std::vector<Regime> regimes;
  regimes.push_back(std::move(regime));
  return StepLoopParts{std::move(stepper), std::move(regimes)};
}

// The one-step method that gives a multistep method its past values, and their order.
struct StartingMethod {
  std::string_view name;
  int order = 1;
};

// With steps chosen by the error, the past values lie on the dense output of one step; with fixed
// steps, each is the end of one.
StartingMethod starting_method(const methods::Multistep& method, const Options& options) {
  const int highest = method.highest_order;
  if (const methods::RungeKutta* const given = options.starting_formula) {
    return {given->name, options.fixed_step > 0.0 ? highest : std::min(given->order, highest)};
  }
  if (options.fixed_step > 0.0) {
    return {highest <= 4 ? "radau5" : highest <= 8 ? "radau9" : "radau13", highest};
  }
  if (method.kind == methods::MultistepKind::Adams) return {"dopri5", std::min(4, highest)};
  if (method.lowest_order > 5) return {"radau13", highest};
  const bool is_tight = options.norm != Norm::Euclidean && options.rtol <= tight_start_rtol;
  if (is_tight || method.lowest_order > 3) return {"radau9", std::min(5, highest)};
  return {"radau5", std::min(3, highest)};
}

template <class Coefficients>
Result<std::unique_ptr<RungeKuttaStarter>> make_starter(
    std::shared_ptr<const Coefficients> coefficients, const StartingMethod& starting,
    const system::System& system, const Options& options) {
  if (const auto error = check_steps(coefficients->formula, starting.name, options)) return *error;
  if (const auto error = check_form(*coefficients, starting.name, system)) return *error;
  if (coefficients->formula.needs_two_steps && options.fixed_step == 0.0) {
    return Error{"usage.method-unsuited",
                 fmt::format("`{}` cannot start another method: it estimates no error in its first "
                             "step",
                             starting.name),
                 "take a method whose estimate needs one step"};
  }
  Regime regime{coefficients->formula, norm_for(coefficients->formula, options, system.size())};
  NewtonLimits limits = newton_limits(stages_at_once(*coefficients), regime.norm.rtol());
  if (options.fixed_step > 0.0) limits.most_iterations = most_iterations_of_a_fixed_step;
  regime.formula.most_iterations = limits.most_iterations;
  const Task task{system, limits, estimation_for(options), regime.norm};
  std::unique_ptr<Stepper> stepper = make_stepper(std::move(coefficients), task);
  return std::make_unique<RungeKuttaStarter>(std::move(stepper), std::move(regime), starting.order,
                                             options.fixed_step, system.size());
}

// Null if the start does not need one.
Result<std::unique_ptr<RungeKuttaStarter>> make_starter(const methods::Multistep& method,
                                                        const system::System& system,
                                                        const Options& options) {
  const bool is_needed =
      options.fixed_step > 0.0 || options.runge_kutta_start == RungeKuttaStart::Always ||
      (options.runge_kutta_start == RungeKuttaStart::BehindEvents && system.events() != nullptr);
  if (!is_needed) return std::unique_ptr<RungeKuttaStarter>();
  const StartingMethod starting = starting_method(method, options);
  Result<Family> family = options.starting_formula != nullptr
                              ? derive_family(*options.starting_formula)
                              : family_of(methods::require_method(starting.name).value());
  if (!family) return family.error();
  return std::visit(
      [&](auto& coefficients) -> Result<std::unique_ptr<RungeKuttaStarter>> {
        constexpr bool is_runge_kutta =
            requires(const Task& task) { make_stepper(coefficients, task); };
        DAEDALUS_CHECK(is_runge_kutta);
        if constexpr (is_runge_kutta)
          return make_starter(std::move(coefficients), starting, system, options);
      },
      *family);
}

// Multistep methods choose the next step from their past.
std::optional<Error> check_controller(std::string_view method, const Options& options) {
  if (options.controller == Controller::Family) return std::nullopt;
  return Error{"usage.method-unsuited",
               fmt::format("`{}` has a control of its own: `{}` knows nothing of its past", method,
                           controller_name(options.controller)),
               "leave the controller to the method, or take a one-step method"};
}

Result<StepLoopParts> assemble(const methods::Multistep& method, const system::System& system,
                               const Options& options) {
  if (const auto error = check_controller(method.name, options)) return *error;
  if (options.fixed_step > 0.0 && method.lowest_order < method.highest_order) {
    return Error{
        "usage.method-unsuited",
        fmt::format("`{}` changes its order with the step size, which is fixed", method.name),
        "take a method of one order, for example bdf2"};
  }
  if (method.kind == methods::MultistepKind::Adams && system.form() != system::Form::Explicit) {
    return Error{"usage.method-unsuited",
                 fmt::format("`{}` cannot solve {}: it iterates without a Jacobian", method.name,
                             form_text(system.form())),
                 "take bdf, radau5 or another method for implicit equations"};
  }
  Options chosen = options;
  NewtonSolverChoice choice;
  if (method.kind != methods::MultistepKind::Adams) {
    choice = choose_newton_solver(system, options.linear_solver);
    // Runge-Kutta steps would solve their systems by elimination.
    const bool has_order_one = method.lowest_order == 1;
    if (choice.solver != NewtonSolver::Direct && has_order_one)
      chosen.runge_kutta_start = RungeKuttaStart::Never;
    if (choice.solver != NewtonSolver::MatrixFree) {
      if (auto error = check_room(system)) return *error;
    }
  }
  Result<std::unique_ptr<RungeKuttaStarter>> starter = make_starter(method, system, chosen);
  if (!starter) return starter.error();
  std::vector<Regime> regimes;
  regimes.emplace_back(
      Formula{.order = method.highest_order, .estimate_power = method.highest_order + 1},
      ErrorNorm(system.size(), options.rtol, options.atol, options.norm));
  auto stepper =
      std::make_unique<MultistepStepper>(method, std::move(*starter), system, chosen, choice);
  return StepLoopParts{std::move(stepper), std::move(regimes)};
}

// The step-size rule (35) of Cameron and Gani 1988, for both methods.
constexpr Controller switching_controller = Controller::Thesis;
// With about as many Jacobians as they publish; the methods by themselves keep them more rarely.
constexpr double switching_keep_rate = 0.1;

Result<StepLoopParts> assemble(const methods::Switching& method, const system::System& system,
                               const Options& options) {
  if (options.fixed_step > 0.0) {
    return Error{
        "usage.method-unsuited",
        fmt::format("`{}` needs steps of its own choice to see where it is stiff", method.name),
        fmt::format("take `{}` or `{}`", method.nonstiff->name, method.stiff->name)};
  }
  if (system.form() != system::Form::Explicit) {
    return Error{"usage.method-unsuited",
                 fmt::format("`{}` cannot solve {}: one of its methods is explicit", method.name,
                             form_text(system.form())),
                 "take radau5 or another stiffly accurate method"};
  }
  if (auto error = check_room(system)) return *error;
  using Explicit = std::shared_ptr<const ExplicitCoefficients>;
  using Diagonal = std::shared_ptr<const DiagonalCoefficients>;
  const auto nonstiff = std::get<Explicit>(family_of(method.nonstiff).value());
  const auto stiff = std::get<Diagonal>(family_of(method.stiff).value());
  std::vector<Regime> regimes;
  for (Formula formula : {nonstiff->formula, stiff->formula}) {
    formula.controller = switching_controller;
    regimes.push_back({formula, norm_for(formula, options, system.size())});
  }
  NewtonLimits limits = newton_limits(1, regimes[1].norm.rtol());
  limits.keep_rate = switching_keep_rate;
  regimes[1].formula.most_iterations = limits.most_iterations;
  auto stepper = std::make_unique<SwitchingStepper>(
      method, std::make_unique<ExplicitStepper>(nonstiff, system.size(), Estimation::On),
      std::make_unique<DiagonalStepper>(stiff, system, limits, Estimation::On), options.stop);
  return StepLoopParts{std::move(stepper), std::move(regimes)};
}

Result<StepLoopParts> assemble(Result<Family> family, std::string_view name,
                               const system::System& system, const Options& options,
                               std::span<const StepCode> codes = {}) {
  if (!family) return family.error();
  return std::visit(
      [&](auto& coefficients) {
        return assemble(std::move(coefficients), name, system, options, codes);
      },
      *family);
}

// Of higher order than every regression formula, so that it can supply their past, and for systems
// of every form.
constexpr const char* regression_starter = "radau9";

Result<StepLoopParts> assemble(const methods::Regression& method, const system::System& system,
                               const Options& options, std::span<const StepCode> codes) {
  if (const auto error = check_controller(method.name, options)) return *error;
  if (auto error = check_room(system)) return *error;
  Formula formula{.order = method.order, .estimate_power = method.order + 1};
  ErrorNorm norm = norm_for(formula, options, system.size());
  NewtonLimits limits = newton_limits(1, norm.rtol());
  limits.least_remaining = good_rate;
  if (options.fixed_step > 0.0) limits.most_iterations = most_iterations_of_a_fixed_step;
  formula.most_iterations = limits.most_iterations;
  const Family starter = family_of(methods::require_method(regression_starter).value()).value();
  const auto coefficients = std::get<std::shared_ptr<const ImplicitCoefficients>>(starter);
  const RegressionSetup setup{.method = method,
                              .starter = coefficients,
                              .limits = limits,
                              .starter_limits = newton_limits(coefficients->stages, norm.rtol()),
                              .estimation = estimation_for(options)};
  std::unique_ptr<Stepper> stepper;
  if (codes.empty()) {
    stepper = std::make_unique<RegressionStepper>(setup, system);
  } else {
    stepper = std::make_unique<GeneratedRegression>(setup, system, codes.front(), norm);
  }
  std::vector<Regime> regimes;
  regimes.push_back({formula, std::move(norm)});
  return StepLoopParts{std::move(stepper), std::move(regimes),
                       StepControl(HistoryControl(formula.estimate_power))};
}

// Only these iterate.
std::optional<Error> check_linear_solver(const methods::Method& method, const Options& options) {
  const auto* const* multistep = std::get_if<const methods::Multistep*>(&method);
  const bool has_jacobian =
      multistep != nullptr && (*multistep)->kind != methods::MultistepKind::Adams;
  if (options.linear_solver != LinearSolver::Krylov || has_jacobian) return std::nullopt;
  return Error{
      "usage.method-unsuited",
      fmt::format("`{}` does not solve linear systems by iteration", methods::name(method)),
      "take bdf, ndf or auto"};
}

}  // namespace

Result<StepLoopParts> assemble(const methods::Method& method, const system::System& system,
                               const Options& options, std::span<const StepCode> codes) {
  if (const auto error = check_linear_solver(method, options)) return *error;
  if (const auto* const* multistep = std::get_if<const methods::Multistep*>(&method))
    return assemble(**multistep, system, options);
  if (const auto* const* regression = std::get_if<const methods::Regression*>(&method))
    return assemble(**regression, system, options, codes);
  if (const auto* const* switching = std::get_if<const methods::Switching*>(&method))
    return assemble(**switching, system, options);
  return assemble(family_of(method), methods::name(method), system, options, codes);
}

Result<StepLoopParts> assemble(const methods::RungeKutta& method, const system::System& system,
                               const Options& options) {
  return assemble(derive_family(method), method.name, system, options);
}

Result<StepLoopParts> assemble(const methods::Rosenbrock& method, const system::System& system,
                               const Options& options) {
  return assemble(derive_family(method), method.name, system, options);
}

}  // namespace daedalus::integrate
