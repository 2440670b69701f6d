// y' at the start of a run, for systems that do not give it: M y' = f(t, y) and F(t, y, y') = 0.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/newton/jacobian.hpp"

namespace daedalus::integrate {

// An implicit Euler step, so short that nothing happens in it, divided by its length. If start
// values do not satisfy the algebraic equations, that step jumps onto them however short it is.
class InitialSlope {
 public:
  // `guess` is for y'; `guessed` are components of y.
  InitialSlope(const system::System& system, std::vector<double> guess,
               std::vector<std::size_t> guessed = {});

  enum class Result { Found, Inconsistent, NotFound, Undefined };

  // Makes start values that are nearly consistent fully so. `longest` is the length of the run.
  Result find(double t, double longest, std::span<double> y, Evaluator& evaluator, ErrorNorm& norm);

  std::span<const double> values() const { return slope_; }
  // After Inconsistent: the component that jumps farthest, and its values before and after.
  std::size_t worst() const { return worst_; }
  double jump() const { return jump_[worst_]; }

  void archive(Archive& a) { a(jacobian_, slope_); }

 private:
  bool is_acceptable(const ErrorNorm& norm);
  Result step(double t, double h, std::span<const double> y, Evaluator& evaluator,
              const ErrorNorm& norm);

  Jacobian jacobian_;
  std::unique_ptr<linalg::LinearSolver<double>> solver_;
  std::vector<double> guess_;
  std::vector<std::size_t> guessed_;
  std::vector<double> slope_;
  std::vector<double> value_;
  std::vector<double> correction_;
  std::vector<double> jump_;  // of the last step
  std::size_t worst_ = 0;
};

}  // namespace daedalus::integrate
