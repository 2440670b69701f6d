#include "integrate/newton/solver_choice.hpp"

#include "daedalus/linalg/linear_solver.hpp"
#include "daedalus/linalg/sparse_lu.hpp"

namespace daedalus::integrate {
namespace {

// Below that, an iteration is hardly ever faster than elimination, and analysing the pattern takes
// as long as a short run.
constexpr std::size_t smallest_for_iteration = 500;
// A full matrix of that size takes 32 MB and seconds to factor.
constexpr std::size_t largest_for_full_matrices = 2000;

// Measured on reaction and diffusion in planes and in space (docs/numerics.md): iterations of GMRES
// for a step, with incomplete factors that are a few steps old; steps with the same factors in
// elimination, and solutions for a step.
constexpr double iterations_of_a_step = 3.5;
constexpr double steps_with_factors = 8.0;
constexpr double solutions_of_a_step = 1.5;
// Iterations fail where elimination does not: they have to be clearly better.
constexpr double clearly = 0.8;

bool iteration_is_cheaper(const system::System& system) {
  const linalg::Sparsity& pattern = *system.jacobian_pattern();
  const double n = static_cast<double>(pattern.size);
  const double entries = static_cast<double>(pattern.entries());
  const EliminationCosts direct = elimination_costs(system);
  const double of_elimination =
      direct.factor / steps_with_factors + solutions_of_a_step * direct.solve;
  // A product, both substitutions, and the products with some earlier vectors. Entries that are
  // reached by way of their places take twice the time of those in a row.
  const double of_iteration = iterations_of_a_step * (2.0 * 4.0 * entries + 16.0 * n);
  return of_iteration < clearly * of_elimination;
}

}  // namespace

EliminationCosts elimination_costs(const system::System& system) {
  const double n = static_cast<double>(system.size());
  const linalg::Sparsity* const pattern = system.jacobian_pattern();
  if (linalg::choose_storage(pattern, system.size()) == linalg::Storage::Dense)
    return {.factor = n * n * n / 1.5, .solve = 2.0 * n * n};
  const linalg::Band band = linalg::narrow_band(*pattern);
  if (linalg::is_worth_a_band(band, *pattern)) {
    const auto lower = static_cast<double>(band.lower), upper = static_cast<double>(band.upper);
    // Divisions, and what is not done for several entries at once.
    constexpr double overhead = 20.0;
    return {.factor = n * (overhead + 2.0 * lower * (1.0 + upper)),
            .solve = n * (0.5 * overhead + 2.0 * (lower + upper + 1.0))};
  }
  const linalg::FactorSize size = linalg::SparseLu<double>(*pattern).expected_size();
  // Each entry of the factors is reached by way of its place.
  constexpr double of_an_entry = 4.0;
  return {.factor = size.operations + 2.0 * of_an_entry * size.entries,
          .solve = of_an_entry * size.entries};
}

NewtonSolverChoice choose_newton_solver(const system::System& system, LinearSolver wanted) {
  if (wanted == LinearSolver::Direct) return {};
  if (system.has_preconditioner()) return {.solver = NewtonSolver::MatrixFree};
  const bool has_pattern = system.jacobian_pattern() != nullptr;
  if (wanted == LinearSolver::Krylov)
    return {.solver = has_pattern ? NewtonSolver::Krylov : NewtonSolver::MatrixFree};
  const bool is_explicit = system.form() == system::Form::Explicit;
  if (!is_explicit || system.size() < smallest_for_iteration) return {};
  if (has_pattern && iteration_is_cheaper(system))
    return {.solver = NewtonSolver::Krylov, .is_final = false};
  const bool is_too_full =
      !has_pattern && !system.has_jacobian() && system.size() > largest_for_full_matrices;
  return {.solver = is_too_full ? NewtonSolver::MatrixFree : NewtonSolver::Direct};
}

}  // namespace daedalus::integrate
