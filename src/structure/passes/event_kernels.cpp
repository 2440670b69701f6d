#include "structure/passes/event_kernels.hpp"

#include <utility>

#include "daedalus/structure/event_flow.hpp"
#include "daedalus/structure/margins.hpp"

namespace daedalus::structure {
namespace {

expr::ExprId constant_true(expr::Arena& arena) { return arena.constant(1.0); }

}  // namespace

EventKernels event_kernels(StructuredModel& model) {
  EventKernels kernels;
  if (model.discrete.is_empty(model.flat)) return kernels;
  expr::Arena& arena = model.flat.arena;
  Margins margins = margins_of(model);
  kernels.margins.outputs = std::move(margins.all);
  kernels.seen_margins.outputs = std::move(margins.seen);
  kernels.seen.outputs.push_back(margins.any_is_seen);
  kernels.seen_forms.outputs = std::move(margins.in_time);
  for (const Switch& one : model.discrete.switches) {
    if (one.in_time) {
      kernels.time_forms.outputs.push_back(one.in_time->coefficient);
      kernels.time_forms.outputs.push_back(one.in_time->rest);
    } else {
      kernels.values.outputs.push_back(one.value);
    }
  }
  for (const Assignment& assignment : computed_in_order(model))
    kernels.assignments.assignments.push_back(assignment);
  kernels.search = search_kernel(model);
  for (const model::Action& action : model.flat.actions) {
    kernels.actions.outputs.push_back(action.guard.is_none() ? constant_true(arena) : action.guard);
    kernels.actions.outputs.push_back(action.value.is_none() ? constant_true(arena) : action.value);
  }
  return kernels;
}

}  // namespace daedalus::structure
