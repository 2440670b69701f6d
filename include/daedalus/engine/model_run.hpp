// A run of a model that can pause, be stored between two of its steps, and continue elsewhere.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <string>

#include "daedalus/engine/engine.hpp"

namespace daedalus::engine {

class RunBody;

// All that the rest of a run depends on, as bytes of this build of the program.
struct RunState {
  double time = 0.0;
  std::string bytes;
};

// When a run pauses: after the first step that ends at or after a time, or after the step during
// which another thread has asked for it.
struct Pause {
  double at = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* asked = nullptr;
};

// simulate() in pieces. The model, and what the options point to, must outlive it. Only one thread
// at a time may use a run; several threads may use different runs of one model.
class ModelRun {
 public:
  // At the start of the run. Options that make no sense are an Error.
  static Result<ModelRun> start(const Model& model, const Options& options = {});

  // Continues where the state was stored: takes the same steps from there, to the bit, as the run
  // whose state it is. The model, its settings and the options have to be the same; only the stop
  // time, the limits, and what takes rows and events may differ. Anything else is an Error.
  static Result<ModelRun> restore(const Model& model, const Options& options,
                                  const RunState& state);

  // A new run of the model from where the state was stored, with everything from there except the
  // values of parameters: states and discrete variables stay, the rest follows from the equations,
  // and events that are due happen. The model may have other parameters than the one that was
  // stored. Steps are chosen anew.
  static Result<ModelRun> start_from(const Model& model, const Options& options,
                                     const RunState& state);

  ModelRun(ModelRun&&) noexcept;
  ModelRun& operator=(ModelRun&&) noexcept;
  ~ModelRun();

  enum class Stop {
    Paused,
    Interrupted,  // by Options::interrupt, time_limit or max_steps: it could go on
    Ended,        // there is nothing left to do
  };
  // Goes on. An Error comes from compiling code on the way; after it the run has ended.
  Result<Stop> advance(const Pause& pause = {});

  double time() const;

  // The state where it has paused or was interrupted. A run whose steps are timed cannot be stored.
  Result<RunState> state();

  // The results; the run is over after this call.
  solution::Solution finish();

 private:
  explicit ModelRun(std::unique_ptr<RunBody> body);

  std::unique_ptr<RunBody> body_;
};

}  // namespace daedalus::engine
