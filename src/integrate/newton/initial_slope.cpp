#include "integrate/newton/initial_slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedalus::integrate {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int most_iterations = 10;
constexpr double negligible = 1e-2;       // correction, in units of the tolerance
constexpr int most_corrections = 3;       // of start values
constexpr double acceptable_jump = 1e-4;  // relative: a larger one is not due to rounding of values
constexpr double shorter = 1e-3;          // a step that shows whether a jump is real
constexpr int most_shortenings = 6;       // of a step for which Newton's method fails

}  // namespace

InitialSlope::InitialSlope(const system::System& system, std::vector<double> guess,
                           std::vector<std::size_t> guessed)
    : jacobian_(system),
      solver_(jacobian_.make_solver<double>()),
      guess_(std::move(guess)),
      guessed_(std::move(guessed)),
      slope_(system.size()),
      value_(system.size()),
      correction_(system.size()),
      jump_(system.size()) {
  guess_.resize(system.size(), 0.0);
}

InitialSlope::Result InitialSlope::find(double t, double longest, std::span<double> y,
                                        Evaluator& evaluator, ErrorNorm& norm) {
  const double shortest = 100.0 * epsilon * std::abs(t);
  double h = std::max(1e-10 * longest, shortest);
  for (int corrections = 0; corrections <= most_corrections;) {
    // A run may be so long that a tiny part of it is too long for its start.
    Result result = step(t, h, y, evaluator, norm);
    for (int k = 0; result != Result::Found && k < most_shortenings && h > shortest; ++k) {
      h = std::max(shorter * h, shortest);
      result = step(t, h, y, evaluator, norm);
    }
    if (result != Result::Found) return result;
    const double size = norm(jump_);
    if (size <= 1.0) return Result::Found;
    worst_ = norm.worst(jump_);
    const double h_shorter = std::max(shorter * h, shortest);
    if (step(t, h_shorter, y, evaluator, norm) != Result::Found) return Result::NotFound;
    const bool is_jump = norm(jump_) > 0.5 * size || h_shorter == h;
    h = h_shorter;
    if (!is_jump) continue;  // only fast
    if (!is_acceptable(norm)) return Result::Inconsistent;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += jump_[i];
    norm.set_scale(y);
    ++corrections;
  }
  return Result::Inconsistent;
}

// The jump of the components that are not guesses.
bool InitialSlope::is_acceptable(const ErrorNorm& norm) {
  std::ranges::copy(jump_, correction_.begin());
  for (const std::size_t i : guessed_) correction_[i] = 0.0;
  if (!guessed_.empty()) worst_ = norm.worst(correction_);
  if (norm(correction_) <= 1.0) return true;
  double squares = 0.0;
  for (std::size_t i = 0; i < correction_.size(); ++i) {
    const double relative = correction_[i] / norm.size(i);
    squares += relative * relative;
  }
  return squares <= acceptable_jump * acceptable_jump * static_cast<double>(correction_.size());
}

// Newton's method from the guess with the Jacobian there.
InitialSlope::Result InitialSlope::step(double t, double h, std::span<const double> y,
                                        Evaluator& evaluator, const ErrorNorm& norm) {
  std::ranges::copy(guess_, slope_.begin());
  const Point begin{.t = t, .h = h, .y = y, .f = {}, .f_is_exact = false, .slope = slope_};
  ++evaluator.statistics.jacobians_by[solution::JacobianCause::First];
  if (jacobian_.evaluate(begin, evaluator, norm) == Evaluation::Undefined) {
    return Result::Undefined;
  }
  ++evaluator.statistics.factorizations;
  ++evaluator.statistics.factorizations_by[solution::FactorizationCause::NewJacobian];
  if (jacobian_.factor(*solver_, 1.0 / h) == linalg::Factorization::Singular) {
    return Result::NotFound;
  }
  double last_size = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      jump_[i] = h * slope_[i];
      value_[i] = y[i] + jump_[i];
    }
    if (evaluator.defect(t + h, value_, slope_, correction_) == Evaluation::Undefined) {
      return Result::Undefined;
    }
    solver_->solve(correction_);
    ++evaluator.statistics.linear_solves;
    const double size = norm(correction_);
    if (!std::isfinite(size)) return Result::NotFound;
    for (std::size_t i = 0; i < y.size(); ++i) {
      slope_[i] += correction_[i] / h;
      jump_[i] = h * slope_[i];
    }
    const bool stands_still = size > 0.5 * last_size && size <= negligible;  // by rounding
    last_size = size;
    if (stands_still || size <= std::max(1e-6 * norm(jump_), 10.0 * epsilon / norm.rtol())) {
      return Result::Found;
    }
  }
  return Result::NotFound;
}

}  // namespace daedalus::integrate
