#include "integrate/taylor/taylor_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {
namespace {

// At the end of a step, times its size, in tolerances; 25 has been observed with an error of 1.
constexpr double most_other_slope = 50.0;

}  // namespace

TaylorStepper::TaylorStepper(const TaylorCoefficients& coefficients, const StepCode& code,
                             const ErrorNorm& norm, Estimation estimation)
    : order_(coefficients.order),
      stiffness_test_(coefficients.stability_boundary),
      step_(code, estimation, norm),
      places_(step_.places_of<TaylorPlaces>()) {}

Evaluation TaylorStepper::start(double t, std::span<const double> y, std::span<const double>,
                                Evaluator& evaluator) {
  looks_stiff_ = false;
  stiffness_test_.start();
  return evaluator.derivatives(t, y, step_.vector(step_.places().f0));
}

// A step only needs y at its start.
bool TaylorStepper::restart_later() {
  looks_stiff_ = false;
  stiffness_test_.start();
  return true;
}

Attempt TaylorStepper::attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                               ErrorNorm& norm) {
  step_.run(t, h, y);
  evaluator.statistics.f_evals += order_;  // that many coefficients of f
  if (!std::isfinite(step_.error()) || !linalg::all_finite(step_.result()))
    return undefined(t, h, y, evaluator);
  if (places_.has_edge && step_.error() <= 1.0 && leaves_domain(t, h, y, evaluator, norm))
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  return {.error = step_.error(),
          .square = step_.error_square(),
          .iterations = 1,
          .rate = 1.0,
          .looks_stiff = looks_stiff_,
          .worst = step_.worst()};
}

// The series of a solution continues beyond the edge of the domain, like (1 - t)^2 for x' = -2
// sqrt(x), although the model is not defined there or has another slope.
bool TaylorStepper::leaves_domain(double t, double h, std::span<const double> y,
                                  Evaluator& evaluator, const ErrorNorm& norm) {
  const std::span<double> f = step_.work().first(y.size());
  if (evaluator.derivatives(t + h, step_.result(), f) == Evaluation::Undefined) return true;
  if (!step_.estimates_error()) return false;  // the accuracy of the step is not known
  for (std::size_t i = 0; i < y.size(); ++i) {
    double slope = 0.0;
    for (std::size_t power = order_; power > 0; --power)
      slope += static_cast<double>(power) * step_.stage(power - 1)[i];
    f[i] = h * f[i] - slope;
  }
  return norm.along(y, step_.result(), f).norm > most_other_slope;
}

// Evaluates the model at both ends for an explanation; if it is defined there, it has no series.
Attempt TaylorStepper::undefined(double t, double h, std::span<const double> y,
                                 Evaluator& evaluator) {
  const std::span<double> f = step_.work().first(y.size());
  if (evaluator.derivatives(t, y, f) == Evaluation::Defined && linalg::all_finite(step_.result()))
    (void)evaluator.derivatives(t + h, step_.result(), f);
  return {.failure = Rejection::Domain, .step_factor = 0.25};
}

// Where stability limits the steps, they grow until the error does, again and again.
void TaylorStepper::reject(Rejection why) {
  if (why == Rejection::Error) looks_stiff_ = stiffness_test_.looks_stiff(stiffness());
}

// For y' = lambda y the terms are (h lambda)^k / k!, so all give the same lambda; for a solution
// with a pole nearby, terms in the middle give less than the last ones.
double TaylorStepper::stiffness() const {
  const auto told_by = [&](std::size_t power) {
    const std::span<const double> term = step_.stage(power - 1), before = step_.stage(power - 2);
    double square = 0.0;
    double square_before = 0.0;
    for (std::size_t i = 0; i < term.size(); ++i) {
      square += term[i] * term[i];
      square_before += before[i] * before[i];
    }
    return square_before > 0.0 ? static_cast<double>(power) * std::sqrt(square / square_before)
                               : 0.0;
  };
  return std::min(told_by(order_), told_by(order_ / 2 + 1));
}

void TaylorStepper::accept(double) { linalg::copy_fresh(step_.result(), begin()); }

// Horner's scheme, from the highest power; the components are independent.
void TaylorStepper::interpolate(std::span<const double> y0, double, double x,
                                std::span<double> y) const {
  const std::size_t stride = step_.places().stage_stride;
  const double* const highest = step_.stage(order_ - 1).data();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double* c = highest + i;
    double sum = *c;
    for (std::size_t k = order_ - 1; k > 0; --k) {
      c -= stride;
      sum = sum * x + *c;
    }
    y[i] = y0[i] + sum * x;
  }
}

solution::Polynomials TaylorStepper::margins() const {
  const std::size_t terms = order_ + 1;
  return {step_.values(places_.margins, places_.margin_count * terms), terms};
}

}  // namespace daedalus::integrate
