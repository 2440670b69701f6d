// What the step loop requires of a family of one-step methods.
#pragma once

#include <optional>
#include <span>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "integrate/attempt.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/recycled.hpp"

namespace daedalus::integrate {

class Jacobian;

// Whether the error of a step is estimated; with a fixed step it is not.
enum class Estimation { On, Off };

// What is taken from an evaluator: everything from its last evaluation, or only what is held.
enum class Taken { All, Held };

// What the first step of a motion has to be chosen from.
struct FirstStep {
  double t = 0.0;
  double longest = 1.0;
  double wanted = 0.0;                 // 0: it is to be chosen
  std::span<const double> slope = {};  // y' where that is not f; else empty
};

// The size of a step after one that has been left behind.
struct NextStep {
  double h = 0.0;
  // A stop has cut that step short: the size that it would have had counts as well.
  bool may_be_longer = false;
};

// How steps follow each other where the family decides that by itself, order and size together;
// other families leave it to the control of the step loop.
class Pacing {
 public:
  virtual ~Pacing() = default;
  // After the stepper has been started or restarted.
  virtual double first_step(const FirstStep& task, Evaluator& evaluator, const ErrorNorm& norm) = 0;
  // The size of the next step as far as it is known before this one is left behind.
  virtual double after_accepted(double h, const Attempt& attempt) = 0;
  virtual double after_rejected(double h, const Attempt& attempt, Rejection why) = 0;
  // The step of size h is left behind, in place of Stepper::accept(). None: as after_accepted().
  virtual std::optional<NextStep> leave(const solution::DenseStep& step, double h,
                                        Evaluator& evaluator, const ErrorNorm& norm) = 0;
};

// One indirect call per step allows one loop for all families; there is none inside a stage.
class Stepper {
 public:
  virtual ~Stepper() = default;
  static void* operator new(std::size_t bytes) { return take_memory(bytes); }
  static void operator delete(void* memory, std::size_t bytes) { give_memory_back(memory, bytes); }

  // Before all else: the statistics of the run, which outlive this.
  virtual void attach(solution::Statistics&) {}

  // Evaluates f at the start of the run; forgets earlier steps. `slope` is y' if the system does
  // not give it, and empty if f is y'.
  virtual Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                           Evaluator& evaluator) = 0;

  // The same after an event; a method of several orders keeps its order.
  virtual Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                             Evaluator& evaluator) {
    return start(t, y, slope, evaluator);
  }

  // Instead of restart(), if f at the start is not needed: whether the next attempt will evaluate
  // it by itself.
  virtual bool restart_later() { return false; }

  // For generated steps, which have their own copy of the values of the model's symbols: those of
  // the evaluator have changed.
  virtual void take_values(const Evaluator&, Taken) {}
  // Those values, after accept().
  virtual std::span<const double> values() const { return {}; }

  // Tries a step from (t, y).
  virtual Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                          ErrorNorm& norm) = 0;

  // The last attempt becomes a step; its end is the next start, and begin() then returns it.
  virtual void accept(double h) = 0;
  virtual void reject(Rejection why) = 0;  // the next attempt has the same start

  virtual std::span<double> begin() = 0;                   // y there, for the next attempt
  virtual std::span<const double> result() const = 0;      // y at the end
  virtual std::span<const double> derivative() const = 0;  // f at the start; y' if that is f
  virtual std::span<double> work() = 0;                    // two vectors, free between attempts

  // Called before the first interpolate() after an attempt: computes what only that needs.
  virtual void prepare_interpolation(double, double, std::span<const double>, Evaluator&) {}

  // The dense output of the last attempt, from y0, at the fraction x of the step of size h.
  virtual void interpolate(std::span<const double> y0, double h, double x,
                           std::span<double> y) const = 0;

  // Approximately the same, without what prepare_interpolation() does; false if that saves nothing.
  virtual bool interpolate_roughly(std::span<const double>, double, double,
                                   std::span<double>) const {
    return false;
  }

  // Of the last attempt, as in solution::DenseStep.
  virtual solution::Polynomials margins() const { return {}; }

  // The last Jacobian of the system; null: it is not at hand.
  virtual const Jacobian* jacobian() const { return nullptr; }

  // The same, of a size of h.
  virtual bool may_damp(double) const { return true; }

  // Which of the method's orders the first step has.
  virtual std::size_t first_regime() const { return 0; }

  // Which of the method's orders the next step has, which would be of size h; called once after
  // each accept().
  virtual std::size_t regime(double) { return 0; }

  // Null: the step loop has a control.
  virtual Pacing* pacing() { return nullptr; }

  // Everything that the last attempt and earlier ones have left here.
  virtual void archive(Archive& a) = 0;
};

// The component of the error with the largest part in its norm.
inline std::size_t worst_component(const ErrorNorm& norm, std::span<const double> error) {
  const std::size_t worst = norm.worst(error);
  return error[worst] == 0.0 ? Evaluator::none : worst;
}

}  // namespace daedalus::integrate
