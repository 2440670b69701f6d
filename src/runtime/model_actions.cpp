// The actions of when-clauses, and the assertions of the model.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "runtime/model_events.hpp"

namespace daedalus::runtime {

using system::Evaluation;
using system::Settling;

// Whether an assertion outside when-clauses is violated.
bool ModelEvents::has_violation(double t, Workspace& space, Settling& result) const {
  for (const std::size_t i : free_assertions_) {
    const model::Action& action = model_.flat.actions[i];
    const double holds = space.events.actions[2 * i + 1];
    if (std::isnan(holds)) {
      result = undefined(action, space);
      return true;
    }
    if (holds != 0.0) continue;
    const std::string message = message_of(action, space);
    if (action.level == model::Action::Level::Warning) {
      if (space.state.is_reported[i] == 0.0)
        space.events.warnings.push_back(fmt::format("at t = {:.10g}: {}", t, message));
      space.state.is_reported[i] = 1.0;
      continue;
    }
    result = {.end = Settling::End::Violated, .message = message, .span = action.span};
    return true;
  }
  return false;
}

// Executes the actions of when-clauses that have been triggered. Returns whether y has changed.
bool ModelEvents::act(double t, std::span<double> y, Workspace& space, Settling& result) const {
  const std::vector<model::Action>& actions = model_.flat.actions;
  if (actions.empty()) return false;
  functions_.actions(space.symbols.data(), space.events.actions.data());
  ++space.events.rounds;
  bool has_changed = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const model::Action& action = actions[i];
    if (action.guard.is_none() || space.events.actions[2 * i] == 0.0) continue;
    const double value = space.events.actions[2 * i + 1];
    if (!std::isfinite(value + space.events.actions[2 * i])) {
      result = undefined(action, space);
      return has_changed;
    }
    switch (action.kind) {
      case model::Action::Kind::Reinit: {
        if (state_of_[i] == y.size()) {  // which the run no longer uses as a state
          result = {
              .end = Settling::End::Undefined,
              .message = fmt::format(
                  "`{}` cannot be given a value: it is no state here, but follows from others",
                  model_.flat[action.target].name),
              .span = action.span};
          return has_changed;
        }
        if (std::exchange(space.events.set_in[state_of_[i]], space.events.rounds) ==
            space.events.rounds) {
          result = set_twice(i, y[state_of_[i]], value);
          return has_changed;
        }
        y[state_of_[i]] = value;
        has_changed = true;
        break;
      }
      case model::Action::Kind::Assert:
        if (value != 0.0) break;
        if (action.level == model::Action::Level::Warning) {
          space.events.warnings.push_back(
              fmt::format("at t = {:.10g}: {}", t, message_of(action, space)));
          break;
        }
        result = {.end = Settling::End::Violated,
                  .message = message_of(action, space),
                  .span = action.span};
        return has_changed;
      case model::Action::Kind::Terminate:
        result = {.end = Settling::End::Terminated,
                  .message = message_of(action, space),
                  .span = action.span};
        break;
    }
  }
  return has_changed;
}

// The solutions of loops that are used only by assertions are followed here, from step to step.
Settling ModelEvents::check(double t, std::span<const double> y, system::Held& held,
                            system::Scratch& scratch) const {
  if (!can_fail_between_events_) return {};
  Workspace& space = workspace(scratch);
  size(space);
  if (system_.evaluate(t, y, ModelSystem::Extent::All, {held, scratch}) == Evaluation::Undefined)
    return {};  // reported elsewhere
  functions_.actions(space.symbols.data(), space.events.actions.data());
  Settling result;
  has_violation(t, space, result);
  if (!space.events.warnings.empty()) {
    result.warnings = std::exchange(space.events.warnings, {});
    layout_.store(space.symbols, space.state, held);
  } else if (layout_.followed().size() < layout_.guesses().size()) {
    layout_.hold_other_guesses(space.symbols, held);
  }
  return result;
}

}  // namespace daedalus::runtime
