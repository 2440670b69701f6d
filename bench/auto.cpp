// The method `auto` and every single method of the catalogue on every built-in problem, in one run:
// the time to reach 4, 6 and 8 digits. Prints a table per number of digits, with the best single
// method of each problem, and how every method does over all problems.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "daedalus/methods/method.hpp"
#include "problem_curve.hpp"
#include "work_precision/runs.hpp"

namespace bench {
namespace {

using daedalus::problems::Problem;

const std::string automatic = "auto";

// At first; then the best are measured again, since the least of many inexact times is too small.
constexpr Effort quick = {.seconds_for_each = 0.003, .too_long = 0.5};
constexpr Effort thorough = {.seconds_for_each = 0.05, .too_long = 5.0};
constexpr double within_reach = 1.25;  // of the best, at first

// Of a problem, with the time at each number of digits.
using Times = std::array<std::optional<double>, digits_wanted.size()>;

Times times_of(const std::vector<Point>& points) {
  Times times;
  for (std::size_t d = 0; d < times.size(); ++d) times[d] = time_to(digits_wanted[d], points);
  return times;
}

Times measure(const std::string& method, const Problem& problem, const Effort& effort) {
  return times_of(curve(our_solver(method, problem.kind), problem, effort));
}

// None: no single method has so many digits.
std::optional<double> best_time(const std::map<std::string, Times>& times, std::size_t d) {
  std::optional<double> best;
  for (const auto& [method, of_method] : times) {
    if (method == automatic || !of_method[d]) continue;
    best = std::min(best.value_or(*of_method[d]), *of_method[d]);
  }
  return best;
}

std::map<std::string, Times> measure_all(const Problem& problem,
                                         const std::vector<std::string>& methods) {
  std::map<std::string, Times> times;
  for (const std::string& method : methods) times[method] = measure(method, problem, quick);
  std::array<std::optional<double>, digits_wanted.size()> first;
  for (std::size_t d = 0; d < first.size(); ++d) first[d] = best_time(times, d);
  for (auto& [method, of_method] : times) {
    bool is_near = method == automatic;
    for (std::size_t d = 0; d < first.size(); ++d) {
      is_near = is_near || (of_method[d] && *of_method[d] < within_reach * *first[d]);
    }
    if (is_near) of_method = measure(method, problem, thorough);
  }
  return times;
}

struct Row {
  const Problem* problem = nullptr;
  std::map<std::string, Times> times;
};

std::string cell(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.1f}", 1e6 * *seconds) : "-";
}

void print_problems(const std::vector<Row>& rows, std::size_t d) {
  fmt::print("\n{} digits, microseconds\n\n| problem | auto | best | method | auto / best |\n",
             digits_wanted[d]);
  fmt::print("|---|---|---|---|---|\n");
  std::vector<double> ratios;
  for (const Row& row : rows) {
    const std::optional<double> ours = row.times.at(automatic)[d], best = best_time(row.times, d);
    std::string method = "-", ratio = "-";
    for (const auto& [name, times] : row.times) {
      if (name != automatic && times[d] && times[d] == best) method = name;
    }
    if (ours && best) {
      ratios.push_back(*ours / *best);
      ratio = fmt::format("{:.2f}", ratios.back());
    }
    fmt::print("| {} | {} | {} | {} | {} |\n", row.problem->name, cell(ours), cell(best), method,
               ratio);
  }
  if (ratios.empty()) return;
  fmt::print("| geometric mean; largest | | | | {:.2f}; {:.2f} |\n", geometric_mean(ratios),
             *std::ranges::max_element(ratios));
}

// Over the problems that a method solves to so many digits, its time against that of `auto`; and
// how many it does not solve.
struct Summary {
  std::string method;
  std::array<std::vector<double>, digits_wanted.size()> over_auto = {};
  std::array<std::size_t, digits_wanted.size()> not_reached = {};
  std::array<double, digits_wanted.size()> seconds = {}, of_auto = {};
};

Summary summary(const std::string& method, const std::vector<Row>& rows) {
  Summary found{.method = method};
  for (const Row& row : rows) {
    const Times& own = row.times.at(method);
    const Times& of_auto = row.times.at(automatic);
    for (std::size_t d = 0; d < own.size(); ++d) {
      if (!own[d]) ++found.not_reached[d];
      if (!own[d] || !of_auto[d]) continue;
      found.over_auto[d].push_back(*own[d] / *of_auto[d]);
      found.seconds[d] += *own[d];
      found.of_auto[d] += *of_auto[d];
    }
  }
  return found;
}

void print_methods(const std::vector<Row>& rows, const std::vector<std::string>& methods) {
  fmt::print(
      "\nTime over that of auto at 4 / 6 / 8 digits, on the problems that the method solves to "
      "so many digits\n\n| method | geometric mean | total | not reached |\n|---|---|---|---|\n");
  for (const std::string& method : methods) {
    const Summary found = summary(method, rows);
    std::vector<std::string> means, totals;
    for (std::size_t d = 0; d < digits_wanted.size(); ++d) {
      const bool any = !found.over_auto[d].empty();
      means.push_back(any ? fmt::format("{:.2f}", geometric_mean(found.over_auto[d])) : "-");
      totals.push_back(any ? fmt::format("{:.2f}", found.seconds[d] / found.of_auto[d]) : "-");
    }
    fmt::print("| {} | {} | {} | {} |\n", method, fmt::join(means, " / "), fmt::join(totals, " / "),
               fmt::join(found.not_reached, " / "));
  }
}

}  // namespace
}  // namespace bench

// [--methods NAME,...] [PROBLEM...]: all by default.
int main(int count, char** words) {
  using namespace bench;
  std::vector<std::string> asked(words + 1, words + count);
  std::vector<std::string> methods = daedalus::bench::adaptive_methods();
  if (asked.size() >= 2 && asked.front() == "--methods") {
    methods = split(asked[1]);
    if (std::ranges::find(methods, automatic) == methods.end()) methods.push_back(automatic);
    for (const std::string& method : methods)
      (void)daedalus::methods::require_method(method).value();
    asked.erase(asked.begin(), asked.begin() + 2);
  }
  std::vector<Row> rows;
  for (const Problem& problem : daedalus::problems::problems()) {
    if (!asked.empty() && std::ranges::find(asked, problem.name) == asked.end()) continue;
    fmt::print(stderr, "{}\n", problem.name);
    rows.push_back({&problem, measure_all(problem, methods)});
  }
  for (std::size_t d = 0; d < digits_wanted.size(); ++d) print_problems(rows, d);
  print_methods(rows, methods);
}
