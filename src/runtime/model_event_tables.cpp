// What ModelEvents knows of its model once and for all, because events are frequent.
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/structure/structure.hpp"
#include "runtime/model_events.hpp"

namespace daedalus::runtime {

using structure::Switch;
using structure::VariableId;

namespace {

std::size_t margin_count(const Switch& one) { return one.kind == Switch::Kind::Relation ? 1 : 2; }

}  // namespace

ModelEvents::ModelEvents(const ModelSystem& system, const structure::StructuredModel& model,
                         const HeldLayout& layout, EventFunctions functions,
                         std::vector<SequenceStep> joint)
    : system_(system),
      model_(model),
      layout_(layout),
      functions_(std::move(functions)),
      joint_(std::move(joint)),
      flow_(structure::event_flow(model)),
      finds_at_once_(!model.discrete.kernels.search.outputs.empty()) {
  for (std::uint32_t i = 0; i < model.discrete.switches.size(); ++i) {
    const Switch& one = model.discrete.switches[i];
    if (one.in_time) {
      by_time_.push_back(i);
      is_strict_.push_back(model.flat.arena[one.value].op == expr::Op::Greater);
    } else {
      state_numbers_.push_back(i);
      margin_of_.insert(margin_of_.end(), margin_count(one), i);
    }
  }
  expr::Walker walker;
  const expr::Arena& arena = model.flat.arena;
  std::span<const structure::Assignment> looped(model.discrete.assignments);
  looped = looped.last(
      std::accumulate(model.discrete.loops.begin(), model.discrete.loops.end(), std::size_t{0}));
  for (const structure::Assignment& assignment : looped) loop_targets_.push_back(assignment.target);
  for (const std::size_t count : model.discrete.loops) {
    loops_.push_back(structure::cyclic_equations(arena, walker, looped.first(count)));
    looped = looped.subspan(count);
  }
  for (const model::Sampler& sampler : model.flat.samplers) {
    clocks_.push_back({expr::evaluate(arena, walker, sampler.start, model.values),
                       expr::evaluate(arena, walker, sampler.interval, model.values),
                       sampler.variable});
  }
  name_whens();
  has_left_limits_ = !std::ranges::all_of(model.discrete.memories, &structure::Memory::is_discrete);
  list_symbols();
  const auto moves = [&](expr::SymbolId id) { return model::varies(model.flat, id); };
  for (const model::Action& action : model.flat.actions) {
    const auto state = std::ranges::find(model.states, action.target);
    state_of_.push_back(static_cast<std::size_t>(state - model.states.begin()));
    const bool is_free = action.kind == model::Action::Kind::Assert && action.guard.is_none();
    if (is_free) free_assertions_.push_back(state_of_.size() - 1);
    can_fail_between_events_ |= is_free && expr::depends_on(arena, walker, action.value, moves);
  }
}

// What settling iterates over.
void ModelEvents::list_symbols() {
  const auto entry = [&](VariableId id) -> Symbol {
    const bool is_real = model_.flat[id].type == model::Type::Real;
    return {.place = static_cast<std::uint32_t>(index(id)),
            .is_real = is_real,
            .feeds = flow_.feeds[index(id)],
            .feeds_search = flow_.feeds_search[index(id)],
            .largest = is_real ? std::numeric_limits<double>::max() : expr::integer_limit - 1.0};
  };
  for (const Switch& one : model_.discrete.switches)
    (one.in_time ? time_switches_ : state_switches_).push_back(entry(one.symbol));
  for (const structure::Assignment& assignment : model_.discrete.assignments)
    targets_.push_back(entry(assignment.target));
  for (const Symbol& target : targets_) {
    if (!model_.discrete.joint || !target.is_real) computed_.push_back(target);
    if (model_.flat[VariableId(target.place)].type != model::Type::Boolean)
      numbers_.push_back(target);
  }
  for (const std::vector<Symbol>* symbols : {&time_switches_, &state_switches_, &targets_}) {
    for (const Symbol& symbol : *symbols) found_places_.push_back(symbol.place);
  }
  for (std::size_t i = 1; i < model_.flat.variables.size(); ++i) {
    const VariableId id(i);
    if (!model_.flat.is_memory(id)) continue;
    const model::Variable& variable = model_.flat[id];
    held_.push_back(id);
    Symbol symbol = entry(id);
    symbol.is_shown = !variable.is_hidden && variable.pre_of.is_none();
    if (symbol.feeds || symbol.is_shown) observed_.push_back(symbol);
  }
  for (const structure::Memory& memory : model_.discrete.memories) {
    pasts_.push_back({.place = static_cast<std::uint32_t>(index(memory.symbol)),
                      .of = static_cast<std::uint32_t>(index(memory.of)),
                      .sign = static_cast<double>(memory.sign),
                      .is_discrete = memory.is_discrete,
                      .feeds = flow_.feeds[index(memory.symbol)]});
  }
  for (const model::When& when : model_.flat.whens) {
    const VariableId memory = model_.flat[when.condition].pre;
    when_symbols_.emplace_back(index(when.condition), memory.is_none() ? 0 : index(memory));
  }
}

}  // namespace daedalus::runtime
