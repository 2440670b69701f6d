#include "cli/simulation_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "cli/events.hpp"
#include "cli/model_run.hpp"
#include "cli/run_summary.hpp"

namespace daedalus::cli {
namespace {

using solution::Solution;

report::Properties option_list(const engine::ResolvedOptions& r) {
  report::Properties list = {
      {"method", r.method},
      {"start", fmt::format("{:g} s", r.start)},
      {"stop", fmt::format("{:g} s", r.stop)},
      {"rtol", fmt::format("{:g}", r.rtol)},
      {"atol", r.atol ? fmt::format("{:g} x nominal", *r.atol)
                      : fmt::format("rtol x nominal, or {:g}", r.default_atol())},
      {"output interval", fmt::format("{:g} s ({})", r.interval, r.intervals)},
      {"step", r.step > 0.0 ? fmt::format("{:g} s, fixed", r.step) : "by the error estimate"},
      {"max-step", fmt::format("{:g} s", r.max_step)},
      {"max-steps", fmt::format("{}", r.max_steps)}};
  for (const auto& choice : chosen_numerics(r.norm, r.controller, r.linear_solver))
    list.push_back(choice);
  for (const auto& choice : chosen_event_ways(r.zeno, r.chattering)) list.push_back(choice);
  return list;
}

Json drift_json(const engine::Model& model, const Solution& solution) {
  if (!solution.constraint_drift) return nullptr;
  const solution::ConstraintDrift& drift = *solution.constraint_drift;
  Json object = {{"largest", drift.largest},
                 {"time", drift.time},
                 {"equation", drift.equation},
                 {"derivative", drift.derivative}};
  object.update(place_json(model, drift.span));
  return object;
}

Json real_time_json(const solution::RealTime& timing) {
  return {{"rate", timing.rate},
          {"deadline_s", timing.deadline},
          {"steps", timing.steps},
          {"missed", timing.missed},
          {"longest_s", timing.longest},
          {"mean_s", timing.total / static_cast<double>(std::max<std::size_t>(1, timing.steps))}};
}

// "longest step 1.2 us, mean 0.8 us; 0 of 1000 missed their 1 ms"
std::string real_time_text(const solution::RealTime& timing) {
  const double mean = timing.total / static_cast<double>(std::max<std::size_t>(1, timing.steps));
  return fmt::format("longest step {}, mean {}; {} of {} missed their {}", duration(timing.longest),
                     duration(mean), timing.missed, timing.steps, duration(timing.deadline));
}

}  // namespace

Json solution_json(const AboutRun& about, const Solution& solution) {
  const auto& [model, summary, resolved] = about;
  Json object = {{"model", model.name},
                 {"equations", summary.equations},
                 {"states", summary.states},
                 {"blocks", summary.blocks},
                 {"tearing_variables", summary.tearing_variables}};
  object.update(run_json(solution));
  for (const auto& [option, choice] :
       chosen_numerics(resolved.norm, resolved.controller, resolved.linear_solver)) {
    object[option] = choice;
  }
  for (const auto& [option, choice] : chosen_event_ways(resolved.zeno, resolved.chattering)) {
    object[option] = choice;
  }
  object["inlined"] = solution.is_inlined;
  if (solution.is_inlined) object["step_form"] = solution.step_form;
  object["handed_back"] = solution.statistics.handed_back;
  if (solution.real_time) object["real_time"] = real_time_json(*solution.real_time);
  add_events(model, solution, object);
  object["notes"] = solution.notes;
  object["constraint_drift"] = drift_json(model, solution);
  add_place(model, solution.outcome, object);
  return object;
}

namespace {

// "3.1e-16 at t = 2 s in `x^2 + y^2 = L^2`"
std::string drift_text(const solution::ConstraintDrift& drift) {
  return fmt::format("{:.2g} at t = {:g} s in `{}`{}", drift.largest, drift.time, drift.equation,
                     drift.derivative == 0 ? "" : ", a derivative of a constraint");
}

void print_unstable(const Solution& solution) {
  constexpr std::size_t most_shown = 3;
  const std::vector<solution::UnstableStretch>& all = solution.statistics.unstable;
  for (const solution::UnstableStretch& stretch : all | std::views::take(most_shown))
    say("  motion  {}\n", visible(solution::in_words(stretch, solution.states)));
  if (all.size() > most_shown)
    say("  motion  and {} more such stretches\n", all.size() - most_shown);
}

void print_times(const Phases& phases) {
  std::string times;
  for (const Phase& phase : phases) {
    times += fmt::format("{}{} {}", times.empty() ? "" : ", ", phase.name, duration(phase.seconds));
  }
  say("  time    {}\n", times);
}

}  // namespace

void print_summary(const AboutRun& about, const FinishedRun& run,
                   const std::vector<std::string>& written, bool is_verbose) {
  const auto& [model, summary, resolved] = about;
  const Solution& solution = run.solution;
  const solution::Statistics& s = solution.statistics;
  say("{}{}\n", model.name,
      model.description.empty() ? "" : fmt::format(": {}", visible(model.description)));
  say("  model   {}, {}, {}, {} ({}), {}\n", counted(summary.equations, "equation"),
      counted(summary.states, "state"), counted(summary.aliases, "alias"),
      counted(summary.blocks, "block"), counted(summary.loops, "algebraic loop"),
      counted(summary.tearing_variables, "tearing variable"));
  say("  run     {}{}{}: {} at t = {:g} s\n", solution.method,
      resolved.method_written.empty() ? "" : fmt::format(" (`{}`)", resolved.method_written),
      !solution.is_inlined           ? ""
      : solution.step_form == "torn" ? ", inlined and torn"
                                     : ", inlined",
      solution::status_name(solution.outcome.status), solution.outcome.time);
  if (solution.outcome.status == solution::Status::Terminated && !solution.outcome.message.empty())
    say("  because {}\n", visible(solution.outcome.message));
  say("  work    {}, {} rejected, {}, {}, {}{}\n", counted(s.steps, "step"), s.rejected(),
      counted(s.f_evals, "evaluation"), counted(s.jac_evals, "Jacobian"),
      counted(s.factorizations, "factorisation"), linear_iterations_text(s));
  if (!s.switches.empty()) say("  methods {}\n", methods_text(s.switches, " s"));
  print_unstable(solution);
  for (const std::string& line : effort_lines(solution, " s")) say("  {}\n", line);
  for (const std::string& line : event_lines(solution)) say("  events  {}\n", line);
  if (solution.real_time) say("  time    {}\n", real_time_text(*solution.real_time));
  if (solution.constraint_drift) say("  drift   {}\n", drift_text(*solution.constraint_drift));
  if (run.verification) say("  verify  {}\n", run.verification->summary());
  for (const std::string& note : solution.notes) say("  start   {}\n", note);
  if (is_verbose) print_times(solution.phases);
  for (const std::string& path : written) say("  wrote   {}\n", path);
}

report::RunDescription describe_run(const AboutRun& about, const FinishedRun& run,
                                    const std::string& file, const std::string& command) {
  const auto& [model, summary, resolved] = about;
  const Solution& solution = run.solution;
  report::Properties sizes = summary.properties();
  if (run.verification) sizes.emplace_back("verified", run.verification->summary());
  if (solution.constraint_drift)
    sizes.emplace_back("constraint drift", drift_text(*solution.constraint_drift));
  const engine::Verification* const second = run.verification ? &*run.verification : nullptr;
  return {.model = model.name,
          .description = model.description,
          .file = file,
          .version = DAEDALUS_VERSION,
          .command = command,
          .options = option_list(resolved),
          .sizes = std::move(sizes),
          .phases = solution.phases,
          .warnings = solution.warnings,
          .second = second != nullptr ? &second->table : nullptr,
          .second_name = second != nullptr ? second->run_name() : ""};
}

}  // namespace daedalus::cli
