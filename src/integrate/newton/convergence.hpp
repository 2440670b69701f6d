// When a simplified Newton iteration has converged, and when it never will: the one rule for all
// implicit stages.
#pragma once

#include <cstddef>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/coefficients.hpp"

namespace daedalus::integrate {

enum class Convergence { Converged, TooSlow, Diverged, Undefined };

struct NewtonResult {
  Convergence convergence = Convergence::Converged;
  int iterations = 0;
  double rate = 0.0;         // theta, the factor by which corrections shrink
  double step_factor = 0.5;  // a step that is smaller by this would have converged in time

  void archive(Archive& a) { a(convergence, iterations, rate, step_factor); }
};

struct NewtonLimits {
  double accuracy = 0.03;  // of the stages, in the error norm
  int most_iterations = 7;
  // The least share of its correction that one iteration is assumed to leave, however fast earlier
  // ones converged: for methods in which nothing contradicts a stage later.
  double least_remaining = 0.0;
  double rounding = 0.0;         // of corrections, in the error norm: smaller ones tell nothing
  double keep_rate = good_rate;  // of convergence, up to which a Jacobian is kept
};

// The limits of RADAU5 and RADAU for stages that are solved together, in an error norm that is
// relative to rtol; SDIRK4 has those of one stage.
NewtonLimits newton_limits(std::size_t stages, double rtol);

// Hairer and Wanner II, IV.8: the rate of convergence, measured or remembered, predicts the
// remaining error; the iteration stops when that is small, and gives up if it will not be in time.
class ConvergenceTest {
 public:
  enum class Verdict { GoOn, Converged, GiveUp };

  explicit ConvergenceTest(NewtonLimits limits) : limits_(limits) {}

  void start();                // of an iteration; trusts the rate of earlier ones, a little less
  Verdict judge(double size);  // of a correction, which is to be added unless this gives up
  NewtonResult undefined();    // a stage could not be evaluated
  const NewtonResult& result() const { return result_; }

  void forget_rate() { remaining_ = 1.0; }  // the next iteration must measure it again
  // A Jacobian that is far too large makes every correction small: no first one is trusted until a
  // second one has shown how they shrink.
  void distrust() { must_measure_ = true; }
  int most_iterations() const { return limits_.most_iterations; }

  void archive(Archive& a) { a(remaining_, must_measure_, result_, last_size_, last_ratio_); }

 private:
  Verdict give_up(Convergence why);

  NewtonLimits limits_;
  // theta / (1 - theta): the remaining error, in units of the last correction
  double remaining_ = 1.0;
  bool must_measure_ = false;
  NewtonResult result_;
  double last_size_ = 0.0;
  double last_ratio_ = 0.0;
};

}  // namespace daedalus::integrate
