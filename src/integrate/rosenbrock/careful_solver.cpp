#include "integrate/rosenbrock/careful_solver.hpp"

#include <algorithm>
#include <limits>

#include "daedalus/linalg/norm.hpp"

namespace daedalus::integrate {
namespace {

constexpr double harmless_loss = 1e-13;    // of alpha M, relative to it
constexpr double small_correction = 1e-3;  // in the norm of the errors
constexpr int most_refinements = 5;

}  // namespace

CarefulSolver::CarefulSolver(Jacobian& jacobian)
    : jacobian_(jacobian),
      solver_(jacobian.make_solver<double>(linalg::Solutions::Many)),
      right_side_(jacobian.size()),
      correction_(jacobian.size()) {}

linalg::Factorization CarefulSolver::factor(double alpha, std::span<const double> y,
                                            const ErrorNorm& norm) {
  alpha_ = alpha;
  largest_ = std::max(largest_, linalg::largest_absolute(y));
  refines_ = is_demanding(norm.smallest_atol(), largest_) &&
             jacobian_.rounding_loss(alpha) > harmless_loss;
  return jacobian_.factor(*solver_, alpha);
}

bool CarefulSolver::solve(std::span<double> x, const ErrorNorm& norm) {
  if (refines_) return refine(x, norm);
  solver_->solve(x);
  return true;
}

bool CarefulSolver::refine(std::span<double> x, const ErrorNorm& norm) {
  std::ranges::copy(x, right_side_.begin());
  solver_->solve(x);
  for (int k = 0; k < most_refinements; ++k) {
    jacobian_.linear_residual(alpha_, x, right_side_, correction_);
    solver_->solve(correction_);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction_[i];
    if (norm(correction_) <= small_correction) return true;
  }
  return false;
}

}  // namespace daedalus::integrate
