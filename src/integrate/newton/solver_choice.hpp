// How Newton's iteration solves the linear systems of a system.
#pragma once

#include "daedalus/integrate/choices.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::integrate {

enum class NewtonSolver {
  Direct,
  Krylov,      // GMRES with the sparse Jacobian and its incomplete factors
  MatrixFree,  // GMRES with differences of the equations
};

struct NewtonSolverChoice {
  NewtonSolver solver = NewtonSolver::Direct;
  bool is_final = true;  // false: elimination may take over where iterations fail
};

// By counted operations, where the choice is left open.
NewtonSolverChoice choose_newton_solver(const system::System& system, LinearSolver wanted);

// What factors of alpha M - J take, and solutions with them, in multiplications and additions; from
// the pattern, as it is eliminated.
struct EliminationCosts {
  double factor = 0.0;
  double solve = 0.0;
};
EliminationCosts elimination_costs(const system::System& system);

}  // namespace daedalus::integrate
