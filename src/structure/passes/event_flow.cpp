#include "daedalus/structure/event_flow.hpp"

#include <algorithm>
#include <span>

namespace daedalus::structure {
namespace {

// Whether one of the expressions reads more than states and known values.
bool reads_computed(const StructuredModel& model, std::span<const expr::ExprId> expressions) {
  std::vector<bool> is_computed(model.symbol_count, false);
  for (const Block& block : model.dynamics.blocks) {
    for (const VariableId id : block.unknowns) is_computed[index(id)] = true;
  }
  expr::Walker walker;
  return std::ranges::any_of(walker.symbols(model.flat.arena, expressions),
                             [&](expr::SymbolId id) { return is_computed[index(id)]; });
}

// What settling an event computes, apart from the switches.
std::vector<expr::ExprId> computed_at_events(const StructuredModel& model) {
  std::vector<expr::ExprId> all;
  for (const Assignment& assignment : model.discrete.assignments) all.push_back(assignment.value);
  for (const model::Action& action : model.flat.actions) {
    all.insert(all.end(), {action.guard, action.value});
    for (const model::MessagePart& part : action.message) all.push_back(part.value);
  }
  std::erase_if(all, [](expr::ExprId id) { return id.is_none(); });
  return all;
}

// Whether what is computed at events needs a variable that derivatives and switches do not.
bool depends_on_rest(const StructuredModel& model) {
  std::vector<bool> is_rest(model.symbol_count, false);
  for (const Block& block : model.dynamics.blocks) {
    for (const VariableId id : block.unknowns) is_rest[index(id)] = !block.feeds_derivatives;
  }
  const auto is_left_limit_of_rest = [&](const Memory& memory) {
    return !memory.is_discrete && is_rest[index(memory.of)];
  };
  if (std::ranges::any_of(model.discrete.memories, is_left_limit_of_rest)) return true;
  expr::Walker walker;
  return std::ranges::any_of(walker.symbols(model.flat.arena, computed_at_events(model)),
                             [&](expr::SymbolId id) { return is_rest[index(id)]; });
}

std::vector<bool> read_by_dynamics(const StructuredModel& model) {
  std::vector<expr::ExprId> motion;
  const SortedSystem& solved = model.discrete.joint ? *model.discrete.joint : model.dynamics;
  for (const model::Equation& equation : solved.equations)
    motion.insert(motion.end(), {equation.left, equation.right});
  std::vector<bool> feeds(model.symbol_count, false);
  expr::Walker walker;
  for (const expr::SymbolId id : walker.symbols(model.flat.arena, motion)) feeds[index(id)] = true;
  return feeds;
}

// Adds symbols with whose new values another search may find more: those that switches read, and
// assignments at or before their own place.
void add_read_by_searches(const StructuredModel& model, std::vector<bool>& feeds) {
  const expr::Arena& arena = model.flat.arena;
  expr::Walker walker;
  std::vector<expr::ExprId> read;
  for (const Switch& one : model.discrete.switches) {
    read.push_back(one.difference);
    if (one.in_time) read.insert(read.end(), {one.in_time->coefficient, one.in_time->rest});
  }
  for (const expr::SymbolId id : walker.symbols(arena, read)) feeds[index(id)] = true;
  std::vector<bool> is_later(model.symbol_count, false);  // the target of this or a later one
  for (const Assignment& assignment : model.discrete.assignments)
    is_later[index(assignment.target)] = true;
  for (const Assignment& assignment : model.discrete.assignments) {
    for (const expr::SymbolId id : walker.symbols(arena, std::span(&assignment.value, 1))) {
      if (is_later[index(id)]) feeds[index(id)] = true;
    }
    is_later[index(assignment.target)] = false;
  }
}

}  // namespace

std::vector<Assignment> computed_in_order(const StructuredModel& model) {
  std::vector<Assignment> all = model.discrete.assignments;
  for (const std::size_t count : model.discrete.loops) all.resize(all.size() - count);
  if (model.discrete.joint) {
    std::erase_if(all, [&](const Assignment& assignment) {
      return model.flat[assignment.target].type == model::Type::Real;
    });
  }
  return all;
}

EventFlow event_flow(const StructuredModel& model) {
  EventFlow flow;
  flow.feeds = read_by_dynamics(model);
  flow.needs_all = depends_on_rest(model);
  std::vector<expr::ExprId> watched;
  for (const Switch& one : model.discrete.switches) watched.push_back(one.difference);
  flow.watches_algebraic = reads_computed(model, watched);
  flow.needs_variables = flow.watches_algebraic || model.discrete.joint ||
                         reads_computed(model, computed_at_events(model));
  // Where the search solves equations, the symbols that these read.
  flow.feeds_search = flow.needs_variables ? flow.feeds : std::vector<bool>(model.symbol_count);
  add_read_by_searches(model, flow.feeds_search);
  return flow;
}

}  // namespace daedalus::structure
