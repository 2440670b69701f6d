// The recorders of a run: values on the output grid and the history of the steps.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/runtime/model_system.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/solution/solution.hpp"
#include "daedalus/structure/constraint_monitor.hpp"
#include "engine/followed.hpp"

namespace daedalus::engine {

// Walks the output grid along with the steps and keeps the history; subclasses decide what a row
// consists of.
class GridRecorder : public solution::Recorder {
 public:
  GridRecorder(const ResolvedOptions& resolved, const Options& options,
               const system::System& system, solution::Solution& into)
      : into_(into),
        options_(resolved),
        sink_(options.row_sink),
        keeps_rows_(options.keeps_rows),
        state_(system.size()),
        end_(system.events() != nullptr ? system.size() : 0) {}

  solution::Recording start(double t, std::span<const double> y) override;
  solution::Recording step(const solution::DenseStep& step) override;
  solution::Recording event(double t, std::span<const double> y) override;

  // Adds the last row of a run that ended before its stop time, with the values at its end.
  void end(const solution::Outcome& outcome, std::span<const double> y);

  // Between two steps; a recorder that reads has been made for the same run. Its sink is told the
  // layout again. Not while a row is missing until the next event is known.
  virtual void archive(Archive& a);
  bool is_whole() const { return !is_row_missing_; }
  // The grid is another one from t on, where the run was stored.
  void move_to_grid(double t);

  // The outcome of a run whose rows the sink has refused.
  const std::optional<solution::Outcome>& refusal() const { return refusal_; }

 protected:
  virtual solution::Recording add_row(double t, std::span<const double> y) = 0;
  // Before an event and at an early end, the model may not be defined any more.
  virtual solution::Recording add_row_if_defined(double t, std::span<const double> y) {
    return add_row(t, y);
  }
  virtual void pass_event() {}  // rows from here on are after it

  // Stores the row that add_row() has made, the time first.
  solution::Recording store(std::span<const double> cells);

  solution::Solution& into_;

 private:
  void note_step(const solution::DenseStep& step);
  void note_refusal(std::optional<Error> error);

  const ResolvedOptions& options_;
  solution::RowSink* sink_;
  bool keeps_rows_;
  std::optional<solution::Outcome> refusal_;  // of the sink
  std::vector<double> state_;
  std::vector<double> end_;      // of the last step, where there are events
  double end_time_ = 0.0;        // of the last step
  std::size_t next_ = 0;         // the grid point that comes next
  std::size_t event_count_ = 0;  // of events; the first ones have rows of their own
  bool is_row_missing_ = false;  // at the end of the last step, where an event may follow
  std::size_t step_count_ = 0;
  std::size_t steps_for_each_kept_ = 1;  // in the history
};

// Rows of a user's own problem: the states as they are.
class StateRecorder final : public GridRecorder {
 public:
  StateRecorder(const ResolvedOptions& resolved, const Options& options,
                const system::System& system, solution::Solution& into);

 private:
  solution::Recording add_row(double t, std::span<const double> y) override;

  std::vector<double> row_;
};

// Rows of a model: its variables, evaluated at the point. Remembers variables that leave their
// bounds.
class ModelRecorder final : public GridRecorder {
 public:
  // `held` is what the run holds, and must outlive this object.
  ModelRecorder(const ResolvedOptions& resolved, const Options& options,
                const runtime::ModelSystem& system, const system::Held& held,
                solution::Solution& into);

  // The same variables with other states: from here on, rows come from these.
  void move_to(const runtime::ModelSystem& system, const system::Held& held);

  solution::Recording step(const solution::DenseStep& step) override;

  // From the next event on, rows are computed from this mixture; null: from what the run holds.
  void follow_mixture(hybrid::Mixture* mixture) { next_mixture_ = mixture; }

  // When reading, the mixture that the run follows, if any, must have been set before.
  void archive(Archive& a) override;

  // How well all rows keep to the constraints.
  std::optional<solution::ConstraintDrift> drift() const;

  // Why a row is missing, which ends the run unless it belongs to an event.
  const std::optional<solution::Outcome>& failure() const { return failure_; }

 private:
  solution::Recording add_row(double t, std::span<const double> y) override;
  solution::Recording add_row_if_defined(double t, std::span<const double> y) override;
  void pass_event() override;
  void take_mixture();
  void check_bounds(double t, std::span<const double> values);
  bool mix(double t, std::span<const double> y);

  const runtime::ModelSystem* system_;
  std::unique_ptr<system::Scratch> scratch_;
  Followed held_;
  hybrid::Mixture* mixture_ = nullptr;
  hybrid::Mixture* next_mixture_ = nullptr;
  std::vector<Followed> sides_;  // of the mixture
  std::vector<double> shares_, force_, values_;
  struct Bounded {
    structure::VariableId variable, value;  // an alias has its value in its representative
    int sign = 1;
    bool reported = false;
  };

  std::vector<structure::VariableId> columns_;
  std::vector<double> row_;
  std::vector<Bounded> bounded_;  // those that declare a minimum or a maximum
  structure::ConstraintMonitor constraints_;
  const structure::StructuredModel& first_model_;
  std::optional<solution::Outcome> failure_;
};

}  // namespace daedalus::engine
