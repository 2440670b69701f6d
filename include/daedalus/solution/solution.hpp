// The result of a run: values, statistics, the history of its steps and the reason why it ended.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/timing.hpp"
#include "daedalus/solution/event_log.hpp"
#include "daedalus/solution/outcome.hpp"
#include "daedalus/solution/statistics.hpp"

namespace daedalus::solution {

enum class Kind { Real, Integer, Boolean };

// A named quantity. It either varies over the run and has a column in the table, or is constant and
// is in `constants`. Aliases share a place, the negated ones with sign -1.
struct Variable {
  std::string name;
  std::string unit = {};
  std::string description = {};
  Kind kind = Kind::Real;
  bool is_constant = false;
  std::size_t place = 0;
  int sign = 1;
};

// How long steps of a fixed size took, each of which has the same deadline.
struct RealTime {
  double rate = 1.0;      // simulated seconds per second of real time
  double deadline = 0.0;  // of a step, in seconds
  std::size_t steps = 0;
  std::size_t missed = 0;  // steps that took longer
  double longest = 0.0;    // in seconds
  double total = 0.0;
};

struct Series {
  std::vector<double> time;
  std::vector<double> values;
};

// The stored values: rows of `width` numbers, starting with the time.
struct Table {
  std::vector<Variable> variables = {};  // without time
  std::vector<double> constants = {};
  std::size_t width = 1;
  std::vector<double> cells = {};  // row by row

  std::size_t rows() const { return cells.size() / width; }
  std::span<const double> row(std::size_t row) const { return {&cells[row * width], width}; }
  double time(std::size_t row) const { return cells[row * width]; }
  double value(const Variable& variable, std::size_t row) const {
    return variable.sign *
           (variable.is_constant ? constants[variable.place] : cells[row * width + variable.place]);
  }
  const Variable* find(std::string_view name) const;
};

// A state and the attempts in which it had the largest error.
struct LimitingState {
  std::string name;
  std::size_t attempts = 0;
  std::size_t rejected = 0;  // of these, by the error test
};

// What the counts of a run say about its steps, in the order of importance.
struct Effort {
  std::size_t judged = 0;               // attempts with a nonzero error estimate
  std::vector<LimitingState> limiting;  // the most frequent first
  std::size_t more_limiting = 0;        // number of further states
  std::vector<TimeSlice> slices;        // each with about as many attempts
  TimeSlice busiest_half;               // the shortest stretch with half of the attempts
};

// By how much the rows violate, at worst, the constraints of the model that were differentiated.
struct ConstraintDrift {
  double largest = 0.0;  // violation relative to the contributions of the constraint's variables
  double time = 0.0;
  int derivative = 0;  // of the constraint that was violated most; 0 for the constraint itself
  std::string equation = {};  // as text
  Span span = {};
};

struct Solution {
  Outcome outcome;
  Statistics statistics;
  std::vector<std::string> states;  // the names of the components that the statistics count
  Table table;
  std::vector<StepRecord> history;  // of all steps, or of every second, fourth, ... if very many
  EventLog events;
  std::string method;
  Phases phases;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // how the start was found: assumptions and difficulties
  std::optional<ConstraintDrift> constraint_drift;  // where the model has such constraints
  bool is_inlined = false;  // generated steps were taken, though perhaps not from the start
  std::string step_form;    // how these find their stages, "torn" or "state space"
  std::optional<RealTime> real_time;

  // The values of a variable over the run; an unknown name throws Failure.
  Series operator[](std::string_view name) const;
  double final_value(std::string_view name) const;
  std::string summary() const;  // a few lines for people

  // At most this many states and slices.
  Effort effort(std::size_t most_states = 20, std::size_t most_slices = 20) const;
};

}  // namespace daedalus::solution
