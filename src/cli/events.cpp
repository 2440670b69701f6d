#include "cli/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/model_run.hpp"

namespace daedalus::cli {
namespace {

using solution::EventCause;
using solution::EventRecord;

constexpr std::size_t most_in_json = 1000;  // records; the file of --events has all that were kept
constexpr std::size_t most_in_summary = 5;  // relations

std::string_view kind_of(const solution::EventLog& log, const EventRecord& record) {
  if (record.is_end) return "end";
  if (record.passage != solution::Passage::None) return solution::passage_name(record.passage);
  const bool has_indicator =
      std::ranges::any_of(record.causes, [&](std::size_t cause) { return cause < log.indicators; });
  if (!has_indicator) return "time";
  return record.is_time_event ? "state and time" : "state";
}

double seconds_of_run(const solution::Solution& solution) {
  double seconds = 0.0;
  for (const Phase& phase : solution.phases) {
    if (phase.name == "integrate") seconds += phase.seconds;
  }
  return seconds;
}

Json changes_json(const EventRecord& record) {
  Json changes = Json::array();
  for (const solution::EventChange& change : record.changes)
    changes.push_back({{"name", change.name}, {"before", change.before}, {"after", change.after}});
  return changes;
}

Json record_json(const solution::EventLog& log, const EventRecord& record) {
  Json causes = Json::array();
  for (const std::size_t cause : record.causes) causes.push_back(log.causes[cause].text);
  Json object = {{"time", record.t},
                 {"kind", kind_of(log, record)},
                 {"causes", std::move(causes)},
                 {"changes", changes_json(record)},
                 {"iterations", record.iterations}};
  if (std::isfinite(record.limit)) object["limit"] = record.limit;
  return object;
}

std::string csv_text(std::string_view text) {
  std::string result = "\"";
  for (const char letter : visible(text)) {
    if (letter == '"') result += '"';
    result += letter;
  }
  return result + '"';
}

std::string place_text(const engine::Model& model, const Span& span) {
  const Place place = model.sources.place(span.source, span.begin);
  return fmt::format("{}:{}:{}", model.sources.path(span.source), place.line, place.column);
}

std::string csv_row(const engine::Model& model, const solution::EventLog& log,
                    const EventRecord& record) {
  std::string causes, places, changes;
  for (const std::size_t number : record.causes) {
    const EventCause& cause = log.causes[number];
    causes += fmt::format("{}{}", causes.empty() ? "" : "; ", cause.text);
    places += fmt::format("{}{}", places.empty() ? "" : "; ", place_text(model, cause.span));
  }
  for (const solution::EventChange& change : record.changes) {
    changes += fmt::format("{}{}: {} -> {}", changes.empty() ? "" : "; ", change.name,
                           change.before, change.after);
  }
  if (std::isfinite(record.limit)) changes += fmt::format("limit: {}", record.limit);
  return fmt::format("{},{},{},{},{},{}\n", record.t, kind_of(log, record), csv_text(causes),
                     csv_text(places), csv_text(changes), record.iterations);
}

}  // namespace

void add_events(const engine::Model& model, const solution::Solution& solution, Json& object) {
  const solution::EventCounts& counts = solution.statistics.events;
  const solution::EventLog& log = solution.events;
  Json sources = Json::array();
  for (std::size_t i = 0; i < log.causes.size() && i < counts.by_indicator.size(); ++i) {
    Json source = {{"text", log.causes[i].text}, {"events", counts.by_indicator[i]}};
    source.update(place_json(model, log.causes[i].span));
    sources.push_back(std::move(source));
  }
  object["state_events"] = counts.state_events;
  object["time_events"] = counts.time_events;
  object["slidings"] = counts.slidings;
  object["rests"] = counts.rests;
  object["event_sources"] = std::move(sources);
  object["event_evals"] = counts.evaluations;
  object["retaken_steps"] = counts.retaken_steps;
  object["events_s"] = counts.seconds;
  Json records = Json::array();
  const std::size_t shown = std::min(log.records.size(), most_in_json);
  for (std::size_t i = 0; i < shown; ++i) records.push_back(record_json(log, log.records[i]));
  object["event_log"] = std::move(records);
  object["event_log_left_out"] = log.records.size() - shown + log.dropped;
}

std::vector<std::string> event_lines(const solution::Solution& solution) {
  const solution::EventCounts& counts = solution.statistics.events;
  if (counts.instants == 0) return {};
  const double seconds = seconds_of_run(solution);
  std::vector<std::string> lines = {fmt::format(
      "{}: {} by states, {} by time; {:.0f} % of the time", counts.instants, counts.state_events,
      counts.time_events, seconds > 0.0 ? std::min(100.0, 100.0 * counts.seconds / seconds) : 0.0)};
  std::vector<std::size_t> order(
      std::min(counts.by_indicator.size(), solution.events.causes.size()));
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return counts.by_indicator[i]; });
  if (counts.slidings + counts.rests > 0) {
    lines.push_back(fmt::format("{} along the surface of a relation, {} at rest after a limit",
                                counted(counts.slidings, "stretch"),
                                counted(counts.rests, "stretch")));
  }
  for (std::size_t k = 0; k < std::min(order.size(), most_in_summary); ++k) {
    if (counts.by_indicator[order[k]] == 0) break;
    lines.push_back(fmt::format("{} by `{}`", counts.by_indicator[order[k]],
                                solution.events.causes[order[k]].text));
  }
  return lines;
}

void EventTable::start() { stream_.line("time,kind,cause,place,changes,iterations\n"); }

void EventTable::event(const solution::EventLog& log, const EventRecord& record) {
  stream_.line(csv_row(model_, log, record));
}

}  // namespace daedalus::cli
