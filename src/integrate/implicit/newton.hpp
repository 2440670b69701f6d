// The simplified Newton iteration for the stages of a fully implicit Runge-Kutta step.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/implicit/implicit_coefficients.hpp"
#include "integrate/implicit/jacobian.hpp"

namespace daedalus::integrate {

enum class Convergence { Converged, TooSlow, Diverged, Undefined };

struct NewtonResult {
  Convergence convergence = Convergence::Converged;
  int iterations = 0;
  double rate = 0.0;         // theta, the factor by which corrections shrink
  double step_factor = 0.5;  // how much smaller a step would have converged in time
};

// A convergence rate so good that the Jacobian may be kept (RADAU5's THET).
constexpr double good_rate = 1e-3;

struct NewtonLimits {
  double accuracy = 0.03;  // of the stages, in the error norm
  int most_iterations = 7;
};

// The limits of RADAU5 and RADAU for an error norm that is relative to rtol.
NewtonLimits newton_limits(const ImplicitCoefficients& coefficients, double rtol);

class StageNewton {
 public:
  StageNewton(const ImplicitCoefficients& coefficients, const Jacobian& jacobian,
              NewtonLimits limits);

  // Factors g/h I - J for the real eigenvalue and for each pair.
  linalg::Factorization factor(double h, const Jacobian& jacobian, Evaluator& evaluator);

  // Solves Z = h A F(Z) from the start value in Z, which has all stages behind each other.
  NewtonResult solve(const Point& begin, std::span<double> Z, Evaluator& evaluator,
                     const ErrorNorm& norm);

  // x := (g/h I - J)^-1 x with the real eigenvalue g: the filter of the error estimate.
  void filter(std::span<double> x, Evaluator& evaluator);

  void forget_rate() { remaining_ = 1.0; }  // the next solve must find it out again
  int most_iterations() const { return limits_.most_iterations; }

 private:
  Evaluation evaluate_stages(const Point& begin, std::span<const double> Z, Evaluator& evaluator);
  void correct(double h, Evaluator& evaluator);

  const ImplicitCoefficients& coefficients_;
  NewtonLimits limits_;
  double remaining_ =
      1.0;  // theta / (1 - theta): the error left behind, in units of the last correction
  std::unique_ptr<linalg::LinearSolver<double>> real_;
  std::vector<std::unique_ptr<linalg::LinearSolver<std::complex<double>>>> complex_;
  std::vector<double> W_;
  std::vector<double> F_;
  std::vector<double> correction_;  // of W
  std::vector<double> stage_;
  std::vector<std::complex<double>> complex_work_;
};

}  // namespace daedalus::integrate
