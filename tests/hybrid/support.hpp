// Shared by the tests of hybrid models: a run from text or from an example, and its events.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {

inline Model model_of(const std::string& text) {
  return compile(analyse_text(text, "test.mo", "").value()).value();
}

inline Model example(const std::string& name, const std::vector<Setting>& settings = {}) {
  return load(fmt::format("{}/examples/hybrid/{}.mo", DAEDALUS_SOURCE_DIR, name), "", settings)
      .value();
}

inline solution::Solution ran(const std::string& text, const Options& options = {}) {
  return simulate(model_of(text), options).value();
}

// The same for a run that has to reach its end.
inline solution::Solution finished(const std::string& text, const Options& options = {}) {
  solution::Solution solution = ran(text, options);
  EXPECT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  return solution;
}

// For the events that changed a variable whose name begins like this; for all if that is empty.
inline std::vector<double> event_times(const solution::Solution& solution,
                                       const std::string& changed = "") {
  std::vector<double> times;
  for (const solution::EventRecord& record : solution.events.records) {
    const bool is_meant = std::ranges::any_of(
        record.changes, [&](const auto& change) { return change.name.starts_with(changed); });
    if (!record.is_end && (changed.empty() || is_meant)) times.push_back(record.t);
  }
  return times;
}

inline void expect_times(const std::vector<double>& times, const std::vector<double>& expected,
                         double allowed) {
  ASSERT_EQ(times.size(), expected.size())
      << testing::PrintToString(times) << " in place of " << testing::PrintToString(expected);
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_NEAR(times[k], expected[k], allowed) << "event " << k;
}

// The value of a variable in the last row at the time: after the event, if there is one.
inline double value_at(const solution::Solution& solution, const std::string& name, double t) {
  const solution::Series series = solution[name];
  for (std::size_t i = series.time.size(); i-- > 0;) {
    if (series.time[i] == t) return series.values[i];
  }
  ADD_FAILURE() << "no row at " << t;
  return 0.0;
}

}  // namespace daedalus::engine
