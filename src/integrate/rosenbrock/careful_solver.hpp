// The linear systems of a Rosenbrock step, whose solutions are not corrected later.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/newton/jacobian.hpp"

namespace daedalus::integrate {

// Whether a tolerance is far below the rounding errors of the largest value.
inline bool is_demanding(double tolerance, double largest_value) {
  constexpr double share_of_rounding = 1e-3;
  return tolerance < share_of_rounding * std::numeric_limits<double>::epsilon() * largest_value;
}

// Solves (alpha M - J) x = r. In a long step, alpha M is lost to rounding next to the entries of J,
// and with it the invariants of the model. That matters if a tolerance is far below the rounding
// errors of the largest value that a variable has had: then solutions are refined with residuals
// that are summed in extended precision.
class CarefulSolver {
 public:
  explicit CarefulSolver(Jacobian& jacobian);

  void start() { largest_ = 0.0; }  // of a run

  // For a step from y.
  linalg::Factorization factor(double alpha, std::span<const double> y, const ErrorNorm& norm);

  // x holds r, then the solution. False: it is lost to rounding errors, a shorter step is needed.
  bool solve(std::span<double> x, const ErrorNorm& norm);

  void archive(Archive& a) { a(*solver_, alpha_, largest_, refines_); }

 private:
  bool refine(std::span<double> x, const ErrorNorm& norm);

  Jacobian& jacobian_;
  std::unique_ptr<linalg::LinearSolver<double>> solver_;
  double alpha_ = 0.0;
  double largest_ = 0.0;  // value of any variable since the start
  bool refines_ = false;
  std::vector<double> right_side_;
  std::vector<double> correction_;
};

}  // namespace daedalus::integrate
