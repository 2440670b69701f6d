// The result of a step that was tried.
#pragma once

#include <cstddef>
#include <limits>

#include "integrate/watch.hpp"

namespace daedalus::integrate {

// The cause of a Jacobian that is evaluated because an attempt without a current one was rejected.
inline solution::JacobianCause cause_after(Rejection why) {
  switch (why) {
    case Rejection::Newton:
      return solution::JacobianCause::RejectedNewton;
    case Rejection::Domain:
      return solution::JacobianCause::RejectedDomain;
    case Rejection::Singular:
      return solution::JacobianCause::RejectedSingular;
    case Rejection::None:
    case Rejection::Error:
      break;
  }
  return solution::JacobianCause::RejectedError;
}

struct Attempt {
  Rejection failure = Rejection::None;  // Newton, Domain or Singular: there is no result to judge
  double error = 0.0;                   // in the error norm; 0 if none is estimated
  double square = -1.0;                 // of the error, if the square is known before its root
  int iterations = 0;                   // of Newton
  double rate = 0.0;                    // of its convergence
  double step_factor = 0.5;             // factor for the next attempt after a failure
  // The largest growth of the next step, if earlier steps limit it.
  double most_growth = std::numeric_limits<double>::infinity();
  bool jacobian_was_old = false;  // then a failed step may succeed with a new one
  double stiffness = 0.0;    // h times the largest eigenvalue, of an explicit method; 0: not known
  bool looks_stiff = false;  // stability, not accuracy, has limited the steps so far
  bool may_be_judged_again = true;      // by a second look at its dense output
  std::size_t worst = Evaluator::none;  // the component with the largest error, if any

  // Why it must be rejected; NaN is not <= 1.
  Rejection rejection() const {
    if (failure != Rejection::None) return failure;
    return error <= 1.0 ? Rejection::None : Rejection::Error;
  }
};

// An error of exactly 0 also stands for an attempt that was not judged.
inline void count_largest_error(const Attempt& attempt, solution::Statistics& statistics) {
  if (attempt.failure != Rejection::None || attempt.error == 0.0) return;
  if (attempt.worst == Evaluator::none) return;
  solution::LargestErrors& counts = statistics.largest_errors[attempt.worst];
  ++counts.attempts;
  if (attempt.rejection() != Rejection::None) ++counts.rejected;
}

}  // namespace daedalus::integrate
