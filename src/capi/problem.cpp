#include "capi/problem.hpp"

#include <fmt/format.h>

#include <limits>

#include "capi/errors.hpp"
#include "capi/matrices.hpp"

namespace {

using daedalus::Error;
using daedalus::Result;
using daedalus::capi::Equations;
using daedalus::capi::guarded;
using daedalus::capi::invalid;
using daedalus::capi::Storage;
using daedalus::linalg::SparseMatrix;
using daedalus::linalg::Sparsity;

constexpr std::size_t most_variables = std::numeric_limits<int>::max();

Error null_argument(std::string_view what) {
  return {"usage.argument", fmt::format("the {} is NULL", what), {}};
}

daedalus_problem* create(Equations equations) {
  daedalus_problem* problem = nullptr;
  guarded([&] {
    if (equations.size == 0 || equations.size > most_variables) {
      return invalid({"usage.argument",
                      fmt::format("a problem cannot have {} variables", equations.size),
                      fmt::format("it has 1 to {}", most_variables)});
    }
    if (equations.f == nullptr && equations.residual == nullptr) {
      return invalid(null_argument("function of the equations"));
    }
    problem = new daedalus_problem{.equations = std::move(equations)};
    return DAEDALUS_OK;
  });
  return problem;
}

// Lets the action change the equations, unless an integrator relies on them.
template <class Action>
daedalus_status change(daedalus_problem* problem, Action&& action) {
  return guarded([&] {
    if (problem == nullptr) return invalid(null_argument("problem"));
    if (problem->owners.load(std::memory_order_acquire) > 1) {
      return invalid({"usage.order", "an integrator uses this problem, so it cannot be changed",
                      "set everything before the first integrator is created"});
    }
    return action(problem->equations);
  });
}

daedalus_status wrong_form(std::string_view what, std::string_view form, std::string_view hint) {
  return invalid(
      {"usage.argument", fmt::format("a problem {} has no {}", form, what), std::string(hint)});
}

daedalus_status set_pattern(Equations& equations, Result<Sparsity> pattern, Storage storage) {
  if (!pattern) return invalid(pattern.error());
  equations.pattern = std::move(*pattern);
  equations.storage = storage;
  return DAEDALUS_OK;
}

// `make` is given the size.
template <class Make>
daedalus_status set_mass(daedalus_problem* problem, const double* values, Make&& make) {
  return change(problem, [&](Equations& equations) {
    if (equations.residual != nullptr) {
      return wrong_form("mass matrix", "in residual form", "F says how y' enters");
    }
    if (values == nullptr) return invalid(null_argument("array of values"));
    Result<SparseMatrix> mass = make(equations.size);
    if (!mass) return invalid(mass.error());
    equations.mass = std::move(*mass);
    return DAEDALUS_OK;
  });
}

}  // namespace

daedalus_problem* daedalus_problem_create(size_t size, daedalus_f f, void* user) {
  return create({.size = size, .user = user, .f = f});
}

daedalus_problem* daedalus_problem_create_residual(size_t size, daedalus_residual residual,
                                                   void* user) {
  return create({.size = size, .user = user, .residual = residual});
}

void daedalus_problem_free(daedalus_problem* problem) {
  if (problem != nullptr) daedalus::capi::SharedProblem::release(problem);
}

daedalus_status daedalus_problem_set_jacobian(daedalus_problem* problem,
                                              daedalus_jacobian jacobian) {
  return change(problem, [&](Equations& equations) {
    if (equations.residual != nullptr) {
      return wrong_form("df/dy", "in residual form",
                        "daedalus_problem_set_residual_jacobian() sets dF/dy + a dF/dy'");
    }
    if (jacobian == nullptr) return invalid(null_argument("Jacobian"));
    equations.jacobian = jacobian;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_problem_set_residual_jacobian(daedalus_problem* problem,
                                                       daedalus_residual_jacobian jacobian) {
  return change(problem, [&](Equations& equations) {
    if (equations.residual == nullptr) {
      return wrong_form("dF/dy + a dF/dy'", "that has f",
                        "daedalus_problem_set_jacobian() sets df/dy");
    }
    if (jacobian == nullptr) return invalid(null_argument("Jacobian"));
    equations.residual_jacobian = jacobian;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_problem_set_preconditioner(daedalus_problem* problem,
                                                    daedalus_prepare prepare,
                                                    daedalus_precondition precondition) {
  return change(problem, [&](Equations& equations) {
    if (precondition == nullptr) return invalid(null_argument("preconditioner"));
    equations.prepare = prepare;
    equations.precondition = precondition;
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_problem_set_pattern_banded(daedalus_problem* problem, size_t lower,
                                                    size_t upper) {
  return change(problem, [&](Equations& equations) {
    const daedalus_status status = set_pattern(
        equations, daedalus::capi::banded_pattern(equations.size, lower, upper), Storage::Banded);
    if (status == DAEDALUS_OK) {
      equations.lower = lower;
      equations.upper = upper;
    }
    return status;
  });
}

daedalus_status daedalus_problem_set_pattern_csc(daedalus_problem* problem, const int* starts,
                                                 const int* rows) {
  return change(problem, [&](Equations& equations) {
    if (starts == nullptr || rows == nullptr) return invalid(null_argument("array of the pattern"));
    return set_pattern(equations, daedalus::capi::csc_pattern(equations.size, starts, rows),
                       Storage::Columns);
  });
}

daedalus_status daedalus_problem_set_constant_columns(daedalus_problem* problem,
                                                      const size_t* columns, size_t count) {
  return change(problem, [&](Equations& equations) {
    if (columns == nullptr && count > 0) return invalid(null_argument("array of columns"));
    const std::span<const std::size_t> given(columns, count);
    for (std::size_t k = 0; k < count; ++k) {
      const bool is_next = k == 0 || given[k] > given[k - 1];
      if (is_next && given[k] < equations.size) continue;
      return invalid({"usage.argument",
                      fmt::format("{} cannot be entry {} of the constant columns", given[k], k),
                      fmt::format("they increase, up to {}", equations.size - 1)});
    }
    equations.constant_columns.assign(given.begin(), given.end());
    return DAEDALUS_OK;
  });
}

daedalus_status daedalus_problem_set_mass_dense(daedalus_problem* problem, const double* values) {
  return set_mass(problem, values,
                  [&](std::size_t n) { return daedalus::capi::dense_mass(n, values); });
}

daedalus_status daedalus_problem_set_mass_banded(daedalus_problem* problem, size_t lower,
                                                 size_t upper, const double* values) {
  return set_mass(problem, values, [&](std::size_t n) {
    return daedalus::capi::banded_mass(n, lower, upper, values);
  });
}

daedalus_status daedalus_problem_set_mass_csc(daedalus_problem* problem, const int* starts,
                                              const int* rows, const double* values) {
  return set_mass(problem, values, [&](std::size_t n) -> Result<SparseMatrix> {
    if (starts == nullptr || rows == nullptr) return null_argument("array of the pattern");
    Result<Sparsity> pattern = daedalus::capi::csc_pattern(n, starts, rows);
    if (!pattern) return pattern.error();
    return daedalus::capi::csc_mass(std::move(*pattern), values);
  });
}

daedalus_status daedalus_problem_set_mass_diagonal(daedalus_problem* problem,
                                                   const double* values) {
  return set_mass(problem, values,
                  [&](std::size_t n) { return daedalus::capi::diagonal_mass(n, values); });
}

daedalus_status daedalus_problem_set_names(daedalus_problem* problem, const char* const* names) {
  return change(problem, [&](Equations& equations) {
    if (names == nullptr) return invalid(null_argument("array of names"));
    std::vector<std::string> copies;
    copies.reserve(equations.size);
    for (std::size_t i = 0; i < equations.size; ++i) {
      if (names[i] == nullptr) {
        return invalid({"usage.argument", fmt::format("the name of variable {} is NULL", i),
                        fmt::format("give all {} of them", equations.size)});
      }
      copies.emplace_back(names[i]);
    }
    equations.names = std::move(copies);
    return DAEDALUS_OK;
  });
}
