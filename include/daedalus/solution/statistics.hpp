// How much work a run was, and why.
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

// Why a Jacobian was evaluated. `Rejected...`: the attempt before was rejected for that, and it had
// the Jacobian of an earlier step, or none.
enum class JacobianCause {
  First,            // of the run
  EveryStep,        // the method takes one for each step
  SlowConvergence,  // of Newton's iteration in the step before
  RejectedError,
  RejectedNewton,
  RejectedDomain,
  RejectedSingular,
  Event,  // the first behind one
  Age,    // it has served many steps, or belongs to another step size
};

// Why the iteration matrices were factored.
enum class FactorizationCause {
  NewJacobian,
  StepChanged,  // after an accepted step
  Rejected,     // the attempt before was, and this one has another step size
  OrderChanged,
};

// How often something was done for each of the causes.
template <class Cause, std::size_t causes>
struct Tally {
  std::array<std::size_t, causes> times = {};  // in the order of the enumerators

  std::size_t& operator[](Cause cause) { return times[static_cast<std::size_t>(cause)]; }
  std::size_t operator[](Cause cause) const { return times[static_cast<std::size_t>(cause)]; }
};
using JacobianTally = Tally<JacobianCause, 9>;
using FactorizationTally = Tally<FactorizationCause, 4>;

// The names that stand in the JSON, e.g. "slow_convergence", in the order of the enumerators.
std::span<const std::string_view> jacobian_cause_names();
std::span<const std::string_view> factorization_cause_names();

// The attempts in which a component had the largest error in units of its tolerance.
struct LargestErrors {
  std::size_t attempts = 0;
  std::size_t rejected = 0;  // of these, by the error test
};

// An entry of a Jacobian that a user gave, and that differences of the equations contradict; for
// F(t, y, y') = 0 it is one of dF/dy + a dF/dy' with the a of the step.
struct WrongJacobian {
  std::size_t row = 0;
  std::size_t column = 0;
  double given = 0.0;
  double found = 0.0;  // by differences
  double t = 0.0;      // where
  bool is_in_pattern = true;

  void archive(Archive& a) { a(row, column, given, found, t, is_in_pattern); }
};

// In words; `variable` is the name of the column's.
std::string warning(const WrongJacobian& wrong, std::string_view variable);

// What the events of a run were, and what finding them took.
struct EventCounts {
  std::size_t instants = 0;       // at which there were events, several at one of them or not
  std::size_t state_events = 0;   // instants at which an indicator became negative
  std::size_t time_events = 0;    // instants that were known ahead
  std::size_t evaluations = 0;    // of the indicators
  std::size_t retaken_steps = 0;  // to end near an event
  double seconds = 0.0;           // from finding an event to going on behind it; estimated
  std::size_t slidings = 0;       // stretches along the surface where the sides of a relation meet
  std::size_t rests = 0;          // stretches behind events that accumulated
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
  std::size_t factorizations = 0;  // one for each time that the iteration matrices were factored
  std::size_t linear_solves = 0;
  std::size_t newton_iterations = 0;
  JacobianTally jacobians_by = {};            // together jac_evals
  FactorizationTally factorizations_by = {};  // together factorizations
  // Of each component. Attempts that were not judged, or without any error, are in none.
  std::vector<LargestErrors> largest_errors = {};
  TimeProfile over_time = {};       // all attempts
  std::size_t jacobian_checks = 0;  // of a Jacobian that a user gave, against differences
  std::optional<WrongJacobian> wrong_jacobian = {};  // since then there are differences
  std::size_t state_changes = 0;                     // to other states of the same model
  std::size_t handed_back = 0;  // attempts that generated code left to the library
  EventCounts events = {};

  std::size_t rejected() const {
    return rejected_error + rejected_newton + rejected_domain + rejected_singular;
  }
  std::size_t judged() const;  // the sum of largest_errors

  // The components that ever had the largest error, the most frequent first.
  std::vector<std::size_t> ranked_components() const;

  // Adds what another run did, later. Its component i is number components[i] here.
  void add(const Statistics& later, std::span<const std::size_t> components);

  void clear();  // all counts to 0; allocates nothing

  void archive(Archive& a) {
    a(steps, attempts, rejected_error, rejected_newton, rejected_domain, rejected_singular, f_evals,
      jac_evals, factorizations, linear_solves, newton_iterations, jacobians_by, factorizations_by,
      largest_errors, over_time, jacobian_checks, wrong_jacobian, state_changes, handed_back,
      events);
  }
};

// One accepted step; the report draws the step sizes from these.
struct StepRecord {
  double t = 0.0;  // where the step ended
  double h = 0.0;
  double error = 0.0;
};

}  // namespace daedalus::solution
