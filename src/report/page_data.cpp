#include "report/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daedalus/report/compare.hpp"
#include "report/band.hpp"
#include "report/number.hpp"
#include "report/text.hpp"
#include "report/thin.hpp"

namespace daedalus::report {
namespace {

using Json = nlohmann::ordered_json;

// The columns that are embedded, and which of them belongs to each place of a row.
struct Columns {
  static constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::size_t> places;
  std::vector<std::size_t> of_place;
  std::size_t total = 0;
};

// The variable without its last index; empty where it has none.
std::string array_of(const std::string& name) {
  const std::size_t open = name.rfind('[');
  const std::size_t close = name.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return name.substr(0, open) + name.substr(close);
}

// All columns, if they fit. Otherwise first those that are not in an array, then evenly spaced
// elements of each array, so that a map shows the whole of it.
Columns chosen_columns(const solution::Table& table, std::size_t limit) {
  Columns columns{.places = {}, .of_place = std::vector<std::size_t>(table.width, Columns::none)};
  std::vector<bool> seen(table.width, false);
  std::vector<const solution::Variable*> scalars, elements;
  for (const solution::Variable& variable : table.variables) {
    if (variable.is_constant || seen[variable.place]) continue;
    seen[variable.place] = true;
    (array_of(variable.name).empty() ? scalars : elements).push_back(&variable);
  }
  columns.total = scalars.size() + elements.size();
  scalars.resize(std::min(scalars.size(), limit));
  const std::size_t room = limit - scalars.size();
  std::vector<bool> is_chosen(table.width, false);
  for (const solution::Variable* const variable : scalars) is_chosen[variable->place] = true;
  if (room > 0) {
    const std::size_t stride = (elements.size() + room - 1) / room;
    std::unordered_map<std::string, std::size_t> passed;
    std::size_t chosen = 0;
    for (const solution::Variable* const variable : elements) {
      if (passed[array_of(variable->name)]++ % stride != 0 || chosen == room) continue;
      is_chosen[variable->place] = true;
      ++chosen;
    }
  }
  for (const solution::Variable& variable : table.variables) {
    if (variable.is_constant || !is_chosen[variable.place]) continue;
    is_chosen[variable.place] = false;
    columns.of_place[variable.place] = columns.places.size();
    columns.places.push_back(variable.place);
  }
  return columns;
}

// Few columns may have more points than a plot has pixels: they show when it is zoomed.
std::size_t points_per_column(const solution::Table& table, const PageLimits& limits) {
  const std::size_t columns = std::max<std::size_t>(table.width - 1, 1);
  const std::size_t points =
      std::clamp(limits.numbers / columns, limits.least_points, limits.points);
  return std::max(points, limits.zoomed / columns);
}

Json about_outcome(const solution::Outcome& outcome) {
  return {{"status", solution::status_name(outcome.status)},
          {"reason", solution::reason_name(outcome.reason)},
          {"time", std::isfinite(outcome.time) ? Json(outcome.time) : Json(nullptr)},
          {"variable", outcome.variable},
          {"message", outcome.message},
          {"hint", outcome.hint}};
}

Json about_work(const solution::Statistics& work) {
  return {{"steps", work.steps},
          {"attempts", work.attempts},
          {"rejected", work.rejected()},
          {"rejected_error", work.rejected_error},
          {"rejected_newton", work.rejected_newton},
          {"rejected_domain", work.rejected_domain},
          {"rejected_singular", work.rejected_singular},
          {"f_evals", work.f_evals},
          {"jac_evals", work.jac_evals},
          {"factorizations", work.factorizations},
          {"linear_solves", work.linear_solves},
          {"linear_iterations", work.linear_iterations},
          {"newton_iterations", work.newton_iterations}};
}

Json by_cause(std::span<const std::string_view> names, std::span<const std::size_t> times) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) rows.push_back({names[i], times[i]});
  return rows;
}

Json about_slice(const solution::TimeSlice& slice) {
  return {slice.begin, slice.end, slice.attempts, slice.rejected};
}

Json about_switches(const std::vector<solution::Switch>& switches) {
  Json list = Json::array();
  for (const solution::Switch& change : switches)
    list.push_back({{"t", change.t}, {"to", change.to}});
  return list;
}

Json about_effort(const solution::Solution& solution) {
  const solution::Statistics& work = solution.statistics;
  constexpr std::size_t most_states = 12;
  constexpr std::size_t most_slices = 10;
  const solution::Effort effort = solution.effort(most_states, most_slices);
  Json states = Json::array();
  for (const solution::LimitingState& state : effort.limiting) {
    states.push_back({state.name, state.attempts, state.rejected});
  }
  Json slices = Json::array();
  for (const solution::TimeSlice& slice : effort.slices) slices.push_back(about_slice(slice));
  constexpr std::size_t most_stretches = 3;
  Json unstable = Json::array();
  for (const solution::UnstableStretch& stretch : work.unstable | std::views::take(most_stretches))
    unstable.push_back(solution::in_words(stretch, solution.states));
  return {{"judged", effort.judged},
          {"states", states},
          {"more_states", effort.more_limiting},
          {"all_states", solution.states.size()},
          {"jacobians_by", by_cause(solution::jacobian_cause_names(), work.jacobians_by.times)},
          {"factorizations_by",
           by_cause(solution::factorization_cause_names(), work.factorizations_by.times)},
          {"unstable", unstable},
          {"slices", slices},
          {"busiest_half", about_slice(effort.busiest_half)}};
}

// The phases that the caller timed, then those that only the solution knows.
Json about_phases(const Phases& callers, const Phases& solutions) {
  Json phases = Json::array();
  for (const Phase& phase : callers) phases.push_back({phase.name, phase.seconds});
  for (const Phase& phase : solutions) {
    if (std::ranges::find(callers, phase.name, &Phase::name) == callers.end()) {
      phases.push_back({phase.name, phase.seconds});
    }
  }
  return phases;
}

Json about_properties(const Properties& properties) {
  Json rows = Json::array();
  for (const auto& [name, value] : properties) rows.push_back({name, value});
  return rows;
}

std::string constant_text(const solution::Table& table, const solution::Variable& variable) {
  const double value = table.value(variable, 0);
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (variable.kind == solution::Kind::Boolean) return value != 0.0 ? "true" : "false";
  std::string text;
  append_number(text, value, variable.kind);
  return text;
}

Json about_parameters(const solution::Table& table, std::size_t limit) {
  Json rows = Json::array();
  for (const solution::Variable& variable : table.variables) {
    if (!variable.is_constant) continue;
    if (rows.size() == limit) break;
    rows.push_back(
        {variable.name, constant_text(table, variable), variable.unit, variable.description});
  }
  return rows;
}

Json about_variables(const solution::Table& table, const Columns& columns, std::size_t limit) {
  Json rows = Json::array();
  for (const solution::Variable& variable : table.variables) {
    if (variable.is_constant || columns.of_place[variable.place] == Columns::none) continue;
    if (rows.size() == limit) break;
    rows.push_back({variable.name, variable.unit, variable.description, kind_name(variable.kind),
                    columns.of_place[variable.place], variable.sign});
  }
  return rows;
}

enum class Digits { All, Few };

void append_array(std::string& text, const std::vector<double>& values, Digits digits) {
  text += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    if (!std::isfinite(values[i])) {
      text += "null";
    } else if (digits == Digits::All) {
      append_number(text, values[i]);
    } else {
      append_rounded(text, values[i]);
    }
  }
  text += ']';
}

void append_columns(std::string& text, const solution::Table& table, const Columns& columns,
                    const Thinning& thinning, Digits digits) {
  const double* cells = table.cells.data();
  text += ",\n\"time\":";
  append_array(text, thinning.times({cells, table.width, table.rows()}), Digits::All);
  text += ",\n\"columns\":[";
  for (std::size_t i = 0; i < columns.places.size(); ++i) {
    if (i > 0) text += ",\n";
    append_array(text, thinning.values({cells + columns.places[i], table.width, table.rows()}),
                 digits);
  }
  text += ']';
}

// In the order of the columns.
void append_bands(std::string& text, const solution::Table& table, const solution::Table& second,
                  const Columns& columns, const Thinning& thinning) {
  const Band band(table, second);
  std::vector<const solution::Variable*> variables(columns.places.size(), nullptr);
  for (const solution::Variable& variable : table.variables) {
    if (variable.is_constant || columns.of_place[variable.place] == Columns::none) continue;
    const solution::Variable*& known = variables[columns.of_place[variable.place]];
    if (known == nullptr) known = &variable;
  }
  text += ",\n\"bands\":[";
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (i > 0) text += ",\n";
    const std::vector<double> difference = band.of(*variables[i]);
    append_array(text, thinning.values({difference.data(), 1, difference.size()}), Digits::Few);
  }
  text += ']';
}

// Steps that an event has cut short, and the first ones after it, say nothing about what the
// tolerances allow: the axis of the step sizes is for the others.
struct StepAxis {
  double least = 0.0;         // of the others; 0: there are none
  std::size_t at_events = 0;  // with sizes below the decade of the least of the others
};

StepAxis step_axis(const solution::Solution& solution) {
  const std::vector<solution::StepRecord>& history = solution.history;
  std::vector<double> events;
  for (const solution::EventRecord& record : solution.events.records) events.push_back(record.t);
  std::ranges::sort(events);
  const auto is_event = [&](double t) {
    constexpr double units = 8 * std::numeric_limits<double>::epsilon();
    const auto found = std::ranges::lower_bound(events, t - units * std::abs(t));
    return found != events.end() && *found <= t + units * std::abs(t);
  };
  StepAxis axis;
  std::vector<double> remnants;
  for (std::size_t k = 0; k < history.size(); ++k) {
    const auto& [t, h, error] = history[k];
    if (is_event(t) || (k > 0 && is_event(history[k - 1].t))) {
      remnants.push_back(h);
    } else {
      axis.least = axis.least == 0.0 ? h : std::min(axis.least, h);
    }
  }
  const double lowest = axis.least > 0.0 ? std::pow(10.0, std::floor(std::log10(axis.least))) : 0.0;
  const auto is_short = [&](double h) { return h < lowest; };
  axis.at_events = static_cast<std::size_t>(std::ranges::count_if(remnants, is_short));
  return axis;
}

void append_history(std::string& text, const solution::Solution& solution,
                    const PageLimits& limits) {
  const std::vector<solution::StepRecord>& history = solution.history;
  std::vector<double> t;
  std::vector<double> h;
  std::vector<double> error;
  for (const solution::StepRecord& step : history) {
    t.push_back(step.t);
    h.push_back(step.h);
    error.push_back(step.error);
  }
  const Thinning thinning({t.data(), 1, t.size()}, limits.points);
  text += ",\n\"history\":{\"t\":";
  append_array(text, thinning.times({t.data(), 1, t.size()}), Digits::All);
  text += ",\"h\":";
  append_array(text, thinning.values({h.data(), 1, h.size()}), Digits::Few);
  text += ",\"error\":";
  append_array(text, thinning.values({error.data(), 1, error.size()}), Digits::Few);
  const StepAxis axis = step_axis(solution);
  text += ",\"least\":";
  append_number(text, axis.least);
  text += fmt::format(",\"at_events\":{}}}", axis.at_events);
}

// Null if the page is about a run.
Json about_comparison(const Comparison* comparison, double tube, std::size_t limit) {
  if (comparison == nullptr) return nullptr;
  Json variables = Json::array();
  for (const Deviation& deviation : comparison->variables) {
    if (variables.size() == limit) break;
    variables.push_back({deviation.name, deviation.largest, deviation.at,
                         deviation.leaves ? Json(*deviation.leaves) : Json(nullptr)});
  }
  const auto outside = std::ranges::count_if(comparison->variables,
                                             [](const Deviation& one) { return !one.is_inside(); });
  return {{"agrees", comparison->agrees()},
          {"tube", tube},
          {"start", comparison->start},
          {"stop", comparison->stop},
          {"reference_stop", comparison->first_stop},
          {"other_stop", comparison->second_stop},
          {"compared", comparison->variables.size()},
          {"outside", outside},
          {"variables", std::move(variables)},
          {"only_in_reference", comparison->only_in_first},
          {"only_in_other", comparison->only_in_second}};
}

constexpr std::size_t most_event_records = 200;
constexpr std::size_t most_event_sources = 50;

// The relations with most events, and the first events.
Json about_events(const solution::Solution& solution) {
  const solution::EventCounts& counts = solution.statistics.events;
  const solution::EventLog& log = solution.events;
  std::vector<std::size_t> order(std::min(counts.by_indicator.size(), log.causes.size()));
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::size_t i) { return counts.by_indicator[i] == 0; });
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return counts.by_indicator[i]; });
  order.resize(std::min(order.size(), most_event_sources));
  Json sources = Json::array(), records = Json::array();
  for (const std::size_t i : order) sources.push_back({log.causes[i].text, counts.by_indicator[i]});
  for (const solution::EventRecord& record : log.records) {
    if (records.size() == most_event_records) break;
    Json causes = Json::array(), changes = Json::array();
    for (const std::size_t cause : record.causes) causes.push_back(log.causes[cause].text);
    for (const solution::EventChange& change : record.changes)
      changes.push_back({change.name, change.before, change.after});
    records.push_back({{"time", record.t},
                       {"is_end", record.is_end},
                       {"passage", solution::passage_name(record.passage)},
                       {"causes", std::move(causes)},
                       {"changes", std::move(changes)}});
  }
  return {{"instants", counts.instants},   {"by_state", counts.state_events},
          {"by_time", counts.time_events}, {"slidings", counts.slidings},
          {"rests", counts.rests},         {"seconds", counts.seconds},
          {"sources", std::move(sources)}, {"records", std::move(records)}};
}

void escape_angle_brackets(std::string& text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char letter : text) {
    if (letter == '<') {
      escaped += "\\u003c";
    } else {
      escaped += letter;
    }
  }
  text = std::move(escaped);
}

}  // namespace

std::string page_data(const RunDescription& run, const solution::Solution& solution,
                      const std::string& date, const PageLimits& limits) {
  const solution::Table& table = solution.table;
  const Thinning thinning({table.cells.data(), table.width, table.rows()},
                          points_per_column(table, limits));
  const std::size_t points = std::max<std::size_t>(thinning.points(), 1);
  const std::size_t numbers = run.second != nullptr ? limits.numbers / 2 : limits.numbers;
  const Columns columns = chosen_columns(table, std::max<std::size_t>(numbers / points, 1));
  const auto constants = std::ranges::count_if(table.variables, &solution::Variable::is_constant);
  const std::size_t variables = table.variables.size() - static_cast<std::size_t>(constants);
  const Json about = {
      {"model", run.model},
      {"description", run.description},
      {"file", run.file},
      {"version", run.version},
      {"date", date},
      {"command", run.command},
      {"method", solution.method},
      {"outcome", about_outcome(solution.outcome)},
      {"statistics", about_work(solution.statistics)},
      {"effort", about_effort(solution)},
      {"switches", about_switches(solution.statistics.switches)},
      {"events", about_events(solution)},
      {"phases", about_phases(run.phases, solution.phases)},
      {"sizes", about_properties(run.sizes)},
      {"options", about_properties(run.options)},
      {"warnings", run.warnings},
      {"structure", run.structure},
      {"second", run.second_name},
      {"comparison", about_comparison(run.comparison, run.tube, limits.variables)},
      {"totals",
       {{"rows", run.rows > 0 ? run.rows : table.rows()},
        {"points", thinning.points()},
        {"variables", variables},
        {"columns", columns.total},
        {"parameters", constants},
        {"steps", solution.statistics.steps}}},
      {"parameters", about_parameters(table, limits.parameters)},
      {"variables", about_variables(table, columns, limits.variables)},
  };
  std::string text = json_text(about);
  text.pop_back();  // the closing brace: the numbers follow as text, without a tree of them in
                    // memory
  const Digits digits = columns.places.size() * points <= limits.exact ? Digits::All : Digits::Few;
  append_columns(text, table, columns, thinning, digits);
  if (run.second != nullptr) append_bands(text, table, *run.second, columns, thinning);
  append_history(text, solution, limits);
  text += '}';
  escape_angle_brackets(text);
  return text;
}

}  // namespace daedalus::report
