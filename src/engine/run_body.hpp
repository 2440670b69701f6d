// The body of a run of a model: with all choices of its states and all kinds of steps that it
// needs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/model_run.hpp"
#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/hybrid/run.hpp"
#include "engine/recorders.hpp"
#include "engine/segment.hpp"
#include "engine/state_watch.hpp"
#include "engine/swap.hpp"

namespace daedalus::engine {

enum class FirstStates { Good, Other };

// Watches for whatever makes a segment end, or a run pause.
class RunWatch final : public hybrid::Supervisor {
 public:
  RunWatch(double stop, std::optional<SwapPlan> plan, std::optional<StateWatch>& states)
      : stop_(stop), plan_(plan), states_(states) {}

  bool is_needed() const { return plan_ || states_; }
  void pause_at(const Pause& pause) { pause_ = pause; }

  std::optional<double> leaves_at(const solution::DenseStep& step) override;
  bool pauses(double t) override;

  std::function<void()> prepare;   // generated steps, in the background
  std::function<bool()> is_whole;  // whether the run could be stored
  const std::optional<StateChange>& change() const { return change_; }
  bool swaps() const { return swaps_; }  // where it has paused
  bool is_wanted() const { return is_wanted_; }

  void archive(Archive& a);

 private:
  double stop_;
  std::optional<SwapPlan> plan_;
  std::optional<StateWatch>& states_;
  Pause pause_;
  std::size_t steps_ = 0;
  bool swaps_ = false, is_wanted_ = false;
  std::optional<StateChange> change_;
};

// Adds the seconds of its lifetime to a phase.
class Stopwatch {
 public:
  explicit Stopwatch(Phase& phase) : phase_(phase) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    phase_.seconds += std::chrono::duration<double>(Clock::now() - begin_).count();
    phase_.peak_bytes = peak_memory();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Phase& phase_;
  Clock::time_point begin_ = Clock::now();
};

class RunBody {
 public:
  using Stop = ModelRun::Stop;
  enum class Pauses { Never, May };
  struct Task {
    const Model& model;
    const Options& options;
    FirstStates first_states = FirstStates::Good;
    Pauses pauses = Pauses::May;
  };

  // Nothing has happened yet; options that make no sense are an Error.
  static Result<std::unique_ptr<RunBody>> make(const Task& task);

  std::optional<Error> start();
  std::optional<Error> restore(const RunState& state);
  std::optional<Error> start_from(const RunState& state);

  Result<Stop> advance(const Pause& pause);
  double time() const { return has_begun_ ? result_.outcome.time : t_; }
  Result<RunState> state();
  solution::Solution finish();

 private:
  using Codes = std::vector<integrate::StepCode>;

  RunBody(const Task& task, ResolvedOptions resolved);

  std::optional<Error> find_first_codes();
  std::optional<Error> go_on();
  std::optional<Error> open_segment();
  void begin_segment();
  std::optional<Error> next_segment();
  void fail_start(solution::Outcome outcome);

  bool has_generated_steps() const;
  std::vector<double> values_at(double t, std::span<const double> y) const;
  std::string first_method() const;
  Result<Codes> find_codes(double t, std::span<const double> y, const std::string& method);
  bool generates_members() const;
  integrate::FindSteps find_steps_of_members();
  void prepare_codes();
  void note_generated(const std::string& method);
  void note_form(const Codes& codes);
  std::optional<SwapPlan> swap_plan() const;
  integrate::Options options_from(double t) const;

  std::optional<Error> begin_with_good_states();
  std::optional<Error> begin_with_other_states();
  template <class Choice>
  std::optional<Error> begin_with_states(Choice choose, double ratio);
  std::optional<Error> change_states(const StateChange& change);
  std::optional<Error> take_choice(const std::optional<structure::StateChoice>& choice);
  Result<const runtime::ModelSystem*> system_of(
      const std::optional<structure::StateChoice>& choice) const;
  std::optional<Span> place_of_fault() const;

  std::vector<std::pair<std::string, std::string>> fixed_options() const;
  struct Essence;
  Essence essence() const;
  static std::optional<Error> read(Archive& reader, Essence& stored);
  std::optional<Error> refuse_others(const Essence& essence) const;
  std::optional<Error> take(const Essence& essence);
  std::optional<Error> archive_codes(Archive& a);
  std::optional<Error> archive_rest(Archive& a);

  const Model& model_;
  const Options options_;
  ResolvedOptions resolved_;
  const Company company_;
  const FirstStates first_states_;
  const Pauses pauses_;
  Pause pause_;
  solution::Solution result_;
  Phase integrate_{.name = "integrate"};  // without:
  Phase generate_{.name = "inline"};      // steps, during the run
  bool has_begun_ = false;                // the segment, so that there is one
  bool has_ended_ = false;
  std::optional<std::string> end_;  // what terminate() said at the start

  std::optional<structure::StateChoice> choice_;  // of the states; none: the model's own
  struct Generated {
    std::optional<structure::StateChoice> choice = {};
    std::string method = {};
    bool operator==(const Generated&) const = default;
    void archive(Archive& a) { a(choice, method); }
  };
  std::vector<Generated> generated_;  // steps
  const runtime::ModelSystem* system_;
  system::Held held_;           // by the run
  std::vector<double> values_;  // of all variables, when states are chosen
  std::optional<ModelRecorder> rows_;

  double t_ = 0.0;  // where the segment starts, and the states there
  std::vector<double> y_;
  bool is_generated_ = false, is_first_ = true;
  double step_size_ = 0.0;  // of its first step; 0: chosen anew
  std::optional<StateWatch> states_;
  std::optional<RunWatch> watch_;
  std::unique_ptr<Segment> segment_;
  Segment::Stop stop_ = Segment::Stop::Ended;  // of the segment
};

}  // namespace daedalus::engine
