#include "daedalus/integrate/integrator.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"
#include "integrate/diagonal/diagonal_stepper.hpp"
#include "integrate/explicit/explicit_stepper.hpp"
#include "integrate/implicit/implicit_stepper.hpp"
#include "integrate/newton/convergence.hpp"
#include "integrate/one_step_integrator.hpp"
#include "integrate/rosenbrock/rosenbrock_stepper.hpp"
#include "integrate/stateless_integrator.hpp"

namespace daedalus::integrate {
namespace {

// A fixed step cannot be tried shorter, so it is given more iterations than one that can.
constexpr int most_iterations_of_a_fixed_step = 20;

constexpr double smallest_rtol = 10 * std::numeric_limits<double>::epsilon();

std::optional<Error> check_tolerances(const Options& options, const system::System& system) {
  const double rtol = options.rtol;
  if (!(rtol > 0.0 && rtol <= 1.0)) {
    return Error{"usage.tolerance", fmt::format("rtol = {} is not between 0 and 1", rtol),
                 "1e-6 is a good start"};
  }
  if (rtol < smallest_rtol) {
    return Error{"usage.tolerance",
                 fmt::format("rtol = {} is below what double precision can give", rtol),
                 fmt::format("take at least {:.2g}", smallest_rtol)};
  }
  const std::size_t n = system.size();
  if (options.atol.size() != 1 && options.atol.size() != n) {
    return Error{
        "usage.tolerance",
        fmt::format("there are {} absolute tolerances for {} variables", options.atol.size(), n),
        "give one for all or one for each"};
  }
  for (std::size_t i = 0; i < options.atol.size(); ++i) {
    if (options.atol[i] >= 0.0 && std::isfinite(options.atol[i])) continue;
    const std::string whose =
        options.atol.size() == 1 ? "" : fmt::format(" of `{}`", system.variable_name(i));
    return Error{"usage.tolerance",
                 fmt::format("atol{} = {} is not a tolerance", whose, options.atol[i]),
                 "it must be finite and not negative"};
  }
  return std::nullopt;
}

std::optional<Error> check_times(const Options& options) {
  if (!std::isfinite(options.start) || !std::isfinite(options.stop) ||
      options.stop < options.start) {
    return Error{"usage.interval",
                 fmt::format("stop = {} is not behind start = {}", options.stop, options.start),
                 "integration goes forward in time"};
  }
  if (!(options.initial_step >= 0.0) || !std::isfinite(options.initial_step)) {
    return Error{"usage.step",
                 fmt::format("initial step = {} is not a step size", options.initial_step),
                 "leave it out to have it chosen"};
  }
  if (!(options.fixed_step >= 0.0) || !std::isfinite(options.fixed_step)) {
    return Error{"usage.step",
                 fmt::format("fixed step = {} is not a step size", options.fixed_step),
                 "leave it out to have the steps chosen"};
  }
  if (!(options.max_step > 0.0)) {
    return Error{"usage.step", fmt::format("max step = {} is not a step size", options.max_step),
                 "it must be positive"};
  }
  return std::nullopt;
}

std::optional<Error> check(const Options& options, const system::System& system) {
  if (const auto error = check_tolerances(options, system)) return error;
  return check_times(options);
}

std::unique_ptr<Integrator> without_states(const system::System& system, const Options& options) {
  return std::make_unique<StatelessIntegrator>(system, options);
}

Estimation estimation_for(const Options& options) {
  return options.fixed_step > 0.0 ? Estimation::Off : Estimation::On;
}

std::unique_ptr<Stepper> make_stepper(const ExplicitCoefficients& coefficients, NewtonLimits,
                                      const system::System& system, const Options& options) {
  return std::make_unique<ExplicitStepper>(coefficients, system.size(), estimation_for(options));
}

std::unique_ptr<Stepper> make_stepper(const DiagonalCoefficients& coefficients, NewtonLimits limits,
                                      const system::System& system, const Options& options) {
  return std::make_unique<DiagonalStepper>(coefficients, system, limits, estimation_for(options));
}

std::unique_ptr<Stepper> make_stepper(const ImplicitCoefficients& coefficients, NewtonLimits limits,
                                      const system::System& system, const Options& options) {
  return std::make_unique<ImplicitStepper>(coefficients, system, limits, estimation_for(options));
}

std::unique_ptr<Stepper> make_stepper(const RosenbrockCoefficients& coefficients, NewtonLimits,
                                      const system::System& system, const Options& options) {
  return std::make_unique<RosenbrockStepper>(coefficients, system, estimation_for(options));
}

std::size_t stages_at_once(const ImplicitCoefficients& coefficients) { return coefficients.stages; }
std::size_t stages_at_once(const auto&) { return 1; }

// The loop around the stepper of the family.
template <class Coefficients>
Result<std::unique_ptr<Integrator>> assemble(const Result<Coefficients>& coefficients,
                                             std::string_view name, const system::System& system,
                                             const Options& options) {
  if (!coefficients) return coefficients.error();
  Formula formula = coefficients->formula;
  if (formula.estimate_power == 0 && options.fixed_step == 0.0) {
    return Error{"usage.method-needs-step",
                 fmt::format("`{}` cannot choose its steps: it does not estimate its error", name),
                 "give it a fixed step, or take a method with an error estimate"};
  }
  ErrorNorm norm = norm_for(formula, options, system.size());
  NewtonLimits limits = newton_limits(stages_at_once(*coefficients), norm.rtol());
  if (options.fixed_step > 0.0) limits.most_iterations = most_iterations_of_a_fixed_step;
  formula.most_iterations = limits.most_iterations;
  return std::unique_ptr<Integrator>(
      std::make_unique<OneStepIntegrator>(make_stepper(*coefficients, limits, system, options),
                                          formula, std::move(norm), system, options));
}

}  // namespace

Result<std::unique_ptr<Integrator>> make_integrator(std::string_view method,
                                                    const system::System& system, Options options) {
  const Result<methods::Method> found = methods::require_method(method);
  if (!found) return found.error();
  return std::visit(
      [&](const auto* one) { return make_integrator(*one, system, std::move(options)); }, *found);
}

Result<std::unique_ptr<Integrator>> make_integrator(const methods::RungeKutta& method,
                                                    const system::System& system, Options options) {
  if (const auto error = check(options, system)) return *error;
  if (system.size() == 0) return without_states(system, options);
  switch (methods::structure(method)) {
    case methods::Structure::Explicit:
      return assemble(explicit_coefficients(method), method.name, system, options);
    case methods::Structure::DiagonallyImplicit:
      return assemble(diagonal_coefficients(method), method.name, system, options);
    case methods::Structure::FullyImplicit:
      break;
  }
  return assemble(implicit_coefficients(method), method.name, system, options);
}

Result<std::unique_ptr<Integrator>> make_integrator(const methods::Rosenbrock& method,
                                                    const system::System& system, Options options) {
  if (const auto error = check(options, system)) return *error;
  if (system.size() == 0) return without_states(system, options);
  return assemble(rosenbrock_coefficients(method), method.name, system, options);
}

}  // namespace daedalus::integrate
