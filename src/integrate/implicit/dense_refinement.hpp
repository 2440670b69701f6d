// The dense output of a fully implicit method, refined from the polynomial through its stages.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/implicit/stage_newton.hpp"
#include "integrate/newton/jacobian.hpp"

namespace daedalus::integrate {

// Enough corrections for the dense output to be of one order less than the method.
RefinementCoefficients refinement_coefficients(const methods::RungeKutta& method,
                                               const ImplicitCoefficients& coefficients);

class DenseRefinement {
 public:
  DenseRefinement(const ImplicitCoefficients& coefficients, std::size_t n);

  // Computes what interpolate() needs for a step from `begin` with the stages Z. `newton` has its
  // factors.
  void prepare(const Point& begin, std::span<const double> Z, std::span<const double> result,
               StageNewton& newton, Evaluator& evaluator);

  void interpolate(std::span<const double> y0, std::span<const double> Z, double x,
                   std::span<double> y) const;

  void archive(Archive& a) { a(begin_defect_, values_, defects_, largest_); }

 private:
  void find_begin_defect(const Point& begin, std::span<const double> Z, StageNewton& newton,
                         Evaluator& evaluator);
  void forget_what_grows(std::span<const double> Z, bool is_first);
  double unrefined(std::span<const double> Z, std::size_t m, std::size_t k) const;
  void set_values(const Point& begin, std::span<const double> Z, std::span<const double> result);
  Evaluation find_defects(const Point& begin, StageNewton& newton, Evaluator& evaluator);

  const ImplicitCoefficients& method_;
  const RefinementCoefficients& coefficients_;
  std::size_t n_;
  std::vector<double> begin_defect_;  // filtered
  std::vector<double> values_;        // at the points, less y0, one after another
  std::vector<double> defects_;       // there, filtered
  std::vector<double> largest_;       // of them in the first round, for each component
  std::vector<double> value_;
  std::vector<double> slope_;
};

}  // namespace daedalus::integrate
