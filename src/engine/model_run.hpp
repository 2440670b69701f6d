// A run of a model, through all choices of its states and all kinds of steps that it needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/engine/engine.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/hybrid/run.hpp"
#include "engine/recorders.hpp"
#include "engine/segment.hpp"
#include "engine/state_watch.hpp"
#include "engine/swap.hpp"

namespace daedalus::engine {

enum class FirstStates { Good, Other };

// What a run is about; all of it lives longer.
struct ModelTask {
  const Model& model;
  const ResolvedOptions& resolved;
  const Options& options;
  const Company& company;
  FirstStates first_states = FirstStates::Good;
};

class ModelRun {
 public:
  ModelRun(const ModelTask& task, const runtime::Start& start, solution::Solution& result);

  // Generates the steps, where that is asked for, so that a refusal is known before the run.
  std::optional<Error> prepare();
  std::optional<Error> run();

 private:
  using Codes = std::vector<integrate::StepCode>;

  bool has_generated_steps() const;
  std::vector<double> values_at(double t, std::span<const double> y) const;
  Result<Codes> find_codes(double t, std::span<const double> y) const;
  void note_form(const Codes& codes);
  std::optional<Error> go_along(double t, ModelRecorder& rows);
  std::optional<SwapPlan> swap_plan() const;
  integrate::Options options_from(double t) const;
  std::optional<Error> begin_with_good_states(double t);
  std::optional<Error> begin_with_other_states(double t);
  template <class Choice>
  std::optional<Error> begin_with_states(double t, Choice choose, double ratio);
  std::optional<Error> change_states(const StateChange& change);
  std::optional<Span> place_of_fault() const;

  const ModelTask task_;
  solution::Solution& result_;
  const runtime::ModelSystem* system_;
  system::Held held_;           // by the run
  std::vector<double> values_;  // of all variables, where states are chosen
  std::vector<double> y_;
};

}  // namespace daedalus::engine
