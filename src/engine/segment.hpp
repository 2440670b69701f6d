// A part of a run that one integrator takes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "daedalus/engine/options.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/solution/solution.hpp"
#include "engine/deadline.hpp"

namespace daedalus::engine {

// What may end a run from outside, and who wants to see how far it is.
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

// What a segment works with; all of it lives longer.
struct Segment {
  const system::System& system;
  const ResolvedOptions& resolved;
  solution::Recorder& recorder;
  system::Held& held;
  std::function<void(hybrid::Mixture*)> mixture = {};  // as in hybrid::Options
  hybrid::Supervisor* supervisor = nullptr;
  bool is_continued = false;  // the recorder knows of its start
};

struct SegmentEnd {
  hybrid::Run::Stop stop = hybrid::Run::Stop::Ended;
  double step_size = 0.0;  // that was in use
};

// From `y` at options.start to options.stop, or to where the supervisor has it stop; `y` is the
// state there, and the outcome of the result tells the time. With code, that takes the steps. What
// there is to tell is added to the result.
Result<SegmentEnd> integrate(const Segment& segment, integrate::Options options,
                             std::vector<integrate::StepCode> codes, std::span<double> y,
                             solution::Solution& result);

}  // namespace daedalus::engine
