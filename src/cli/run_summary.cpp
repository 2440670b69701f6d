#include "cli/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace daedalus::cli {
namespace {

Json by_cause(std::span<const std::string_view> names, std::span<const std::size_t> times) {
  Json object = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) object[std::string(names[i])] = times[i];
  return object;
}

Json about_slice(const solution::TimeSlice& slice) {
  return {{"begin", slice.begin},
          {"end", slice.end},
          {"steps", slice.steps()},
          {"rejected", slice.rejected}};
}

void add_effort(const solution::Solution& solution, Json& object) {
  const solution::Statistics& s = solution.statistics;
  const solution::Effort effort = solution.effort();
  Json states = Json::array();
  for (const solution::LimitingState& state : effort.limiting) {
    states.push_back(
        {{"name", state.name}, {"attempts", state.attempts}, {"rejected", state.rejected}});
  }
  Json slices = Json::array();
  for (const solution::TimeSlice& slice : effort.slices) slices.push_back(about_slice(slice));
  object["jacobians_by"] = by_cause(solution::jacobian_cause_names(), s.jacobians_by.times);
  object["factorizations_by"] =
      by_cause(solution::factorization_cause_names(), s.factorizations_by.times);
  object["limited_by"] = {
      {"judged", effort.judged}, {"states", states}, {"more_states", effort.more_limiting}};
  object["over_time"] = slices;
  object["busiest_half"] = effort.slices.empty() ? Json(nullptr) : about_slice(effort.busiest_half);
}

// "in t = 0 to 0.12 s", with enough digits to distinguish the ends.
std::string stretch(const solution::TimeSlice& slice, std::string_view unit) {
  for (const int digits : {3, 6, 10}) {
    const std::string begin = fmt::format("{:.{}g}", slice.begin, digits);
    const std::string end = fmt::format("{:.{}g}", slice.end, digits);
    if (begin != end) return fmt::format("in t = {} to {}{}", begin, end, unit);
  }
  return fmt::format("at t = {:.10g}{}", slice.begin, unit);
}

}  // namespace

std::vector<std::string> effort_lines(const solution::Solution& solution, std::string_view unit) {
  constexpr std::size_t enough_attempts = 20;  // to speak of shares
  constexpr double short_stretch = 0.1;        // of the simulated time
  std::vector<std::string> lines;
  const solution::Effort effort = solution.effort(1, 1);
  if (solution.statistics.attempts < enough_attempts) return lines;
  if (solution.states.size() > 1 && effort.judged >= enough_attempts) {
    const solution::LimitingState& first = effort.limiting.front();
    if (3 * first.attempts >= 2 * effort.judged) {
      const double share = static_cast<double>(first.attempts) / static_cast<double>(effort.judged);
      lines.push_back(fmt::format("limited by `{}` in {:.0f} % of the attempts", first.name,
                                  share < 1.0 ? std::min(100.0 * share, 99.0) : 100.0));
    }
  }
  const solution::TimeSlice& all = effort.slices.front();
  const solution::TimeSlice& half = effort.busiest_half;
  if (half.end - half.begin <= short_stretch * (all.end - all.begin)) {
    lines.push_back("where   half of the attempts are " + stretch(half, unit));
  }
  return lines;
}

double seconds_of(const Phases& phases, std::string_view name) {
  double sum = 0.0;
  for (const Phase& phase : phases) sum += phase.name == name ? phase.seconds : 0.0;
  return sum;
}

std::string duration(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-5) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  return seconds < 1.0 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

namespace {

// Names are distinct: looking each one up among the previous ones would take quadratic time.
Json final_values(const solution::Table& table) {
  Json::object_t values;
  const std::size_t rows = table.rows();
  for (const solution::Variable& variable : table.variables) {
    if (rows > 0) values.Container::emplace_back(variable.name, table.value(variable, rows - 1));
  }
  return values;
}

std::string reason_text(const solution::Switch& change, std::string_view unit) {
  using solution::SwitchReason;
  switch (change.reason) {
    case SwitchReason::Start:
      return change.lambda == 0.0 ? ""
                                  : fmt::format(" (eigenvalues up to {:.2g}{})", change.lambda,
                                                unit.empty() ? "" : " 1/s");
    case SwitchReason::Stability:
      return fmt::format(" (stability limited {})", change.from);
    case SwitchReason::Accuracy:
      return " (only accuracy limits it)";
    case SwitchReason::Cost:
      return fmt::format(" (faster than {})", change.from);
    case SwitchReason::Failure:
      break;
  }
  return fmt::format(" ({} could not go on)", change.from);
}

}  // namespace

std::string methods_text(const std::vector<solution::Switch>& switches, std::string_view unit) {
  constexpr std::size_t most_named = 4;
  std::string text =
      fmt::format("{} from the start{}", switches[0].to, reason_text(switches[0], unit));
  if (switches.size() > most_named) {
    return text + fmt::format(", then {} changes between it and {}, the last one at t = {:g}{}",
                              switches.size() - 1, switches[1].to, switches.back().t, unit);
  }
  for (const solution::Switch& change : switches | std::views::drop(1))
    text +=
        fmt::format(", {} from t = {:g}{}{}", change.to, change.t, unit, reason_text(change, unit));
  return text;
}

std::string linear_iterations_text(const solution::Statistics& statistics) {
  return statistics.linear_iterations == 0
             ? ""
             : fmt::format(", {} GMRES iterations", statistics.linear_iterations);
}

Json switches_json(const std::vector<solution::Switch>& switches) {
  Json list = Json::array();
  for (const solution::Switch& change : switches) {
    list.push_back({{"t", change.t},
                    {"from", change.from.empty() ? Json(nullptr) : Json(change.from)},
                    {"to", change.to},
                    {"h", change.h},
                    {"lambda", change.lambda > 0.0 ? Json(change.lambda) : Json(nullptr)},
                    {"reason", solution::switch_reason_name(change.reason)}});
  }
  return list;
}

Json unstable_json(const solution::Solution& solution) {
  Json list = Json::array();
  for (const solution::UnstableStretch& stretch : solution.statistics.unstable) {
    Json states = Json::array();
    for (const auto& [component, share] : stretch.states) {
      if (share > 0.0) states.push_back({{"name", solution.states[component]}, {"share", share}});
    }
    list.push_back({{"since", stretch.since},
                    {"seen", stretch.seen},
                    {"until", stretch.until},
                    {"rate", stretch.rate},
                    {"growth", stretch.growth},
                    {"states", std::move(states)}});
  }
  return list;
}

void add_phases(const Phases& phases, Json& object) {
  Json seconds = Json::object(), peak_bytes = Json::object();
  for (const Phase& phase : phases) {
    seconds[phase.name] = phase.seconds;
    peak_bytes[phase.name] = phase.peak_bytes;
  }
  object["phases_s"] = std::move(seconds);
  object["phases_peak_bytes"] = std::move(peak_bytes);
}

Json run_json(const solution::Solution& solution) {
  const solution::Statistics& s = solution.statistics;
  Json object = {{"method", solution.method},
                 {"t_end", solution.outcome.time},
                 {"status", solution::status_name(solution.outcome.status)},
                 {"reason", solution::reason_name(solution.outcome.reason)},
                 {"message", solution.outcome.message},
                 {"steps", s.steps},
                 {"rejected", s.rejected()},
                 {"rejected_by",
                  {{"error", s.rejected_error},
                   {"newton", s.rejected_newton},
                   {"domain", s.rejected_domain},
                   {"singular", s.rejected_singular}}},
                 {"f_evals", s.f_evals},
                 {"jac_evals", s.jac_evals},
                 {"factorizations", s.factorizations},
                 {"newton_iterations", s.newton_iterations},
                 {"linear_iterations", s.linear_iterations},
                 {"state_changes", s.state_changes}};
  add_effort(solution, object);
  object.update({{"events", s.events.instants},
                 {"switches", switches_json(s.switches)},
                 {"unstable", unstable_json(solution)},
                 {"compile_s", seconds_of(solution.phases, "compile")},
                 {"solve_s", seconds_of(solution.phases, "initialise") +
                                 seconds_of(solution.phases, "integrate")}});
  add_phases(solution.phases, object);
  object.update({{"warnings", solution.warnings}, {"final", final_values(solution.table)}});
  if (!solution.outcome.hint.empty()) object["hint"] = solution.outcome.hint;
  return object;
}

}  // namespace daedalus::cli
