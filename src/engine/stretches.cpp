#include "engine/stretches.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::engine {
namespace {

// "`x > 0` slides along its surface from t = 1 to 2", or how often it does.
std::string text_of(const hybrid::Stretch& first, std::size_t count, double last_end,
                    const std::string& relation) {
  const std::string what =
      fmt::format("`{}` {}", relation,
                  first.is_rest ? "is held at rest, where its events accumulated,"
                                : "slides along its surface");
  if (count == 1)
    return fmt::format("{} from t = {:.10g} to t = {:.10g}", what, first.begin, first.end);
  return fmt::format("{} {} times from t = {:.10g} on, the last time until t = {:.10g}", what,
                     count, first.begin, last_end);
}

}  // namespace

void tell_stretches(const hybrid::Stretches& stretches, solution::Solution& result) {
  result.warnings.insert(result.warnings.end(), stretches.warnings.begin(),
                         stretches.warnings.end());
  std::vector<hybrid::Stretch> ordered = stretches.passed;
  std::ranges::stable_sort(ordered, {}, [](const hybrid::Stretch& stretch) {
    return std::pair(stretch.indicator, stretch.is_rest);
  });
  for (std::size_t i = 0; i < ordered.size();) {
    const hybrid::Stretch& first = ordered[i];
    std::size_t end = i;
    double last_end = first.end;
    for (; end < ordered.size() && ordered[end].indicator == first.indicator &&
           ordered[end].is_rest == first.is_rest;
         ++end)
      last_end = std::max(last_end, ordered[end].end);
    result.warnings.push_back(
        text_of(first, end - i, last_end, result.events.causes[first.indicator].text));
    i = end;
  }
  for (const hybrid::Unresolved& one : stretches.unresolved) {
    const std::string what =
        fmt::format("`{}` varies too fast", result.events.causes[one.indicator].text);
    const bool is_told = std::ranges::any_of(  // of an earlier part of the run
        result.warnings, [&](const std::string& told) { return told.starts_with(what); });
    if (is_told) continue;
    result.warnings.push_back(
        fmt::format("{} for the steps from t = {:.10g} on: events of it may have been missed; "
                    "limit the steps with --max-step",
                    what, one.t));
  }
}

}  // namespace daedalus::engine
