// One run of one of our methods, and how long it takes when it is repeated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/integrate/automatic.hpp"
#include "daedalus/system/system.hpp"

namespace bench {

struct Run {
  bool finished = false;
  std::vector<double> y = {};
  std::size_t steps = 0, f_evals = 0, jac_evals = 0, factorizations = 0;
  std::string message = {};
};

struct Task {
  const daedalus::system::System& system;
  double t0 = 0.0, t1 = 1.0;
  const std::vector<double>& y0;
  double rtol = 1e-6, atol = 1e-9;
  std::vector<daedalus::integrate::StepCode> steps = {};  // generated; empty: the library's own
  daedalus::integrate::FindSteps find_steps = nullptr;    // the same for those that `auto` takes
};

// From the construction of the integrator to its destruction; no values between the ends are kept.
// An unknown method throws an exception.
Run run_ours(const std::string& method, const Task& task);

// Runs of one task with one integrator, which keeps its memory between them, like codes whose
// callers provide the work arrays.
class Runs {
 public:
  Runs(const std::string& method, const Task& task);

  const Run& again();  // the last one

 private:
  const std::vector<double>& y0_;
  std::unique_ptr<daedalus::integrate::Integrator> integrator_;
  Run run_;
};

struct Times {
  double seconds =
      0.0;  // the lower decile: single readings of the clock are too small now and then
  double median = 0.0;
  double wall_median = 0.0;
  std::size_t repetitions = 0;
};

// Repeats a function that returns whether it succeeded, until this many seconds are spent; it is
// not repeated if it fails or takes longer than `too_long`. Processor time of the thread, less that
// of reading the clock.
Times repeat(const std::function<bool()>& run, double seconds, double too_long);

}  // namespace bench
