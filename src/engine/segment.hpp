// A part of a run that one integrator takes.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/integrate/automatic.hpp"
#include "daedalus/solution/solution.hpp"
#include "engine/deadline.hpp"

namespace daedalus::engine {

// What may end a run from outside, and the progress that others read.
struct Company {
  explicit Company(const Options& options)
      : interrupt(options.interrupt), progress(options.progress), deadline(options.time_limit) {}

  const std::atomic<bool>* interrupt;
  solution::Progress* progress;
  Deadline deadline;
};

// For a run with these options from its start on.
integrate::Options integrator_options(const ResolvedOptions& resolved, std::vector<double> atol,
                                      const Company& company);

// What a segment works with; all of it must outlive the segment.
struct SegmentParts {
  const system::System& system;
  const ResolvedOptions& resolved;
  solution::Recorder& recorder;
  system::Held& held;
  std::function<void(hybrid::Mixture*)> mixture = {};  // as in hybrid::Options
  hybrid::Supervisor* supervisor = nullptr;
  bool is_continued = false;             // the recorder has been told of its start
  integrate::FindSteps find_steps = {};  // of methods that an automatic run takes up
};

class Segment {
 public:
  using Stop = hybrid::Run::Stop;

  // From options.start to options.stop, or to where the supervisor stops it. With codes, these take
  // the steps. Where the run is and how it ends is written to the result.
  static Result<std::unique_ptr<Segment>> make(const SegmentParts& parts,
                                               integrate::Options options,
                                               const std::vector<integrate::StepCode>& codes,
                                               solution::Solution& result);

  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Stop start(std::span<const double> y);
  Stop go_on();  // from where it has paused or was interrupted, or from what was read

  // After the last stop: adds statistics and warnings to the result.
  void end();

  double step_size() const { return integrator_->step_size(); }  // currently in use
  std::span<const double> state() const { return state_; }       // at the last stop
  const solution::Statistics& statistics() const { return integrator_->statistics(); }

  // When the run has paused or was interrupted; read by another segment of the same parts.
  void archive(Archive& a);

 private:
  Segment(const SegmentParts& parts, const integrate::Options& options, solution::Solution& result);
  void tell(solution::Progress* progress);
  void take(std::unique_ptr<integrate::Integrator> integrator, const SegmentParts& parts);
  Stop stopped(Stop stop);
  Stop run_timed(std::span<const double> y);

  const system::System& system_;
  solution::Recorder& recorder_;
  solution::Solution& result_;
  solution::Progress* progress_ = nullptr;  // of the run, if somebody looks at it
  double start_;
  hybrid::Options options_;
  std::unique_ptr<integrate::Integrator> integrator_;  // null: the run is of length 0
  hybrid::Stretches stretches_;
  std::unique_ptr<hybrid::Run> run_;
  Stop stop_ = Stop::Ended;
  bool is_told_ = false;  // what there is to tell
  std::vector<double> state_;
};

}  // namespace daedalus::engine
