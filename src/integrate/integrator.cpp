#include "daedalus/integrate/integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/integrate/automatic.hpp"
#include "daedalus/methods/method.hpp"
#include "integrate/assembly.hpp"
#include "integrate/automatic/automatic_integrator.hpp"
#include "integrate/multistep/multistep_stepper.hpp"
#include "integrate/stateless_integrator.hpp"
#include "integrate/step_loop.hpp"

namespace daedalus::integrate {
namespace {

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
  const bool is_absolute = options.norm == Norm::Euclidean;
  for (std::size_t i = 0; i < options.atol.size(); ++i) {
    const std::string whose =
        options.atol.size() == 1 ? "" : fmt::format(" of `{}`", system.variable_name(i));
    if (is_absolute && options.atol[i] == 0.0) {
      return Error{"usage.tolerance",
                   fmt::format("atol{} = 0 allows no error in the Euclidean norm", whose),
                   "it knows only absolute tolerances: give a positive one"};
    }
    if (options.atol[i] >= 0.0 && std::isfinite(options.atol[i])) continue;
    return Error{"usage.tolerance",
                 fmt::format("atol{} = {} is not a tolerance", whose, options.atol[i]),
                 "it must be finite and not negative"};
  }
  return std::nullopt;
}

std::optional<Error> check_times(const Options& options, const system::System& system) {
  if (!std::isfinite(options.start) || !std::isfinite(options.stop) ||
      options.stop < options.start) {
    return Error{"usage.interval",
                 fmt::format("stop = {} is not after start = {}", options.stop, options.start),
                 "integration goes forward in time"};
  }
  if (!options.initial_slope.empty() && options.initial_slope.size() != system.size()) {
    return Error{"usage.start",
                 fmt::format("there are {} start values of derivatives for {} variables",
                             options.initial_slope.size(), system.size()),
                 "give one for each, or none"};
  }
  for (const std::size_t i : options.guessed) {
    if (i < system.size()) continue;
    return Error{"usage.start",
                 fmt::format("component {} of {} cannot be guessed", i, system.size()),
                 "components are counted from 0"};
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
  return check_times(options, system);
}

// The integrator around what `assemble` finds for the system.
template <class Assemble>
Result<std::unique_ptr<Integrator>> make(const system::System& system, Options options,
                                         Assemble assemble) {
  if (const auto error = check(options, system)) return *error;
  if (system.size() == 0)
    return std::unique_ptr<Integrator>(std::make_unique<StatelessIntegrator>(system, options));
  Result<StepLoopParts> parts = assemble(options);
  if (!parts) return parts.error();
  return std::unique_ptr<Integrator>(
      std::make_unique<StepLoop>(std::move(*parts), system, std::move(options)));
}

}  // namespace

solution::Outcome Integrator::run(std::span<double> y, solution::Recorder& recorder) {
  const auto stopped = [this] {
    return solution::Outcome{.status = solution::Status::Terminated, .time = time()};
  };
  solution::Ended ended = start(y);
  if (!ended && recorder.start(time(), state()) == solution::Recording::Stop) ended = stopped();
  while (!ended) {
    ended = advance();
    if (!ended && recorder.step(step()) == solution::Recording::Stop) ended = stopped();
  }
  std::ranges::copy(state(), y.begin());
  return *ended;
}

Result<std::unique_ptr<Integrator>> make_integrator(std::string_view method,
                                                    const system::System& system, Options options,
                                                    std::span<const StepCode> codes) {
  const Result<methods::Method> found = methods::require_method(method);
  if (!found) return found.error();
  if (std::holds_alternative<const methods::Automatic*>(*found))
    return make_automatic_integrator(system, std::move(options));
  return make(system, std::move(options),
              [&](const Options& checked) { return assemble(*found, system, checked, codes); });
}

Result<std::unique_ptr<Integrator>> make_automatic_integrator(const system::System& system,
                                                              Options options,
                                                              FindSteps find_steps) {
  if (const auto error = check(options, system)) return *error;
  if (system.size() == 0)
    return std::unique_ptr<Integrator>(std::make_unique<StatelessIntegrator>(system, options));
  return AutomaticIntegrator::make(system, std::move(options), std::move(find_steps));
}

Result<std::unique_ptr<Integrator>> make_integrator(const methods::RungeKutta& method,
                                                    const system::System& system, Options options) {
  return make(system, std::move(options),
              [&](const Options& checked) { return assemble(method, system, checked); });
}

Result<std::unique_ptr<Integrator>> make_integrator(const methods::Multistep& method,
                                                    const system::System& system, Options options) {
  return make(system, std::move(options),
              [&](const Options& checked) { return assemble(&method, system, checked); });
}

Result<std::unique_ptr<Integrator>> make_integrator(const methods::Rosenbrock& method,
                                                    const system::System& system, Options options) {
  return make(system, std::move(options),
              [&](const Options& checked) { return assemble(method, system, checked); });
}

}  // namespace daedalus::integrate
