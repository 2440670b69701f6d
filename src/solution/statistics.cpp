#include "daedalus/solution/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace daedalus::solution {

std::span<const std::string_view> jacobian_cause_names() {
  static constexpr std::array<std::string_view, std::tuple_size_v<decltype(JacobianTally::times)>>
      names = {"first",
               "every_step",
               "slow_convergence",
               "rejected_error",
               "rejected_newton",
               "rejected_domain",
               "rejected_singular",
               "event",
               "age",
               "switch",
               "stiffness"};
  return names;
}

std::span<const std::string_view> factorization_cause_names() {
  static constexpr std::array<std::string_view,
                              std::tuple_size_v<decltype(FactorizationTally::times)>>
      names = {"new_jacobian", "step_changed", "rejected", "order_changed"};
  return names;
}

std::string_view switch_reason_name(SwitchReason reason) {
  switch (reason) {
    case SwitchReason::Start:
      return "start";
    case SwitchReason::Stability:
      return "stability";
    case SwitchReason::Accuracy:
      break;
    case SwitchReason::Cost:
      return "cost";
    case SwitchReason::Failure:
      return "failure";
  }
  return "accuracy";
}

std::size_t Statistics::judged() const {
  std::size_t sum = 0;
  for (const LargestErrors& component : largest_errors) sum += component.attempts;
  return sum;
}

std::vector<std::size_t> Statistics::ranked_components() const {
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < largest_errors.size(); ++i) {
    if (largest_errors[i].attempts > 0) ranked.push_back(i);
  }
  std::ranges::stable_sort(ranked, std::ranges::greater(),
                           [&](std::size_t i) { return largest_errors[i].attempts; });
  return ranked;
}

std::string warning(const WrongJacobian& wrong, std::string_view variable) {
  if (!wrong.is_in_pattern) {
    return fmt::format(
        "the pattern of the Jacobian lacks an entry: equation {} depends on `{}` (column {}), "
        "differences at t = {:.10g} have {:.6g} there; results may be wrong",
        wrong.row, variable, wrong.column, wrong.t, wrong.found);
  }
  if (wrong.is_kept) {
    return fmt::format(
        "the column of `{}` (column {}) in the Jacobian is not constant, as was declared: equation "
        "{} had {:.6g}, differences at t = {:.10g} have {:.6g}; all columns are taken by "
        "differences from there on",
        variable, wrong.column, wrong.row, wrong.given, wrong.t, wrong.found);
  }
  return fmt::format(
      "the Jacobian that was given is wrong: at t = {:.10g} it has {:.6g} for `{}` (column {}) in "
      "equation {}, differences have {:.6g}; differences take its place from there on",
      wrong.t, wrong.given, variable, wrong.column, wrong.row, wrong.found);
}

std::string in_words(const UnstableStretch& stretch, std::span<const std::string> names) {
  constexpr double least_share = 0.05;  // that is worth a name
  constexpr double most_growth = 600.0;
  const std::string factor = stretch.growth < most_growth
                                 ? fmt::format("{:.2g}", std::exp(stretch.growth))
                                 : fmt::format("10^{:.0f}", stretch.growth / std::numbers::ln10);
  std::string states;
  for (const auto& [component, share] : stretch.states) {
    if (share < least_share) break;
    states += fmt::format("{}`{}` ({:.0f} %)", states.empty() ? ", most of " : ", ",
                          names[component], 100.0 * share);
  }
  return fmt::format(
      "unstable from t = {:.4g} to {:.4g} s: small changes grew at up to {:.2g} 1/s, by a factor "
      "of "
      "{}{}",
      stretch.since, stretch.until, stretch.rate, factor, states);
}

void EventCounts::add(const EventCounts& later) {
  instants += later.instants;
  state_events += later.state_events;
  time_events += later.time_events;
  evaluations += later.evaluations;
  retaken_steps += later.retaken_steps;
  seconds += later.seconds;
  slidings += later.slidings;
  rests += later.rests;
  if (by_indicator.size() < later.by_indicator.size())
    by_indicator.resize(later.by_indicator.size());
  for (std::size_t i = 0; i < later.by_indicator.size(); ++i)
    by_indicator[i] += later.by_indicator[i];
}

void EventCounts::clear() {
  std::vector<std::size_t> indicators = std::move(by_indicator);
  std::ranges::fill(indicators, 0);
  *this = {};
  by_indicator = std::move(indicators);
}

void Statistics::add(const Statistics& later, std::span<const std::size_t> components) {
  steps += later.steps;
  attempts += later.attempts;
  rejected_error += later.rejected_error;
  rejected_newton += later.rejected_newton;
  rejected_domain += later.rejected_domain;
  rejected_singular += later.rejected_singular;
  f_evals += later.f_evals;
  jac_evals += later.jac_evals;
  factorizations += later.factorizations;
  linear_solves += later.linear_solves;
  linear_iterations += later.linear_iterations;
  newton_iterations += later.newton_iterations;
  jacobian_checks += later.jacobian_checks;
  if (!wrong_jacobian) wrong_jacobian = later.wrong_jacobian;
  state_changes += later.state_changes;
  handed_back += later.handed_back;
  for (std::size_t i = 0; i < jacobians_by.times.size(); ++i) {
    jacobians_by.times[i] += later.jacobians_by.times[i];
  }
  for (std::size_t i = 0; i < factorizations_by.times.size(); ++i) {
    factorizations_by.times[i] += later.factorizations_by.times[i];
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (components[i] >= largest_errors.size()) largest_errors.resize(components[i] + 1);
    largest_errors[components[i]].attempts += later.largest_errors[i].attempts;
    largest_errors[components[i]].rejected += later.largest_errors[i].rejected;
  }
  over_time.add(later.over_time);
  events.add(later.events);
  switches.insert(switches.end(), later.switches.begin(), later.switches.end());
  for (UnstableStretch stretch : later.unstable) {
    for (UnstableStretch::State& state : stretch.states) {
      if (state.component < components.size()) state.component = components[state.component];
    }
    unstable.push_back(stretch);
  }
}

void Statistics::clear() {
  std::vector<LargestErrors> components = std::move(largest_errors);
  std::ranges::fill(components, LargestErrors{});
  EventCounts cleared_events = std::move(events);
  cleared_events.clear();
  std::vector<Switch> cleared_switches = std::move(switches);
  cleared_switches.clear();
  std::vector<UnstableStretch> cleared_stretches = std::move(unstable);
  cleared_stretches.clear();
  *this = {};
  largest_errors = std::move(components);
  events = std::move(cleared_events);
  switches = std::move(cleared_switches);
  unstable = std::move(cleared_stretches);
}

}  // namespace daedalus::solution
