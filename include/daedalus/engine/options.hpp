// What a caller may choose about a run.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/hybrid/choices.hpp"
#include "daedalus/integrate/choices.hpp"
#include "daedalus/methods/automatic.hpp"
#include "daedalus/solution/progress.hpp"
#include "daedalus/solution/row_sink.hpp"

namespace daedalus::engine {

// Whether steps are taken by code that is generated for the model and the method together.
enum class Inlining {
  Auto,  // where that is faster overall
  On,
  Off,
};

// What is not given comes from the model's experiment, and after that from the defaults.
struct Options {
  std::optional<double> start = {};
  std::optional<double> stop = {};
  std::optional<double> rtol = {};
  std::optional<double> atol = {};  // times each variable's nominal size, which is 1 if not given
  std::optional<std::size_t> intervals = {};  // of the output grid
  std::optional<double> interval = {};        // instead: the length of one
  std::optional<double> step = {};            // fixed; methods without an error estimate need one
  std::optional<double> max_step = {};
  std::optional<std::size_t> max_steps = {};  // attempted steps, then the run gives up
  std::string method = methods::default_method;
  integrate::Norm norm = integrate::Norm::Rms;
  integrate::Controller controller = integrate::Controller::Family;
  integrate::LinearSolver linear_solver = integrate::LinearSolver::Suitable;
  Inlining inlining = Inlining::Auto;
  hybrid::Zeno zeno = hybrid::Zeno::Stop;
  hybrid::Chattering chattering = hybrid::Chattering::Stop;
  // Simulated seconds per second of wall time: each fixed step is timed, and has to be taken within
  // its share of time.
  std::optional<double> real_time = {};
  std::function<bool(const std::string&)> is_recorded = {};  // by name; none: every variable is
  solution::RowSink* row_sink = nullptr;  // gets every row as soon as it is computed
  bool keeps_rows = true;                 // in the Solution's table; otherwise only the last one
  std::size_t most_event_records = 1000;  // that the log keeps; events beyond are counted only
  solution::EventSink* event_sink = nullptr;     // gets every event as soon as it is settled
  const std::atomic<bool>* interrupt = nullptr;  // set by another thread, it ends the run
  std::optional<double> time_limit = {};         // seconds that a run may take; then it ends
  solution::Progress* progress = nullptr;        // for other threads to see how far the run is
};

}  // namespace daedalus::engine
