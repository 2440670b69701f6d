#include "daedalus/solution/solution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/result.hpp"

namespace daedalus::solution {
namespace {

const Variable& require(const Table& table, std::string_view name) {
  const Variable* variable = table.find(name);
  if (variable == nullptr) {
    throw Failure(
        {"solution.unknown-variable", fmt::format("the solution has no variable `{}`", name)});
  }
  return *variable;
}

}  // namespace

const Variable* Table::find(std::string_view name) const {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? nullptr : &*found;
}

Series Solution::operator[](std::string_view name) const {
  const Variable& variable = require(table, name);
  Series series;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    series.time.push_back(table.time(row));
    series.values.push_back(table.value(variable, row));
  }
  return series;
}

double Solution::final_value(std::string_view name) const {
  const Variable& variable = require(table, name);
  if (table.rows() == 0) throw Failure({"solution.empty", "the run stored no values"});
  return table.value(variable, table.rows() - 1);
}

std::string Solution::summary() const {
  std::string text =
      fmt::format("{}: {} at t = {:.12g}", method, status_name(outcome.status), outcome.time);
  if (!outcome.message.empty()) text += fmt::format(" ({})", outcome.message);
  text += fmt::format("\n{} steps, {} rejected, {} evaluations, {} Jacobians, {} factorisations",
                      statistics.steps, statistics.rejected(), statistics.f_evals,
                      statistics.jac_evals, statistics.factorizations);
  if (statistics.state_changes > 0)
    text += fmt::format(", {} changes of states", statistics.state_changes);
  return text;
}

Effort Solution::effort(std::size_t most_states, std::size_t most_slices) const {
  Effort effort{.judged = statistics.judged(),
                .limiting = {},
                .slices = statistics.over_time.slices(outcome.time, most_slices),
                .busiest_half = statistics.over_time.busiest_half(outcome.time)};
  for (const std::size_t i : statistics.ranked_components()) {
    if (effort.limiting.size() == most_states) {
      ++effort.more_limiting;
      continue;
    }
    const LargestErrors& counts = statistics.largest_errors[i];
    effort.limiting.push_back({states[i], counts.attempts, counts.rejected});
  }
  return effort;
}

}  // namespace daedalus::solution
