// The coefficients of one multistep step, from the sizes of the previous steps.
#pragma once

#include <array>

#include "daedalus/base/archive.hpp"
#include "daedalus/methods/multistep.hpp"
#include "integrate/multistep/step_history.hpp"

namespace daedalus::integrate {

using methods::MultistepKind;

// In powers of x = (t - t[n]) / h.
using MultistepPolynomial = std::array<double, highest_multistep_order + 2>;

// The history of a method of order q is a polynomial of degree q in x; with e, the difference
// between the new value and the prediction of that polynomial, the new history is the old one plus
// e update(x), and y' there follows from h y' = h y'(predicted) + leading e.
//
// Backward differentiation: update is 1 at 0 and 0 at the past points -xi[1], ..., -xi[q-1] with
// xi[i] = (t[n] - t[n-i]) / h, and its last zero is where it makes the leading coefficient that of
// equal steps, sum 1/j (Jackson and Sacks-Davis 1980). Adams: update' is 0 at those points, update
// is 0 at -1, and leading = update'(0).
//
// The local error of a method of order k would be `share` of e for k = q, lower_share of the last
// coefficient of the history for k = q - 1, and higher_share of the change of e since the previous
// step, in units of `top`, for k = q + 1. e / top is the coefficient of x^(q+1) in the solution.
struct MultistepFormula {
  int order = 1;
  MultistepPolynomial update = {};
  double leading = 1.0;
  double share = 0.5;
  double lower_share = 0.0;
  double higher_share = 0.0;
  double top = 1.0;

  void archive(Archive& a) { a(order, update, leading, share, lower_share, higher_share, top); }
};

// For a step of size h after those of the history.
MultistepFormula multistep_formula(MultistepKind kind, int order, double h,
                                   const StepHistory& history);

// What a unit of the coefficient of x^degree adds to the others when the order is raised to or
// lowered from `degree`: x^2 (x + xi[1]) ... (x + xi[degree-2]) keeps value and slope at 0 and the
// values at the past points; for Adams methods it keeps the slopes there. x is in units of the
// history's last step, whose end is 0.
MultistepPolynomial order_change(MultistepKind kind, int degree, const StepHistory& history);

// kappa of the numerical differentiation formulas, by order.
double ndf_kappa(int order);

}  // namespace daedalus::integrate
