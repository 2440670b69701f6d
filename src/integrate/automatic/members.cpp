#include "integrate/automatic/members.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "daedalus/linalg/linear_solver.hpp"
#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"
#include "integrate/newton/solver_choice.hpp"

namespace daedalus::integrate {
namespace {

// Where the next method takes less time, measured on the problems of the catalogue
// (docs/automatic.md).
constexpr double loose_explicit_rtol = 2e-4;   // from here on, 5 is enough as an order
constexpr double loose_rtol_of_events = 3e-7;  // and where events cut the steps short
constexpr double loose_implicit_rtol = 3e-7;   // and a Rosenbrock method has the least work

// A system of that size or larger with a sparse Jacobian is left to a multistep method, which
// factors one matrix where Runge-Kutta methods have several, and keeps it for many steps; and so is
// every system for which iteration is cheaper than elimination.
constexpr std::size_t many = 2000;
constexpr const char* multistep = "ndf";

bool is_sparse(const system::System& system) {
  return linalg::choose_storage(system.jacobian_pattern(), system.size()) != linalg::Storage::Dense;
}

bool iterates(const system::System& system, const Options& options) {
  return choose_newton_solver(system, options.linear_solver).solver != NewtonSolver::Direct;
}

std::string stiff_member(const system::System& system, const Options& options) {
  if (options.linear_solver == LinearSolver::Krylov) return multistep;
  if (options.fixed_step > 0.0) return "radau5";
  if (system.size() >= many && is_sparse(system)) return multistep;
  if (iterates(system, options)) return multistep;
  if (system.form() == system::Form::Residual) return "radau";
  return options.rtol >= loose_implicit_rtol ? "rodas5p" : "radau";
}

// What operations take, in nanoseconds of a usual processor.
constexpr double multiplication = 0.25;
constexpr double call = 5.0;
constexpr double explicit_step = 100.0, rosenbrock_step = 300.0, implicit_step = 800.0;

// Of a callback are known its size and the pattern, each entry of which stands for some work.
double derivatives_cost(const system::System& system) {
  if (const double counted = system.costs().derivatives; counted > 0.0) return call + counted;
  constexpr double entry = 0.5;
  constexpr std::size_t most_in_a_row = 8;  // without a pattern
  const std::size_t n = system.size();
  const linalg::Sparsity* const pattern = system.jacobian_pattern();
  const std::size_t entries =
      pattern != nullptr ? pattern->entries() : n * std::min(n, most_in_a_row);
  return call + entry * static_cast<double>(entries);
}

// No colouring of the columns of a pattern has fewer differences than a row has entries.
std::size_t fewest_differences(const system::System& system) {
  const linalg::Sparsity* const pattern = system.jacobian_pattern();
  if (pattern == nullptr) return system.size();
  std::vector<std::size_t> in_row(system.size(), 0);
  for (const int row : pattern->rows) ++in_row[static_cast<std::size_t>(row)];
  return in_row.empty() ? 0 : *std::ranges::max_element(in_row);
}

double jacobian_cost(const system::System& system, double derivatives) {
  if (!system.has_jacobian()) return static_cast<double>(fewest_differences(system)) * derivatives;
  const double counted = system.costs().jacobian;
  return counted > 0.0 ? call + counted : derivatives;
}

// Of a step of a multistep method: its equation, solved by Newton's method, and its history.
double multistep_cost(const system::System& system, const Options& options, double f,
                      double jacobian) {
  constexpr double iterations = 1.2, steps_with_factors = 8.0, sums = 20.0;
  const double n = static_cast<double>(system.size());
  const double others =
      implicit_step + jacobian / steps_with_factors + multiplication * 2.0 * n * sums;
  if (!iterates(system, options)) {
    const EliminationCosts elimination = elimination_costs(system);
    return others + multiplication * elimination.factor / steps_with_factors +
           iterations * (f + multiplication * elimination.solve);
  }
  // Of GMRES: each has a product and both substitutions, or an evaluation.
  constexpr double linear_iterations = 2.5;
  const linalg::Sparsity* const pattern = system.jacobian_pattern();
  const double of_matrix =
      pattern != nullptr ? multiplication * 8.0 * static_cast<double>(pattern->entries()) : f;
  return others + iterations * f + linear_iterations * (of_matrix + multiplication * 16.0 * n);
}

double stages_of(const std::string& method) {
  const methods::Method found = methods::require_method(method).value();
  const auto* const* tableau = std::get_if<const methods::RungeKutta*>(&found);
  return tableau != nullptr ? static_cast<double>(methods::stages(**tableau)) : 8.0;
}

}  // namespace

Members choose_members(const system::System& system, const Options& options) {
  Members members{.nonstiff = {}, .stiff = stiff_member(system, options)};
  const bool may_be_explicit = system.form() == system::Form::Explicit && options.fixed_step == 0.0;
  const double loose = system.events() != nullptr ? loose_rtol_of_events : loose_explicit_rtol;
  if (may_be_explicit) members.nonstiff = options.rtol >= loose ? "tsit5" : "dop853";
  return members;
}

StepCosts step_costs(const Members& members, const system::System& system, const Options& options) {
  const double n = static_cast<double>(system.size());
  const double f = derivatives_cost(system), jacobian = jacobian_cost(system, f);
  const double sum = multiplication * 2.0 * n;  // of a stage and a multiple of another one
  StepCosts costs;
  if (!members.nonstiff.empty()) {
    const double stages = stages_of(members.nonstiff);
    costs.nonstiff = explicit_step + stages * (f + 0.5 * stages * sum);
  }
  if (members.stiff == multistep) {
    costs.stiff = multistep_cost(system, options, f, jacobian);
    costs.relative_length = 0.25;
    costs.first_steps = 40.0;  // until the order and the step are what they were
    return costs;
  }
  const EliminationCosts elimination = elimination_costs(system);
  const double factor = multiplication * elimination.factor;
  const double solve = multiplication * elimination.solve;
  if (members.stiff == "rodas5p") {
    constexpr double stages = 8.0;
    costs.stiff = rosenbrock_step + jacobian + factor + stages * (f + solve + 0.5 * stages * sum);
  } else {
    // Three stages with that many iterations; a real and a complex matrix, every other step.
    constexpr double stages = 3.0, iterations = 3.5, matrices = 5.0;
    costs.relative_length = 3.0;  // when the order has grown
    costs.first_steps = 10.0;     // until it has
    costs.stiff = implicit_step + 0.5 * jacobian + 0.5 * matrices * factor +
                  iterations * (stages * f + matrices * solve + 2.0 * stages * stages * sum);
  }
  return costs;
}

}  // namespace daedalus::integrate
