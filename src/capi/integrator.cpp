// The C functions of integrators.
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "capi/errors.hpp"
#include "capi/run.hpp"
#include "daedalus/methods/method.hpp"

namespace {

using daedalus::Error;
using daedalus::Result;
using daedalus::capi::guarded;
using daedalus::capi::invalid;
using daedalus::capi::Run;
namespace integrate = daedalus::integrate;
namespace methods = daedalus::methods;

Error null_argument(std::string_view what) {
  return {"usage.argument", fmt::format("the {} is NULL", what), {}};
}

Error called_back() {
  return {"usage.order", "a callback has called the integrator that called it",
          "wait until that call has returned, or use another integrator in the callback"};
}

template <class Action>
daedalus_status change(daedalus_integrator* integrator, Action&& action) {
  return guarded([&] {
    if (integrator == nullptr) return invalid(null_argument("integrator"));
    if (integrator->run.is_called()) return invalid(called_back());
    return action(integrator->run);
  });
}

// The action may call callbacks. What it throws is the end of the run.
template <class Action>
daedalus_status integrate_with(daedalus_integrator* integrator, Action&& action) {
  return change(integrator, [&](Run& run) {
    const Run::Call call(run);
    const daedalus_status status = guarded([&] { return action(run); });
    if (status == DAEDALUS_OUT_OF_MEMORY || status == DAEDALUS_INTERNAL) run.abandon(status);
    return status;
  });
}

// The action goes on with a run.
template <class Action>
daedalus_status go_on(daedalus_integrator* integrator, Action&& action) {
  return integrate_with(integrator, [&](Run& run) {
    if (!run.has_started()) {
      return invalid({"usage.order", "the integrator has not been started",
                      "call daedalus_integrator_start() first"});
    }
    return action(run);
  });
}

daedalus_status set_number(daedalus_integrator* integrator, double integrate::Options::* option,
                           double value) {
  return change(integrator, [&](Run& run) {
    run.settings().*option = value;
    return DAEDALUS_OK;
  });
}

}  // namespace

daedalus_integrator* daedalus_integrator_create(daedalus_problem* problem, const char* method) {
  daedalus_integrator* integrator = nullptr;
  guarded([&] {
    if (problem == nullptr) return invalid(null_argument("problem"));
    const Result<methods::Method> found = methods::require_method(method == nullptr ? "" : method);
    if (!found) return invalid(found.error());
    integrator = new daedalus_integrator{.run = {*problem, methods::name(*found)}};
    return DAEDALUS_OK;
  });
  return integrator;
}

void daedalus_integrator_free(daedalus_integrator* integrator) {
  if (integrator != nullptr && integrator->run.is_called()) {
    guarded([] { return invalid(called_back()); });
    return;
  }
  delete integrator;
}

daedalus_status daedalus_integrator_set_tolerances(daedalus_integrator* integrator, double rtol,
                                                   double atol) {
  return change(integrator, [&](Run& run) {
    run.settings().atol.assign(1, atol);
    run.settings().rtol = rtol;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_integrator_set_tolerance_vector(daedalus_integrator* integrator,
                                                         double rtol, const double* atol) {
  return change(integrator, [&](Run& run) {
    if (atol == nullptr) return invalid(null_argument("vector of tolerances"));
    run.settings().atol.assign(atol, atol + run.size());
    run.settings().rtol = rtol;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_integrator_set_initial_step(daedalus_integrator* integrator, double step) {
  return set_number(integrator, &integrate::Options::initial_step, step);
}

daedalus_status daedalus_integrator_set_max_step(daedalus_integrator* integrator, double step) {
  return set_number(integrator, &integrate::Options::max_step, step);
}

daedalus_status daedalus_integrator_set_fixed_step(daedalus_integrator* integrator, double step) {
  return set_number(integrator, &integrate::Options::fixed_step, step);
}

daedalus_status daedalus_integrator_set_max_attempts(daedalus_integrator* integrator,
                                                     size_t attempts) {
  return change(integrator, [&](Run& run) {
    if (attempts == 0) return invalid({"usage.option", "0 attempts allow no step", {}});
    run.settings().max_attempts = attempts;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_integrator_set_controller(daedalus_integrator* integrator,
                                                   const char* name) {
  return change(integrator, [&](Run& run) {
    if (name == nullptr) return invalid(null_argument("name of the controller"));
    const Result<integrate::Controller> controller = integrate::require_controller(name);
    if (!controller) return invalid(controller.error());
    run.settings().controller = *controller;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_integrator_set_norm(daedalus_integrator* integrator, const char* name) {
  return change(integrator, [&](Run& run) {
    if (name == nullptr) return invalid(null_argument("name of the norm"));
    const Result<integrate::Norm> norm = integrate::require_norm(name);
    if (!norm) return invalid(norm.error());
    run.settings().norm = *norm;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_integrator_set_linear_solver(daedalus_integrator* integrator,
                                                      const char* name) {
  return change(integrator, [&](Run& run) {
    if (name == nullptr) return invalid(null_argument("name of the linear solver"));
    const Result<integrate::LinearSolver> solver = integrate::require_linear_solver(name);
    if (!solver) return invalid(solver.error());
    run.settings().linear_solver = *solver;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_integrator_start(daedalus_integrator* integrator, double t0, double t_end,
                                          const double* y0, const double* dydt0) {
  return integrate_with(integrator, [&](Run& run) {
    if (y0 == nullptr) return invalid(null_argument("vector of start values"));
    return run.start({t0, t_end}, y0, dydt0);
  });
}

daedalus_status daedalus_integrator_step(daedalus_integrator* integrator) {
  return go_on(integrator, [](Run& run) { return run.step(); });
}

daedalus_status daedalus_integrator_advance(daedalus_integrator* integrator, double t, double* y) {
  return go_on(integrator, [&](Run& run) {
    if (y == nullptr) return invalid(null_argument("place for the values"));
    return run.advance(t, y);
  });
}

daedalus_status daedalus_integrator_finish(daedalus_integrator* integrator) {
  return go_on(integrator, [](Run& run) { return run.finish(); });
}

double daedalus_integrator_time(const daedalus_integrator* integrator) {
  if (integrator == nullptr || !integrator->run.has_started()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return integrator->run.time();
}

const double* daedalus_integrator_state(const daedalus_integrator* integrator) {
  if (integrator == nullptr || !integrator->run.has_started()) return nullptr;
  return integrator->run.state().data();
}

double daedalus_integrator_step_begin(const daedalus_integrator* integrator) {
  if (integrator == nullptr || !integrator->run.has_started()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return integrator->run.step_begin();
}

daedalus_status daedalus_integrator_interpolate(daedalus_integrator* integrator, double t,
                                                double* y) {
  return go_on(integrator, [&](Run& run) {
    if (y == nullptr) return invalid(null_argument("place for the values"));
    return run.interpolate(t, y);
  });
}

daedalus_status daedalus_integrator_save(daedalus_integrator* integrator, void* bytes,
                                         size_t* size) {
  return go_on(integrator, [&](Run& run) {
    if (size == nullptr) return invalid(null_argument("place for the size"));
    std::string saved;
    if (const daedalus_status status = run.save(saved); status != DAEDALUS_OK) return status;
    if (bytes != nullptr && *size < saved.size()) {
      return invalid(
          {"usage.argument",
           fmt::format("the run has {} bytes, and there is room for {}", saved.size(), *size),
           "call with NULL for their number"});
    }
    *size = saved.size();
    if (bytes != nullptr) std::memcpy(bytes, saved.data(), saved.size());
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_integrator_restore(daedalus_integrator* integrator, const void* bytes,
                                            size_t size) {
  return change(integrator, [&](Run& run) {
    if (bytes == nullptr) return invalid(null_argument("place of the bytes"));
    return run.restore({static_cast<const char*>(bytes), size});
  });
}

daedalus_integrator* daedalus_integrator_clone(daedalus_integrator* integrator) {
  daedalus_integrator* clone = nullptr;
  go_on(integrator, [&](Run& run) {
    std::string bytes;
    if (const daedalus_status status = run.save(bytes); status != DAEDALUS_OK) return status;
    auto made = std::unique_ptr<daedalus_integrator>(
        new daedalus_integrator{.run = {run.problem(), run.method()}});
    const daedalus_status status = made->run.restore(bytes);
    if (status == DAEDALUS_OK) clone = made.release();
    return status;
  });
  return clone;
}

const char* daedalus_integrator_reason(const daedalus_integrator* integrator) {
  if (integrator == nullptr) return "";
  return daedalus::solution::reason_name(integrator->run.outcome().reason).data();
}

const char* daedalus_integrator_variable(const daedalus_integrator* integrator) {
  return integrator == nullptr ? "" : integrator->run.outcome().variable.c_str();
}

const char* daedalus_integrator_warning(const daedalus_integrator* integrator) {
  return integrator == nullptr ? "" : integrator->run.warning().c_str();
}

daedalus_status daedalus_integrator_statistics(const daedalus_integrator* integrator,
                                               daedalus_statistics* statistics, size_t bytes) {
  return guarded([&] {
    if (integrator == nullptr) return invalid(null_argument("integrator"));
    if (statistics == nullptr) return invalid(null_argument("place for the statistics"));
    daedalus_statistics all = {};
    if (integrator->run.has_started()) {
      const daedalus::solution::Statistics& counts = integrator->run.statistics();
      all = {.steps = counts.steps,
             .attempts = counts.attempts,
             .rejected_error = counts.rejected_error,
             .rejected_newton = counts.rejected_newton,
             .rejected_domain = counts.rejected_domain,
             .rejected_singular = counts.rejected_singular,
             .f_evals = counts.f_evals,
             .jac_evals = counts.jac_evals,
             .factorizations = counts.factorizations,
             .linear_solves = counts.linear_solves,
             .newton_iterations = counts.newton_iterations,
             .linear_iterations = counts.linear_iterations};
    }
    if (bytes > sizeof all) {
      return invalid({"usage.argument",
                      fmt::format("the statistics have {} bytes, not {}", sizeof all, bytes),
                      "the program was compiled for a later version of the library"});
    }
    std::memcpy(statistics, &all, bytes);
    return DAEDALUS_OK;
  });
}
