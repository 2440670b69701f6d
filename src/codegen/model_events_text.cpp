// What the events of a model say to people.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/model_events.hpp"
#include "daedalus/base/number.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::codegen {

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

// Clocks that tick, with whose numbers the time sources begin.
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

Settling ModelEvents::not_found(Held held, Workspace& space) const {
  if (held == Held::Undefined) {
    Settling result{.end = Settling::End::Undefined, .message = system_.why_undefined(space)};
    if (const auto span = system_.where_undefined(space)) result.span = *span;
    return result;
  }
  // Who still changes after so many searches goes round.
  std::vector<double> before;
  for (const VariableId id : held_) before.push_back(space.symbols[index(id)]);
  std::vector<bool> turns(held_.size(), false);
  for (int search = 0; search < 20; ++search) {
    const double t = space.symbols[index(model::FlatModel::time)];
    std::vector<double> y;
    for (const VariableId state : model_.states) y.push_back(space.symbols[index(state)]);
    system_.evaluate_all(t, y, space);
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

// The texts of all conditions, once: events are too frequent for that.
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

// When-clauses that have been triggered in every circle of a settling that does not end.
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

}  // namespace daedalus::codegen
