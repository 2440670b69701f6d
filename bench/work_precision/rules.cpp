#include "rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace daedalus::bench {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double share_of_order(int order) { return order / (order + 1.0); }

// What the reference can tell.
double limited(const Run& run, double digits) {
  return std::min(digits, run.problem->reference.digits - 0.5);
}

// How many digits a problem gains for each one asked for, from the loosest to the tightest run that
// finished and that the reference can judge; the median over the problems.
double median_gain(const std::vector<Run>& runs, const std::string& method) {
  std::vector<double> gains;
  const Run* first = nullptr;
  for (const Run& run : runs) {
    if (run.method != method || !run.finished()) continue;
    if (first == nullptr || first->problem != run.problem) first = &run;
    const bool is_judged = run.digits < run.problem->reference.digits - 0.5;
    if (is_judged && run.asked >= first->asked + 4) {
      gains.push_back((run.digits - first->digits) / (run.asked - first->asked));
    }
  }
  return gains.empty() ? 1.0 : median(gains);
}

}  // namespace

std::vector<Run> wrong_runs(const std::vector<Run>& runs) {
  std::map<std::pair<const problems::Problem*, double>, std::vector<double>> field;
  for (const Run& run : runs) {
    if (run.finished()) field[{run.problem, run.asked}].push_back(run.digits);
  }
  std::vector<Run> wrong;
  for (const Run& run : runs) {
    if (!run.finished() || run.digits >= 0.5) continue;
    if (median(field[{run.problem, run.asked}]) >= 1.5) wrong.push_back(run);
  }
  return wrong;
}

std::string known_fault(const Run& run) {
  // Orbits and attractors that multiply every error by thousands: a method whose errors are of the
  // size rtol^(p / (p + 1)) cannot be right at loose tolerances.
  const std::string& problem = run.problem->name;
  const bool multiplies_errors =
      problem == "lorenz" || problem == "arenstorf" || problem == "pleiades";
  if (multiplies_errors && run.asked * share_of_order(run.order) <= 4.5)
    return "the problem multiplies errors";
  return "";
}

double median_surplus(const std::vector<Run>& runs, const std::string& method, double asked) {
  std::vector<double> surplus;
  for (const Run& run : runs) {
    if (run.method == method && run.asked == asked && run.finished()) {
      surplus.push_back(run.digits - limited(run, asked));
    }
  }
  return median(std::move(surplus));
}

std::vector<std::string> violations(const std::vector<Run>& runs) {
  std::vector<std::string> found;
  for (const Run& run : wrong_runs(runs)) {
    if (!known_fault(run).empty()) continue;
    found.push_back(fmt::format("`{}` finishes `{}` at rtol 1e-{} with {:.1f} digits", run.method,
                                run.problem->name, run.asked, run.digits));
  }
  std::set<std::pair<std::string, double>> seen;
  for (const Run& run : runs) {
    if (!seen.emplace(run.method, run.asked).second) continue;
    const double surplus = median_surplus(runs, run.method, run.asked);
    const double allowed = run.asked * (share_of_order(run.order) - 1) - 1;
    if (surplus < allowed) {
      found.push_back(
          fmt::format("`{}` has {:+.1f} digits of those asked for at rtol 1e-{} in the "
                      "median, which is below {:+.1f}",
                      run.method, surplus, run.asked, allowed));
    }
    if (!seen.emplace(run.method, 0).second) continue;
    if (const double gain = median_gain(runs, run.method); gain < 0.5) {
      found.push_back(fmt::format("`{}` gains {:.2f} digits for each digit asked for in the median",
                                  run.method, gain));
    }
  }
  return found;
}

}  // namespace daedalus::bench
