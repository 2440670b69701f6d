#include "daedalus/integrate/integrator.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/explicit/explicit_integrator.hpp"
#include "integrate/implicit/implicit_integrator.hpp"
#include "integrate/stateless_integrator.hpp"

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
  if (!(options.max_step > 0.0)) {
    return Error{"usage.step", fmt::format("max step = {} is not a step size", options.max_step),
                 "it must be positive"};
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Integrator>> make_integrator(std::string_view method,
                                                    const system::System& system, Options options) {
  const Result<const methods::RungeKutta*> found = methods::require_method(method);
  if (!found) return found.error();
  return make_integrator(**found, system, std::move(options));
}

Result<std::unique_ptr<Integrator>> make_integrator(const methods::RungeKutta& method,
                                                    const system::System& system, Options options) {
  if (const auto error = check_tolerances(options, system)) return *error;
  if (const auto error = check_times(options)) return *error;
  std::unique_ptr<Integrator> integrator;
  if (methods::structure(method) == methods::Structure::Explicit) {
    const Result<ExplicitCoefficients> coefficients = explicit_coefficients(method);
    if (!coefficients) return coefficients.error();
    integrator = std::make_unique<ExplicitIntegrator>(*coefficients, system, options);
  } else {
    const Result<ImplicitCoefficients> coefficients = implicit_coefficients(method);
    if (!coefficients) return coefficients.error();
    if (system.size() > 0)
      integrator = std::make_unique<ImplicitIntegrator>(*coefficients, system, options);
  }
  if (system.size() == 0) integrator = std::make_unique<StatelessIntegrator>(system, options);
  return integrator;
}

}  // namespace daedalus::integrate
