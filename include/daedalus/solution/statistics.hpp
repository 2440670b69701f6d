// How much work a run took, and why.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/solution/time_profile.hpp"

namespace daedalus::solution {

// Why a Jacobian was evaluated. `Rejected...`: the previous attempt was rejected for that reason,
// and it had the Jacobian of an earlier step, or none.
enum class JacobianCause {
  First,            // of the run
  EveryStep,        // the method takes one for each step
  SlowConvergence,  // of Newton's iteration in the previous step
  RejectedError,
  RejectedNewton,
  RejectedDomain,
  RejectedSingular,
  Event,      // the first one after an event
  Age,        // the old one has served many steps, or belongs to another step size
  Switch,     // the first one after another method has taken the steps
  Stiffness,  // to know its eigenvalues, not to solve anything
};

// Why the iteration matrices were factored.
enum class FactorizationCause {
  NewJacobian,
  StepChanged,  // after an accepted step
  Rejected,     // the previous attempt was, and this one has another step size
  OrderChanged,
};

// How often something was done, by cause.
template <class Cause, std::size_t causes>
struct Tally {
  std::array<std::size_t, causes> times = {};  // in the order of the enumerators

  std::size_t& operator[](Cause cause) { return times[static_cast<std::size_t>(cause)]; }
  std::size_t operator[](Cause cause) const { return times[static_cast<std::size_t>(cause)]; }
};
using JacobianTally = Tally<JacobianCause, 11>;
using FactorizationTally = Tally<FactorizationCause, 4>;

// The names in the JSON, e.g. "slow_convergence", in the order of the enumerators.
std::span<const std::string_view> jacobian_cause_names();
std::span<const std::string_view> factorization_cause_names();

// The attempts in which a component had the largest error in units of its tolerance.
struct LargestErrors {
  std::size_t attempts = 0;
  std::size_t rejected = 0;  // of these, by the error test
};

// An entry of a user's Jacobian that differences of the equations contradict; for
// F(t, y, y') = 0 it is one of dF/dy + a dF/dy' with the a of the step.
struct WrongJacobian {
  std::size_t row = 0;
  std::size_t column = 0;
  double given = 0.0;
  double found = 0.0;  // by differences
  double t = 0.0;      // where
  bool is_in_pattern = true;
  bool is_kept = false;  // it was not given: its column is not constant, as had been declared

  void archive(Archive& a) { a(row, column, given, found, t, is_in_pattern, is_kept); }
};

// In words; `variable` is the name of the column's variable.
std::string warning(const WrongJacobian& wrong, std::string_view variable);

// Why a run changed to another method.
enum class SwitchReason {
  Start,      // the first method of the run
  Stability,  // stability limited the steps of the one before
  Accuracy,   // only accuracy would limit the steps of the new one
  Cost,       // the one before has turned out to be no faster
  Failure,    // the one before could not go on
};

// A change to another method, with the next attempt.
struct Switch {
  double t = 0.0;
  double h = 0.0;         // of that attempt
  double lambda = 0.0;    // the size of the largest eigenvalue, as far as it is known; 0: it is not
  std::string from = {};  // empty at the start
  std::string to = {};
  SwitchReason reason = SwitchReason::Start;

  void archive(Archive& a) { a(t, h, lambda, from, to, reason); }
};

// A stretch of a run along which small changes of the states have grown, since the Jacobian had an
// eigenvalue with a positive real part all along. Only methods that change during a run look for
// these.
struct UnstableStretch {
  // A state, and how much it takes part in the motion that grows; all shares add up to 1.
  struct State {
    std::size_t component = 0;
    double share = 0.0;
  };

  double since = 0.0;
  double seen = 0.0;                 // when it was clear that this is more than a transition
  double until = 0.0;                // so far, or its end
  double rate = 0.0;                 // the largest real part
  double growth = 0.0;               // its integral: changes have grown by exp(growth)
  std::array<State, 3> states = {};  // the largest shares, as of `seen`; 0: there are no more

  void archive(Archive& a) { a(since, seen, until, rate, growth, states); }
};

// "unstable from t = 0.1 to 20 s: small changes grew at up to 2 1/s, by a factor of 2e+17, most of
// `x` (98 %)", with the names of all components.
std::string in_words(const UnstableStretch& stretch, std::span<const std::string> names);

// "start", "stability", "accuracy", "cost", "failure".
std::string_view switch_reason_name(SwitchReason reason);

// The events of a run, and the work of finding them.
struct EventCounts {
  std::size_t instants = 0;       // at which there were events, one or several
  std::size_t state_events = 0;   // instants at which an indicator became negative
  std::size_t time_events = 0;    // instants that were known in advance
  std::size_t evaluations = 0;    // of the indicators
  std::size_t retaken_steps = 0;  // to end near an event
  double seconds = 0.0;           // from finding an event to going on after it; estimated
  std::size_t slidings = 0;       // stretches along the surface where the sides of a relation meet
  std::size_t rests = 0;          // stretches after events that accumulated
  std::vector<std::size_t> by_indicator = {};  // how often each became negative

  void add(const EventCounts& later);
  void clear();  // allocates nothing

  void archive(Archive& a) {
    a(instants, state_events, time_events, evaluations, retaken_steps, seconds, slidings, rests,
      by_indicator);
  }
};

struct Statistics {
  std::size_t steps = 0;  // accepted
  std::size_t attempts = 0;
  std::size_t rejected_error = 0;     // attempts whose error was too large
  std::size_t rejected_newton = 0;    // attempts whose stages did not converge
  std::size_t rejected_domain = 0;    // attempts that left the domain of the model
  std::size_t rejected_singular = 0;  // attempts with a singular iteration matrix
  std::size_t f_evals = 0;
  std::size_t jac_evals = 0;
  std::size_t factorizations = 0;  // one each time the iteration matrices were factored
  std::size_t linear_solves = 0;
  std::size_t linear_iterations = 0;  // of GMRES, in these
  std::size_t newton_iterations = 0;
  JacobianTally jacobians_by = {};            // their sum is jac_evals
  FactorizationTally factorizations_by = {};  // their sum is factorizations
  // Of each component. Attempts that were not judged, or had no error, count for none.
  std::vector<LargestErrors> largest_errors = {};
  TimeProfile over_time = {};                        // all attempts
  std::size_t jacobian_checks = 0;                   // of a user's Jacobian, against differences
  std::optional<WrongJacobian> wrong_jacobian = {};  // from then on, differences replace it
  std::size_t state_changes = 0;                     // to other states of the same model
  std::size_t handed_back = 0;  // attempts that generated code left to the library
  EventCounts events = {};
  std::vector<Switch> switches = {};  // of methods that change during a run, from the start on
  std::vector<UnstableStretch> unstable = {};  // by these methods

  std::size_t rejected() const {
    return rejected_error + rejected_newton + rejected_domain + rejected_singular;
  }
  std::size_t judged() const;  // the sum of largest_errors

  // The components that ever had the largest error, the most frequent first.
  std::vector<std::size_t> ranked_components() const;

  // Adds the work of a later run. Its component i is number components[i] here.
  void add(const Statistics& later, std::span<const std::size_t> components);

  void clear();  // all counts to 0; allocates nothing

  void archive(Archive& a) {
    a(steps, attempts, rejected_error, rejected_newton, rejected_domain, rejected_singular, f_evals,
      jac_evals, factorizations, linear_solves, linear_iterations, newton_iterations, jacobians_by,
      factorizations_by, largest_errors, over_time, jacobian_checks, wrong_jacobian, state_changes,
      handed_back, events, switches, unstable);
  }
};

// One accepted step; the report draws the step sizes from these.
struct StepRecord {
  double t = 0.0;  // where the step ended
  double h = 0.0;
  double error = 0.0;
};

}  // namespace daedalus::solution
