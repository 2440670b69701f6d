// What a caller has chosen about a run, as numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/engine/options.hpp"
#include "daedalus/model/experiment.hpp"

namespace daedalus::engine {

struct ResolvedOptions {
  double start = 0.0;
  double stop = 1.0;
  double rtol = 1e-6;
  std::optional<double> atol = {};  // none: from rtol and the nominal sizes
  double interval = 0.002;          // of the output grid; the last one may be shorter
  std::size_t intervals = 500;
  double step = 0.0;  // 0: chosen by the error estimate
  double max_step = 0.0;
  std::size_t max_steps = 0;
  std::string method;
  std::string method_written = {};  // as it was given, if that is another name of it
  integrate::Norm norm = integrate::Norm::Rms;
  integrate::Controller controller = integrate::Controller::Family;
  integrate::LinearSolver linear_solver = integrate::LinearSolver::Suitable;
  Inlining inlining = Inlining::Auto;
  hybrid::Zeno zeno = hybrid::Zeno::Stop;
  hybrid::Chattering chattering = hybrid::Chattering::Stop;
  std::optional<double> real_time = {};

  // For a variable without a nominal size: a thousandth of rtol.
  double default_atol() const { return 1e-3 * rtol; }

  // Whether a run may go on along surfaces on which events would not let it end.
  bool may_regularise() const {
    return zeno != hybrid::Zeno::Stop || chattering != hybrid::Chattering::Stop;
  }

  // Point k of the output grid; point `intervals` is exactly `stop`.
  double grid_point(std::size_t k) const {
    return k >= intervals ? stop : start + static_cast<double>(k) * interval;
  }
};

// Whether a run could go by the model's experiment alone; what is wrong is reported in its place.
bool check_experiment(const model::Experiment& experiment, Diagnostics& diagnostics);

// Defaults: 0 to 1 s, rtol 1e-6, atol rtol times the nominal size (or default_atol()), 500
// intervals. Options that make no sense or contradict each other are an Error.
Result<ResolvedOptions> resolve(const Options& options, const model::Experiment& experiment);

// An output grid with intervals of that length from the start on, up to the stop.
void keep_grid(double interval, ResolvedOptions& resolved);

}  // namespace daedalus::engine
