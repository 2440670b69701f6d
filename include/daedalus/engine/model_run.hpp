// A run of a model that can pause, be stored between two of its steps, and go on elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include "daedalus/engine/engine.hpp"

namespace daedalus::engine {

class RunBody;

// All that the rest of a run depends on, as bytes of this build of the program.
struct RunState {
  double time = 0.0;
  std::size_t steps = 0;  // that the run has taken until then
  std::string bytes;
};

// Where a run pauses: after the first step that ends at or after a time, or after the step during
// which another thread has asked for it.
struct Pause {
  double at = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* asked = nullptr;
};

// simulate() in pieces. The model, and what the options point to, must live longer. One thread at a
// time may use a run; runs of one model may go on in several threads.
class ModelRun {
 public:
  // At the start of the run. Options that make no sense are an Error.
  static Result<ModelRun> start(const Model& model, const Options& options = {});

  // Where the state was stored: takes the same steps from there, to the bit, as the run that it was
  // stored from. It has to be of the same model with the same settings and options; only the stop
  // time, limits, and what takes rows and events may be others. Anything else is an Error.
  static Result<ModelRun> restore(const Model& model, const Options& options,
                                  const RunState& state);

  // A new run of the model from where the state was stored, with what is there but the values of
  // parameters: states and discrete variables stay, the rest follows from the equations, and events
  // that are due happen. The model may have other parameters than the one that was stored. Steps
  // are chosen anew.
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
  // Goes on. An Error is one of compiling code on the way, after which the run has ended.
  Result<Stop> advance(const Pause& pause = {});

  double time() const;

  // Where it has paused or was interrupted. A run whose steps are timed cannot be stored.
  Result<RunState> state();

  // What the run gives back; it is over then.
  solution::Solution finish();

 private:
  explicit ModelRun(std::unique_ptr<RunBody> body);

  std::unique_ptr<RunBody> body_;
};

}  // namespace daedalus::engine
