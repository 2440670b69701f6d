#include "daedalus/structure/state_monitor.hpp"

#include <algorithm>

#include "structure/passes/state_selection.hpp"

namespace daedalus::structure {
namespace {

// Constraints may swap their dummies if they were differentiated equally often.
bool leaves_same_states(const StateGroup& group, const std::vector<VariableId>& dummies) {
  const auto sorted = [&](const std::vector<VariableId>& chosen) {
    std::vector<std::pair<VariableId, int>> pairs;
    for (std::size_t row = 0; row < chosen.size(); ++row) {
      pairs.emplace_back(chosen[row], group.constraints[row].times);
    }
    std::ranges::sort(pairs);
    return pairs;
  };
  return sorted(dummies) == sorted(group.dummies);
}

// The choice when the present dummies are the least preferred ones.
std::optional<std::vector<VariableId>> other_dummies(const StateGroup& group,
                                                     std::span<const double> entries,
                                                     double times) {
  StateGroup other = group;
  for (std::size_t row = 0; row < group.dummies.size(); ++row) {
    const auto candidate =
        std::ranges::find(other.candidates, group.dummies[row], &StateGroup::Candidate::variable);
    constexpr int unwilling = 1'000'000;
    candidate->willingness[static_cast<std::size_t>(group.constraints[row].times) - 1].asked -=
        unwilling;
  }
  std::optional<std::vector<VariableId>> dummies = choose_dummies(other, entries, 1.0 / times);
  if (!dummies || leaves_same_states(group, *dummies)) return std::nullopt;
  if (compare_state_select(group, *dummies) != StateSelectChange::Fine) return std::nullopt;
  other.dummies = *dummies;
  if (!(worst_ratio(other, entries) <= times)) return std::nullopt;
  return dummies;
}

}  // namespace

StateMonitor::StateMonitor(const StructuredModel& model) : model_(model) {
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const StateGroup& group = model.groups[g];
    if (!group.may_change()) continue;
    Watched& watched = watched_.emplace_back();
    watched.group = g;
    watched.entries.resize(group.values.size());
    for (const ExprId id : group.values) watched.tape.output(model.flat.arena, id);
  }
}

std::optional<StateChoice> StateMonitor::better_choice(std::span<const double> values,
                                                       double times) {
  if (watched_.empty()) return std::nullopt;
  values_.assign(values.begin(), values.end());
  std::optional<StateChoice> choice;
  for (Watched& watched : watched_) {
    const StateGroup& group = model_.groups[watched.group];
    watched.tape.run(values_, watched.entries);
    const double ratio = worst_ratio(group, watched.entries);
    if (ratio <= times) continue;
    constexpr double near_ties = 0.9;
    const std::optional<std::vector<VariableId>> dummies =
        choose_dummies(group, watched.entries, near_ties);
    if (!dummies || leaves_same_states(group, *dummies)) continue;
    constexpr double patience = 3.0;  // with states that the model prefers
    const StateSelectChange change = compare_state_select(group, *dummies);
    if (change == StateSelectChange::Forbidden) continue;
    if (change == StateSelectChange::Unwanted && ratio <= patience * times) continue;
    if (!choice) {
      choice.emplace();
      for (const StateGroup& each : model_.groups) choice->push_back(each.dummies);
    }
    (*choice)[watched.group] = *dummies;
  }
  return choice;
}

std::optional<StateChoice> StateMonitor::other_choice(std::span<const double> values,
                                                      double times) {
  values_.assign(values.begin(), values.end());
  std::optional<StateChoice> choice;
  for (Watched& watched : watched_) {
    const StateGroup& group = model_.groups[watched.group];
    watched.tape.run(values_, watched.entries);
    const std::optional<std::vector<VariableId>> dummies =
        other_dummies(group, watched.entries, times);
    if (!dummies) continue;
    if (!choice) {
      choice.emplace();
      for (const StateGroup& each : model_.groups) choice->push_back(each.dummies);
    }
    (*choice)[watched.group] = *dummies;
  }
  return choice;
}

}  // namespace daedalus::structure
