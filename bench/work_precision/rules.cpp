#include "rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "daedalus/methods/method.hpp"

namespace daedalus::bench {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double share_of_order(int order) { return order / (order + 1.0); }

// Orbits and attractors that amplify every error by thousands.
bool multiplies_errors(const problems::Problem& problem) {
  return problem.name == "lorenz" || problem.name == "arenstorf" || problem.name == "pleiades";
}

// The digits that the reference can resolve.
double limited(const Run& run, double digits) {
  return std::min(digits, run.problem->reference.digits - 0.5);
}

// How many digits a problem gains per digit asked for, from the loosest to the tightest run that
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

// `tighter` asks for two digits more.
void count_pair(const Run& run, const Run& tighter, Tightening& counts) {
  ++counts.pairs;
  const bool is_reached =
      tighter.in_tolerances <= std::sqrt(static_cast<double>(run.problem->size()));
  const bool is_judged = tighter.digits < run.problem->reference.digits - 0.5;
  const double lost = run.digits - tighter.digits;
  if (is_reached || !is_judged || lost <= 0.0) return;
  ++counts.worse;
  if (lost <= 1.0 || tighter.in_tolerances <= 10.0) return;
  counts.far_worse.push_back(fmt::format(
      "`{}` has {:.1f} digits on `{}` at rtol 1e-{} and {:.1f} at 1e-{}, with {}", run.method,
      run.digits, run.problem->name, run.asked, tighter.digits, tighter.asked,
      run.fixed_atol > 0.0 ? fmt::format("a fixed atol of {} scale", run.fixed_atol)
                           : std::string("atol = rtol * scale")));
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
  // A method whose errors are of the size rtol^(p / (p + 1)) cannot be right at loose tolerances.
  if (multiplies_errors(*run.problem) && run.asked * share_of_order(run.order) <= 4.5)
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
  for (const Run& run : runs) {
    if (run.work.wrong_jacobian) {
      found.push_back(fmt::format("`{}` takes the Jacobian of `{}` at rtol 1e-{} for wrong",
                                  run.method, run.problem->name, run.asked));
    }
  }
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

std::vector<Tightening> tightenings(const std::vector<Run>& runs) {
  using Key = std::tuple<std::string, const problems::Problem*, double, double>;
  std::map<Key, const Run*> finished;
  for (const Run& run : runs) {
    if (run.finished()) finished[{run.method, run.problem, run.fixed_atol, run.asked}] = &run;
  }
  std::map<std::string, Tightening> by_method;
  for (const auto& [key, run] : finished) {
    if (multiplies_errors(*run->problem) || run->problem->name == "e5-long") continue;
    const auto tighter =
        finished.find({run->method, run->problem, run->fixed_atol, run->asked + 2});
    if (tighter == finished.end()) continue;
    Tightening& counts = by_method[run->method];
    counts.method = run->method;
    count_pair(*run, *tighter->second, counts);
  }
  std::vector<Tightening> found;
  for (auto& [method, counts] : by_method) found.push_back(std::move(counts));
  return found;
}

TighteningLimits tightening_limits(const std::string& method) {
  const Result<methods::Method> found = methods::require_method(method);
  if (!found || methods::is_one_step(*found)) return {};
  const auto* const* multistep = std::get_if<const methods::Multistep*>(&*found);
  const bool chooses_order =
      multistep != nullptr && (*multistep)->lowest_order < (*multistep)->highest_order;
  return chooses_order ? TighteningLimits{} : TighteningLimits{.worse = 0.2, .far_worse = 0.05};
}

std::vector<std::string> tightening_violations(const std::vector<Run>& runs) {
  std::vector<std::string> sentences;
  for (const Tightening& found : tightenings(runs)) {
    const TighteningLimits limits = tightening_limits(found.method);
    const auto pairs = static_cast<double>(found.pairs);
    if (static_cast<double>(found.worse) > limits.worse * pairs) {
      sentences.push_back(fmt::format("`{}` has larger errors for a tighter rtol in {} of {} pairs",
                                      found.method, found.worse, found.pairs));
    }
    if (static_cast<double>(found.far_worse.size()) > limits.far_worse * pairs)
      std::ranges::copy(found.far_worse, std::back_inserter(sentences));
  }
  return sentences;
}

}  // namespace daedalus::bench
