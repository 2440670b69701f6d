// Artificial runs for the tests of the report, without a model or an integrator.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/report/incidence.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::report::sample {

constexpr const char* hostile_name = "<script>alert(1)</script>";

// Steps whose size grows and is cut back now and then, as in a real run.
inline std::vector<solution::StepRecord> step_history(double stop) {
  std::vector<solution::StepRecord> history;
  double t = 0.0;
  for (int i = 0; t < stop; ++i) {
    const double h = std::min(1e-4 * std::pow(1.25, i % 45), stop - t);
    t += h;
    history.push_back({.t = t, .h = h, .error = 0.05 + 0.9 * std::abs(std::sin(0.7 * i))});
  }
  return history;
}

// Counts that fit the history: rejections among the small steps, one state that limits most steps.
inline void add_effort(solution::Solution& run) {
  solution::Statistics& work = run.statistics;
  std::size_t rejected = 0;
  for (const solution::StepRecord& step : run.history) {
    if (step.error > 0.9 && rejected < work.rejected()) {
      work.over_time.attempt(step.t - step.h);
      work.over_time.reject();
      ++rejected;
    }
    work.over_time.attempt(step.t - step.h);
  }
  work.largest_errors.resize(run.states.size());
  std::size_t left = work.attempts - work.rejected_newton;
  for (std::size_t i = run.states.size(); i-- > 0 && left > 0;) {
    const std::size_t share = i == 0 ? left : (2 * left + 2) / 3;
    work.largest_errors[i] = {.attempts = share,
                              .rejected = share * work.rejected_error / work.attempts};
    left -= share;
  }
  using solution::FactorizationCause;
  using solution::JacobianCause;
  work.jacobians_by[JacobianCause::First] = 1;
  work.jacobians_by[JacobianCause::SlowConvergence] = 33;
  work.jacobians_by[JacobianCause::RejectedNewton] = 7;
  work.factorizations_by[FactorizationCause::NewJacobian] = 41;
  work.factorizations_by[FactorizationCause::StepChanged] = 130;
  work.factorizations_by[FactorizationCause::Rejected] = 59;
}

// A damped oscillation of `count` masses over `rows` points; half of the variables are in m, half
// in m/s.
inline solution::Solution oscillation(std::size_t count, std::size_t rows) {
  solution::Solution run;
  const double stop = 20.0;
  run.method = "radau5";
  run.outcome.time = stop;
  run.history = step_history(stop);
  run.statistics = {.steps = run.history.size(),
                    .attempts = run.history.size() + 66,
                    .rejected_error = 60,
                    .rejected_newton = 6,
                    .f_evals = 9876,
                    .jac_evals = 41,
                    .factorizations = 230,
                    .linear_solves = 5000,
                    .newton_iterations = 4321};
  run.phases = {{"integrate", 0.0421}};

  solution::Table& table = run.table;
  table.width = count + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_speed = i % 2 == 1;
    table.variables.push_back(
        {.name = fmt::format("mass[{}].{}", i / 2 + 1, is_speed ? "v" : "s"),
         .unit = is_speed ? "m/s" : "m",
         .description = fmt::format("{} of mass {}", is_speed ? "speed" : "position", i / 2 + 1),
         .place = i + 1});
    run.states.push_back(table.variables.back().name);
  }
  add_effort(run);
  for (std::size_t row = 0; row < rows; ++row) {
    const double t =
        rows > 1 ? stop * static_cast<double>(row) / static_cast<double>(rows - 1) : 0.0;
    table.cells.push_back(t);
    for (std::size_t i = 0; i < count; ++i) {
      const double mass = static_cast<double>(i / 2 + 1);
      const double omega = 1.0 + 0.35 * mass;
      const double phase = omega * t + (i % 2 == 1 ? 1.5707963267948966 : 0.0);
      table.cells.push_back(std::exp(-0.15 * t) * std::cos(phase) * (i % 2 == 1 ? omega : 1.0) /
                            std::sqrt(mass));
    }
  }
  return run;
}

// Each of 500 states has the largest error now and then.
inline solution::Solution many_limits() {
  solution::Solution run = oscillation(500, 51);
  for (std::size_t i = 0; i < 500; ++i) run.statistics.largest_errors[i] = {.attempts = 1 + i % 7};
  return run;
}

inline void add_constant(solution::Table& table, solution::Variable variable, double value) {
  variable.is_constant = true;
  variable.place = table.constants.size();
  table.variables.push_back(std::move(variable));
  table.constants.push_back(value);
}

// Twenty trajectories in two units, aliases of both signs, parameters, a Boolean, and a name that
// is a script.
inline solution::Solution typical() {
  solution::Solution run = oscillation(19, 501);
  solution::Table& table = run.table;
  table.variables[4].name = hostile_name;
  run.states[18] = hostile_name;
  table.variables.push_back(
      {.name = "anchor.s", .unit = "m", .description = "same as mass[1].s", .place = 1});
  table.variables.push_back({.name = "anchor.pull",
                             .unit = "m",
                             .description = "against mass[1].s",
                             .place = 1,
                             .sign = -1});
  add_constant(table, {.name = "mass[1].m", .unit = "kg", .description = "mass"}, 1.5);
  add_constant(table,
               {.name = "spring.c", .unit = "N/m", .description = "stiffness <b>not bold</b>"},
               1.0 / 3.0);
  add_constant(table,
               {.name = "n", .description = "number of masses", .kind = solution::Kind::Integer},
               10.0);
  add_constant(
      table,
      {.name = "use_damper", .description = "true: with damper", .kind = solution::Kind::Boolean},
      1.0);
  table.variables.push_back({.name = "spring.minus_c",
                             .unit = "N/m",
                             .description = "negated",
                             .is_constant = true,
                             .place = 1,
                             .sign = -1});

  // One more cell in each row: a Boolean that is true while the first mass is on the right.
  std::vector<double> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double* begin = table.cells.data() + row * table.width;
    cells.insert(cells.end(), begin, begin + table.width);
    cells.push_back(begin[1] > 0.0 ? 1.0 : 0.0);
  }
  table.variables.push_back({.name = "is_right",
                             .description = "on the right",
                             .kind = solution::Kind::Boolean,
                             .place = table.width});
  table.width += 1;
  table.cells = std::move(cells);
  return run;
}

inline RunDescription description() {
  return {
      .model = "Chain",
      .description =
          "Ten masses, ten springs and a damper \xE2\x80\x93 with \"quotes\" & <angle brackets>",
      .file = "models/Chain.mo",
      .version = "0.1.0",
      .command =
          "daedalus simulate models/Chain.mo --model Chain --stop 20 --rtol 1e-6 --set "
          "'spring.c=0.3' "
          "--method radau5 --report chain.html",
      .options = {{"method", "radau5"},
                  {"rtol", "1e-6"},
                  {"atol", "1e-9"},
                  {"start", "0"},
                  {"stop", "20"}},
      .sizes = {{"equations", "214"},
                {"after reduction", "20"},
                {"states", "20"},
                {"aliases", "97"},
                {"blocks", "41"},
                {"largest torn block", "6 \xE2\x86\x92 1"}},
      .phases = {{"parse", 0.0021}, {"flatten", 0.0113}, {"reduce", 0.0058}, {"compile", 0.0874}},
      .warnings = {
          "Chain.mo:12:3: warning: `mass[3].s` has no start value; 0 is used [model.no-start]"}};
}

// A loop of two equations after a single one, and a name that is not markup.
inline Incidence structure() {
  return {.title = "Chain",
          .subtitle = "3 equations and as many unknowns",
          .equations = {{"line 4", "a + b = 1", {0, 1}},
                        {"line 5", "a - b^3 = <b>x</b>", {0, 1, 2}},
                        {"line 6", "<b>x</b> = sin(time)", {2}}},
          .unknowns = {"a", "b", "<b>x</b>"},
          .sorted_equations = {2, 0, 1},
          .sorted_unknowns = {2, 0, 1},
          .blocks = {{1, 0}, {2, 1}}};
}

// Curves that are hard for axes: a drift in the last digits, huge, tiny, flat and missing values, a
// long name.
inline solution::Solution awkward() {
  solution::Solution run = oscillation(6, 501);
  solution::Table& table = run.table;
  const std::vector<std::string> names = {
      "drift", "huge",    "tiny",
      "flat",  "missing", "plant.boiler.drum.evaporator.medium.state.phase[12].temperature"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.variables[i].name = names[i];
    table.variables[i].unit = fmt::format("unit {}", names[i]);
    run.states[i] = names[i];
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    double* cells = table.cells.data() + row * table.width;
    cells[1] = 101325.0 + 1e-10 * static_cast<double>(row);
    cells[2] *= 1e300;
    cells[3] *= 1e-300;
    cells[4] = 0.0;
    if (row >= 200) cells[5] = std::nan("");
  }
  return run;
}

// A pulse of 2 us between two events in a run of 100,000 rows, a derivative, and steps that the
// events cut short: up to a nanosecond before them, and from there on again.
inline solution::Solution pulse() {
  solution::Solution run = oscillation(2, 100'000);
  solution::Table& table = run.table;
  table.variables[0].name = "u";
  table.variables[1].name = "der(u)";
  std::vector<double> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double t = table.time(row);
    if (t > 10.0 && cells[cells.size() - 3] <= 10.0) {
      for (const auto& [at, value] : {std::pair{10.0, 0.0}, std::pair{10.0, 5.0},
                                      std::pair{10.000002, 5.0}, std::pair{10.000002, 0.0}})
        cells.insert(cells.end(), {at, value, 1.0});
    }
    cells.insert(cells.end(), {t, 0.0, 1.0});
  }
  table.cells = std::move(cells);
  run.history.clear();
  double t = 0.0;
  for (const double h : {0.5, 4.5, 4.9, 0.1 - 1e-9, 1e-9, 2e-6, 1e-9, 0.4, 4.0, 5.599997999}) {
    t += h;
    run.history.push_back({.t = t, .h = h, .error = 0.5});
  }
  for (const double event : {10.0, 10.000002})
    run.events.records.push_back({.t = event, .is_time_event = true});
  run.statistics.steps = run.history.size();
  run.statistics.events.instants = 2;
  return run;
}

// A wave over 60 elements that moves by three elements each second, a matrix of 4 by 5, and a mean.
inline solution::Solution field() {
  solution::Solution run = oscillation(81, 501);
  solution::Table& table = run.table;
  for (std::size_t i = 0; i < 60; ++i) {
    table.variables[i] = {.name = fmt::format("rod.T[{}]", i + 1), .unit = "K", .place = i + 1};
  }
  for (std::size_t i = 0; i < 20; ++i) {
    table.variables[60 + i] = {
        .name = fmt::format("plate[{},{}]", i / 5 + 1, i % 5 + 1), .unit = "Pa", .place = 61 + i};
  }
  table.variables[80] = {.name = "mean", .unit = "K", .place = 81};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    double* const cells = table.cells.data() + row * table.width;
    for (std::size_t i = 0; i < 60; ++i) {
      const double distance = static_cast<double>(i + 1) - 3.0 * cells[0];
      cells[1 + i] = 300.0 + 50.0 * std::exp(-distance * distance / 20.0);
    }
    for (std::size_t i = 0; i < 20; ++i) cells[61 + i] = cells[0] * static_cast<double>(i);
    cells[81] = 310.0 + cells[0];
  }
  return run;
}

// A second run that is right at first and then moves away from the first one.
inline solution::Table second_run(const solution::Table& first) {
  solution::Table second = first;
  for (std::size_t row = 0; row < second.rows(); ++row)
    second.cells[row * second.width + 1] += 0.02 * std::max(second.time(row) - 10.0, 0.0);
  return second;
}

inline solution::Solution failed_at_start() {
  solution::Solution run;
  run.method = "radau5";
  run.outcome = {.status = solution::Status::Failed,
                 .reason = solution::Reason::InitialNonfinite,
                 .time = 0.0,
                 .variable = "drum.p",
                 .message = "the first evaluation of `drum.p` is not finite",
                 .hint = "give `drum.V` a start value other than 0"};
  return run;
}

}  // namespace daedalus::report::sample
