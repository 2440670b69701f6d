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
#include "integrate/newton/convergence.hpp"
#include "integrate/newton/jacobian.hpp"

namespace daedalus::integrate {

class StageNewton {
 public:
  StageNewton(const ImplicitCoefficients& coefficients, const Jacobian& jacobian,
              NewtonLimits limits);

  // Factors g/h M - J for each real eigenvalue and for each pair.
  linalg::Factorization factor(double h, Evaluator& evaluator);

  // The factors that filter() needs.
  void factor_filter(double h);

  // Solves Z = h A F(Z) from the start value in Z, which has all stages one after another.
  NewtonResult solve(const Point& begin, std::span<double> Z, Evaluator& evaluator,
                     const ErrorNorm& norm);

  // x := (g/h M - J)^-1 x with the g of the filter. Without a real eigenvalue this needs additional
  // factors, which are made when first needed.
  void filter(std::span<double> x, Evaluator& evaluator);

  void forget_rate() { convergence_.forget_rate(); }
  void distrust() { convergence_.distrust(); }

  void archive(Archive& a);

 private:
  template <class Size>
  NewtonResult iterate(Size n, const Point& begin, std::span<double> Z, Evaluator& evaluator,
                       const ErrorNorm& norm);
  template <class Size>
  Evaluation evaluate_stages(Size n, const Point& begin, std::span<const double> Z,
                             Evaluator& evaluator);
  Evaluation evaluate_defect(std::size_t i, double t, double h, std::span<const double> Z,
                             Evaluator& evaluator);
  template <class Size>
  void correct(Size n, double h, Evaluator& evaluator);
  template <class Size>
  double apply_correction(Size n, std::span<const double> reciprocals);

  const ImplicitCoefficients& coefficients_;
  const Jacobian& jacobian_;
  ConvergenceTest convergence_;
  std::vector<std::unique_ptr<linalg::LinearSolver<double>>> real_;
  std::vector<std::unique_ptr<linalg::LinearSolver<std::complex<double>>>> complex_;
  std::vector<double> W_;
  std::vector<double> F_;
  std::vector<double> correction_;  // of W
  std::vector<double> stage_;
  std::vector<double> slope_;  // of the stage
  std::vector<std::complex<double>> complex_work_;
  std::unique_ptr<linalg::LinearSolver<double>> filter_;  // only without a real eigenvalue
  double h_ = 0.0;                                        // of the factors
  bool filter_is_factored_ = false;
};

}  // namespace daedalus::integrate
