// What events compute, as kernels.
#include <span>

#include "codegen/model_events.hpp"
#include "daedalus/structure/visibility.hpp"

namespace daedalus::codegen {
namespace {

using structure::Switch;

expr::ExprId constant_true(expr::Arena& arena) { return arena.constant(1.0); }

// Of switches that nothing depends on just now.
constexpr double unseen_margin = 1.0;

// How far what is held is from being wrong.
void add_margins(expr::Arena& arena, const Switch& one, std::vector<expr::ExprId>& margins) {
  const expr::ExprId held = arena.symbol(one.symbol);
  const expr::ExprId zero = arena.constant(0.0), unit = arena.constant(1.0);
  const auto is = [&](expr::Op op) { return arena.make(op, held, zero); };
  switch (one.kind) {
    case Switch::Kind::Relation:
      margins.push_back(arena.choose(held, one.difference, arena.negate(one.difference)));
      break;
    case Switch::Kind::Floor:
      margins.push_back(arena.subtract(one.difference, held));
      margins.push_back(arena.subtract(arena.add(held, unit), one.difference));
      break;
    case Switch::Kind::Truncation: {
      const expr::ExprId low =
          arena.choose(is(expr::Op::Greater), held, arena.subtract(held, unit));
      const expr::ExprId high = arena.choose(is(expr::Op::Less), held, arena.add(held, unit));
      margins.push_back(arena.subtract(one.difference, low));
      margins.push_back(arena.subtract(high, one.difference));
      break;
    }
  }
}

}  // namespace

EventKernels event_kernels(structure::StructuredModel& model) {
  expr::Arena& arena = model.flat.arena;
  EventKernels kernels;
  const std::vector<expr::ExprId> seen = structure::conditions_to_be_seen(model);
  expr::ExprId any_seen;
  for (std::size_t i = 0; i < model.discrete.switches.size(); ++i) {
    const Switch& one = model.discrete.switches[i];
    if (one.in_time) {
      kernels.time_forms.outputs.push_back(one.in_time->coefficient);
      kernels.time_forms.outputs.push_back(one.in_time->rest);
    } else {
      const std::size_t first = kernels.margins.outputs.size();
      add_margins(arena, one, kernels.margins.outputs);
      for (const expr::ExprId margin : std::span(kernels.margins.outputs).subspan(first)) {
        kernels.seen_margins.outputs.push_back(
            arena.choose(seen[i], margin, arena.constant(unseen_margin)));
      }
      any_seen = any_seen.is_none() ? seen[i] : arena.make(expr::Op::Or, any_seen, seen[i]);
      kernels.values.outputs.push_back(one.value);
    }
  }
  kernels.seen.outputs.push_back(any_seen.is_none() ? arena.constant(0.0) : any_seen);
  kernels.assignments.assignments = model.discrete.assignments;
  kernels.search = search_kernel(model);
  for (const model::Action& action : model.flat.actions) {
    kernels.actions.outputs.push_back(action.guard.is_none() ? constant_true(arena) : action.guard);
    kernels.actions.outputs.push_back(action.value.is_none() ? constant_true(arena) : action.value);
  }
  return kernels;
}

}  // namespace daedalus::codegen
