// The messages of a model's events.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/base/number.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/structure/structure.hpp"
#include "runtime/failure_text.hpp"
#include "runtime/model_events.hpp"

namespace daedalus::runtime {

using structure::Switch;
using structure::VariableId;
using system::Settling;

system::EventSource ModelEvents::indicator_source(std::size_t i) const {
  const Switch& one = model_.discrete.switches[margin_of_[i]];
  return {text_of(one.literal), one.span};
}

system::EventSource ModelEvents::time_source(std::size_t i) const {
  if (i < clocks_.size()) {
    const model::Sampler& sampler = model_.flat.samplers[i];
    return {fmt::format("sample({}, {})", text_of(sampler.start), text_of(sampler.interval)),
            sampler.span};
  }
  const Switch& one = model_.discrete.switches[by_time_[i - clocks_.size()]];
  return {text_of(one.literal), one.span};
}

// Clocks that tick; they come first among the time sources.
void ModelEvents::list_ticks(const Workspace& space, std::vector<std::size_t>& sources) const {
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    if (space.symbols[index(clocks_[i].variable)] != 0.0) sources.push_back(i);
  }
}

std::vector<double> ModelEvents::time_values(const Workspace& space) const {
  std::vector<double> values;
  for (const Symbol& symbol : time_switches_) values.push_back(space.symbols[symbol.place]);
  return values;
}

void ModelEvents::list_time_changes(const Workspace& space, std::span<const double> before,
                                    std::vector<std::size_t>& sources) const {
  const std::vector<double> now = time_values(space);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != before[i]) sources.push_back(clocks_.size() + i);
  }
}

std::string ModelEvents::message_of(const model::Action& action, const Workspace& space) const {
  expr::Walker walker;
  std::string text;
  for (const model::MessagePart& part : action.message) {
    text += part.text;
    if (part.value.is_none()) continue;
    const double value = expr::evaluate(model_.flat.arena, walker, part.value, space.symbols);
    if (part.type == model::Type::Boolean)
      text += value != 0.0 ? "true" : "false";
    else
      text += number_text(value, part.significant_digits);
  }
  return text;
}

Settling ModelEvents::untold(Workspace& space) const {
  const Switch& one = *untold_switch(space);
  const bool is_relation = one.kind == Switch::Kind::Relation;
  return {.end = Settling::End::Undefined,
          .message = fmt::format(
              "`{}` {}{}", text_of(one.literal),
              is_relation ? "is undefined: a side of it is not a number" : "is not a number",
              where_text(model_, std::span(&one.literal, 1), {}, space.symbols)),
          .span = one.span};
}

Settling ModelEvents::undefined(const model::Action& action, const Workspace& space) const {
  const std::string subject =
      action.kind == model::Action::Kind::Reinit
          ? fmt::format("the new value of `{}`", model_.flat[action.target].name)
          : "a condition";
  const std::vector<expr::ExprId> parts =
      action.guard.is_none() ? std::vector{action.value} : std::vector{action.guard, action.value};
  return {
      .end = Settling::End::Undefined,
      .message = fmt::format("{} is not a finite number: `{}`{}", subject, text_of(action.value),
                             where_text(model_, parts, {}, space.symbols)),
      .span = action.span};
}

Settling ModelEvents::not_found(Found held, Workspace& space) const {
  switch (held) {
    case Found::All:
    case Found::Circles:
      return goes_round(space);
    case Found::Undefined:
      return not_defined(space);
    case Found::NotFinite: {
      const auto target = std::ranges::find_if(targets_, [&](const Symbol& symbol) {
        return !symbol.can_be(space.symbols[symbol.place]);
      });
      Settling result{.end = Settling::End::Undefined};
      const model::Equation& equation = equation_for(target->place);
      result.span = equation.span;
      const double value = space.symbols[target->place];
      const expr::ExprId sides[] = {equation.left, equation.right};
      result.message =
          fmt::format("`{}` is {} in `{}`{}", names_[target->place], number_text(value, 17),
                      structure::equation_text(model_.flat, equation, names_),
                      std::isfinite(value) ? ": Integers are exact below 2^53 only"
                                           : large_integer_text(model_, sides, space.symbols));
      return result;
    }
    case Found::Untold:
      return untold(space);
    case Found::Open: {
      const model::Equation& equation = equation_for(space.events.open);
      return {.end = Settling::End::DoesNotSettle,
              .message = fmt::format("`{}` is not determined by `{}` and the equations that this "
                                     "depends on",
                                     names_[space.events.open],
                                     structure::equation_text(model_.flat, equation, names_)),
              .span = equation.span};
    }
  }
  return {};
}

// The equation that defines a discrete variable.
const model::Equation& ModelEvents::equation_for(std::size_t symbol) const {
  const auto& assignments = model_.discrete.assignments;
  const auto found = std::ranges::find_if(
      assignments, [&](const structure::Assignment& one) { return index(one.target) == symbol; });
  return model_.discrete.equations[static_cast<std::size_t>(found - assignments.begin())];
}

Settling ModelEvents::not_defined(Workspace& space) const {
  Settling result{.end = Settling::End::Undefined};
  if (space.joint_failure) {
    const structure::SortedSystem& joint = *model_.discrete.joint;
    const BlockMemory& memory = (*space.joint_memory)[space.joint_failure->block];
    result.message = describe_failure(model_, joint, *space.joint_failure, space.symbols, memory);
    result.span = worst_equation(joint, *space.joint_failure, memory).span;
  } else {
    const system::Fault fault = system_.why_undefined(space);
    result.message = fault.text;
    if (fault.span) result.span = *fault.span;
  }
  if (space.events.modes > 1)
    result.message += fmt::format(
        "; {} combinations of its relations were tried, and none of them "
        "has a solution that agrees with it",
        space.events.modes);
  return result;
}

Settling ModelEvents::goes_round(Workspace& space) const {
  // A variable that still changes after this many searches is in a cycle.
  std::vector<double> before;
  for (const VariableId id : held_) before.push_back(space.symbols[index(id)]);
  std::vector<bool> turns(held_.size(), false);
  for (int search = 0; search < 20; ++search) {
    const double t = space.symbols[index(model::FlatModel::time)];
    std::vector<double> y;
    for (const VariableId state : model_.states) y.push_back(space.symbols[index(state)]);
    system_.run_all(t, y, space);
    find_by_kinds(t, false, space);
    for (std::size_t i = 0; i < held_.size(); ++i)
      turns[i] = turns[i] || space.symbols[index(held_[i])] != before[i];
  }
  std::string names;
  Span span;
  const std::vector<Switch>& switches = model_.discrete.switches;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!turns[i]) continue;
    const model::Variable& variable = model_.flat[held_[i]];
    if (names.empty()) span = variable.span;
    const auto one = std::ranges::find(switches, held_[i], &Switch::symbol);
    const std::string name = one == switches.end() ? variable.name : text_of(one->literal);
    if (variable.is_hidden && one == switches.end()) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
  }
  return {.end = Settling::End::DoesNotSettle,
          .message = names.empty() ? "the values that change at this event do not come to rest"
                                   : fmt::format("{} change again and again", names),
          .span = span};
}

Settling ModelEvents::set_twice(std::size_t action, double first, double second) const {
  const model::Action& reinit = model_.flat.actions[action];
  return {
      .end = Settling::End::DoesNotSettle,
      .message = fmt::format("`{}` is set twice by reinit, to {} and to {}",
                             names_[index(reinit.target)], number_text(first), number_text(second)),
      .span = reinit.span};
}

// The texts of all conditions, made once: events are too frequent to do it each time.
void ModelEvents::name_whens() {
  names_ = structure::names_of(model_);
  std::vector<expr::ExprId> values(model_.flat.variables.size());
  for (const structure::Assignment& assignment : model_.discrete.assignments)
    values[index(assignment.target)] = assignment.value;
  for (const model::When& when : model_.flat.whens) {
    const expr::ExprId condition = values[index(when.condition)];
    when_names_.push_back(fmt::format(
        "when {}", condition.is_none() ? names_[index(when.condition)] : text_of(condition)));
  }
}

// The conditions of when-clauses that have just become true.
void ModelEvents::list_triggered(const Workspace& space,
                                 std::vector<system::Change>& changes) const {
  for (std::size_t i = 0; i < when_names_.size(); ++i) {
    if (is_triggered(i, space)) changes.push_back({when_names_[i], 0.0, 1.0});
  }
}

void ModelEvents::list_changes(const Workspace& space, std::vector<system::Change>& changes) const {
  for (std::size_t i = 0; i < observed_.size(); ++i) {
    const Symbol& symbol = observed_[i];
    const double before = space.events.before[i], now = space.symbols[symbol.place];
    if (symbol.is_shown && now != before)
      changes.push_back({model_.flat[VariableId(symbol.place)].name, before, now});
  }
}

std::string ModelEvents::text_of(expr::ExprId id) const {
  return expr::to_string(model_.flat.arena, id, names_, 200);
}

// When-clauses that have been triggered in every cycle of a settling that does not end.
Settling ModelEvents::triggers_again(std::span<const system::Change> circle) const {
  std::vector<std::string> names;
  for (const system::Change& clause : circle) {
    if (std::ranges::find(names, clause.name) == names.end()) names.push_back(clause.name);
  }
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  Settling result{.end = Settling::End::DoesNotSettle,
                  .message = fmt::format("{} {} triggered again and again", text,
                                         names.size() == 1 ? "is" : "are")};
  const auto first = std::ranges::find(when_names_, names.front());
  result.span = model_.flat.whens[static_cast<std::size_t>(first - when_names_.begin())].span;
  return result;
}

}  // namespace daedalus::runtime
