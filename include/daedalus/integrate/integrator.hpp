// Steps a System through time with a method of the catalogue.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/integrate/choices.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "daedalus/methods/rosenbrock.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "daedalus/solution/outcome.hpp"
#include "daedalus/solution/progress.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/solution/statistics.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::integrate {

// Numbers only: whatever was `auto` has been resolved at the door.
struct Options {
  double start = 0.0;
  double stop = 1.0;  // > start
  double rtol = 1e-6;
  std::vector<double> atol = {1e-6};  // one for all, or one for each component
  double initial_step = 0.0;          // 0: chosen automatically
  // A guess of y' at the start, for F(t, y, y') = 0: Newton's method starts there. Empty: at 0.
  std::vector<double> initial_slope = {};
  // If y' is not given: components whose start values are guesses, which the equations correct
  // however far off they are; usually algebraic variables. All others must satisfy the equations.
  std::vector<std::size_t> guessed = {};
  double max_step = std::numeric_limits<double>::infinity();
  // 0: chosen by the error. Otherwise every step but the last has this size, none is rejected, and
  // the tolerances only say how accurately implicit stages are solved.
  double fixed_step = 0.0;
  Controller controller = Controller::Family;  // not used with a fixed step
  Norm norm = Norm::Rms;                       // of errors and of Newton's corrections
  // Only for multistep methods:
  RungeKuttaStart runge_kutta_start = RungeKuttaStart::BehindEvents;
  // The method of those Runge-Kutta steps, which must outlive the call; null: one that suits.
  const methods::RungeKutta* starting_formula = nullptr;
  bool controls_linear_variables = false;  // those of System::linear_variables()
  LinearSolver linear_solver = LinearSolver::Suitable;
  std::size_t max_attempts = 1'000'000;
  std::size_t earlier_attempts = 0;  // of these, attempts of other integrators in the same run
  // Read between attempts: the run is asked to end, or has taken as long as it may.
  const std::atomic<bool>* interrupt = nullptr;
  const std::atomic<bool>* time_is_over = nullptr;
  solution::Progress* progress = nullptr;  // told of every attempt
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  // Integrates from options.start to options.stop. `y` holds the initial values and, at the end,
  // the last accepted ones. Allocates nothing after its set-up.
  solution::Outcome run(std::span<double> y, solution::Recorder& recorder);

  // The same, step by step. start() forgets an earlier run; then each advance() takes one step,
  // which step() shows until the next call. An Outcome means the end of the run.
  virtual solution::Ended start(std::span<const double> y) = 0;
  virtual solution::Ended advance() = 0;
  virtual const solution::DenseStep& step() const = 0;

  // What runs with events do between the calls of advance(). None of it allocates.
  //
  // Takes the last step again, from the same start, so that it ends at `end`, or earlier if that
  // fails; step() then shows it.
  virtual solution::Ended retake(double end) = 0;
  // Goes on to another stop, which a step will hit exactly, from where the last step ended. What is
  // held may have changed, but not the motion.
  virtual solution::Ended go_on(double stop) = 0;
  // Goes on from (t, y) to another stop. Nothing of earlier steps is kept except the counts and,
  // with a variable order, the order. The size of the first step is as in Options.
  virtual solution::Ended restart(double t, std::span<const double> y, double stop,
                                  double initial_step) = 0;
  // The size of the next step, if no stop were in its way.
  virtual double step_size() const = 0;
  // What the run holds, which must outlive the run: its guesses change whenever a step is left.
  // Called before start(); otherwise a run starts with System::make_held().
  virtual void hold(system::Held& held) = 0;
  virtual system::Held& held() = 0;
  virtual solution::EventCounts& event_counts() = 0;  // among the statistics

  // Where the run is: the end of the last step, or the start, where start values that the equations
  // contradict a little have been corrected.
  virtual double time() const = 0;
  virtual std::span<const double> state() const = 0;

  virtual const solution::Statistics& statistics() const = 0;

  // Everything on which the next steps depend, with what is held and the counts, between any two
  // calls. It is read by an integrator that was made in the same way, by the same program, and for
  // a system with the same values, which then takes the same steps, to the bit.
  virtual void archive(Archive& a) = 0;
};

// The integrator of the method's family. The system must outlive it. An unknown method or options
// that make no sense are an Error. With codes that were generated for the method and the system,
// one for each of the method's orders, these take the steps.
Result<std::unique_ptr<Integrator>> make_integrator(std::string_view method,
                                                    const system::System& system, Options options,
                                                    std::span<const StepCode> codes = {});

// The same for a tableau that need not be in the catalogue; also an Error if no family can run it.
Result<std::unique_ptr<Integrator>> make_integrator(const methods::RungeKutta& method,
                                                    const system::System& system, Options options);
Result<std::unique_ptr<Integrator>> make_integrator(const methods::Rosenbrock& method,
                                                    const system::System& system, Options options);

}  // namespace daedalus::integrate
