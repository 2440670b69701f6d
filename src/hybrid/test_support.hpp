// Hybrid systems of C++ functions and the results of running them, for the tests of this layer.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/hybrid/run.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::hybrid::testing_support {

using system::EventFunctions;
using system::Functions;
using system::FunctionSystem;
using system::Instant;
using system::Settling;
using Vector = std::span<const double>;
using Output = std::span<double>;

// Keeps the ends of all pieces, the values after events, and the dense output inside pieces.
struct Keeper final : solution::Recorder {
  struct Point {
    double t = 0.0;
    std::vector<double> y = {};
  };
  std::vector<Point> ends;
  std::vector<Point> insides;
  std::vector<Point> behind_events;
  double last_end = -std::numeric_limits<double>::infinity();
  bool is_gapless = true;  // every piece started where the previous one ended

  solution::Recording start(double t, Vector y) override {
    ends.push_back({t, {y.begin(), y.end()}});
    last_end = t;
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep& step) override {
    is_gapless &= step.begin() == last_end && step.end() > step.begin();
    last_end = step.end();
    ends.push_back({step.end(), {step.end_state().begin(), step.end_state().end()}});
    insides.push_back({step.begin() + 0.4 * (step.end() - step.begin()),
                       std::vector<double>(step.end_state().size())});
    step.at(insides.back().t, insides.back().y);
    return solution::Recording::Continue;
  }
  solution::Recording event(double t, Vector y) override {
    is_gapless &= t == last_end;
    behind_events.push_back({t, {y.begin(), y.end()}});
    return solution::Recording::Continue;
  }
};

struct Silent final : solution::Recorder {
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

struct Ran {
  solution::Outcome outcome;
  solution::Statistics statistics;
  solution::EventLog log;
  std::vector<double> y;
  Keeper kept;

  std::vector<double> event_times() const {
    std::vector<double> times;
    for (const solution::EventRecord& record : log.records) {
      if (!record.is_end) times.push_back(record.t);
    }
    return times;
  }
};

inline Ran run_with(const std::string& method, Functions functions, std::vector<double> y,
                    integrate::Options options, double time_tolerance = 0.0) {
  const FunctionSystem system(std::move(functions));
  const Options hybrid{.stop = options.stop,
                       .rtol = options.rtol,
                       .atol = options.atol,
                       .time_tolerance = time_tolerance};
  const auto integrator = integrate::make_integrator(method, system, std::move(options)).value();
  Ran ran{.outcome = {}, .statistics = {}, .log = {}, .y = std::move(y), .kept = {}};
  ran.outcome = run({*integrator, system, hybrid, ran.kept, &ran.log}, ran.y);
  ran.statistics = integrator->statistics();
  return ran;
}

// y' = 1, with events along it.
inline Functions clock(EventFunctions events) {
  return {.size = 1,
          .f = [](double, Vector, Output dydt) { dydt[0] = 1.0; },
          .names = {"x"},
          .events = std::move(events)};
}

// A ball above the ground, thrown back with the share `e` of its speed.
inline Functions bouncing_ball(double e, double g = 9.81) {
  return {.size = 2,
          .f =
              [g](double, Vector y, Output dydt) {
                dydt[0] = y[1];
                dydt[1] = -g;
              },
          .names = {"h", "v"},
          .events = EventFunctions{
              .sources = {{"h < 0"}},
              .indicators = [](double, Vector y, Output margins) { margins[0] = y[0]; },
              .settle = [e](const Instant& at, Output y) -> Settling {
                if (!at.crossed.empty()) y[1] = -e * y[1];
                return {.is_new_motion = !at.crossed.empty(), .iterations = 1};
              }}};
}

}  // namespace daedalus::hybrid::testing_support
