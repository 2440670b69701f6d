#include "structure/passes/discrete.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/structure/structure.hpp"
#include "structure/graph/components.hpp"
#include "structure/passes/switches.hpp"

namespace daedalus::structure {
namespace {

constexpr std::size_t most_related = 5;

bool is_discrete_unknown(const model::FlatModel& flat, VariableId id) {
  return flat.is_unknown(id) && flat[id].variability == model::Variability::Discrete;
}

std::optional<VariableId> discrete_symbol(const model::FlatModel& flat, ExprId side) {
  if (!flat.arena.is_symbol(side)) return std::nullopt;
  const VariableId id = flat.arena.symbol_of(side);
  return is_discrete_unknown(flat, id) ? std::optional(id) : std::nullopt;
}

// Whether the equation defines a discrete variable: then that stands alone on one side, and nothing
// on the other side is continuous, unless a when-clause takes its value from there. Such an
// equation also contains the previous value of the variable. An equation of Reals never defines an
// Integer.
bool is_discrete(const model::FlatModel& flat, expr::Walker& walker,
                 const model::Equation& equation) {
  if (equation.type != model::Type::Real) return true;
  const auto moves = [&](SymbolId id) {
    return flat.is_unknown(id) && flat[id].variability == model::Variability::Continuous;
  };
  const auto says_what = [&](ExprId side, ExprId other) {
    const std::optional<VariableId> id = discrete_symbol(flat, side);
    if (!id || flat[*id].type != model::Type::Real) return false;
    const auto is_memory = [&](SymbolId symbol) { return symbol == flat[*id].pre; };
    return expr::depends_on(flat.arena, walker, other, is_memory) ||
           !expr::depends_on(flat.arena, walker, other, moves);
  };
  return says_what(equation.left, equation.right) || says_what(equation.right, equation.left);
}

std::vector<VariableId> discrete_unknowns(const model::FlatModel& flat,
                                          const std::vector<Alias>& aliases) {
  std::vector<bool> is_alias(flat.variables.size(), false);
  for (const Alias& alias : aliases) is_alias[index(alias.variable)] = true;
  std::vector<VariableId> unknowns;
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    if (!is_alias[i] && is_discrete_unknown(flat, VariableId(i))) unknowns.push_back(VariableId(i));
  }
  return unknowns;
}

// name = expression, whichever side the name is on.
ExprId solved_for(const model::FlatModel& flat, const model::Equation& equation, VariableId id) {
  const bool is_left =
      flat.arena.is_symbol(equation.left) && flat.arena.symbol_of(equation.left) == id;
  return is_left ? equation.right : equation.left;
}

// The variable that each equation can define: the one that stands alone on one of its sides. A Real
// may depend on itself, as equations of Reals are solved.
Incidence incidence_of_sides(const model::FlatModel& flat, const EquationSystem& system) {
  expr::Walker walker;
  Lists determines;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    const model::Equation& equation = system.equations[row];
    determines.begin_list();
    for (const std::uint32_t column : system.uses[row]) {
      const VariableId id = system.unknowns[column];
      const auto is_side = [&](ExprId side) { return discrete_symbol(flat, side) == id; };
      if ((is_side(equation.left) || is_side(equation.right)) &&
          may_determine(flat, walker, equation, id))
        determines.add(column);
    }
  }
  return {system.equations.size(), determines.inverse(system.unknowns.size())};
}

// Orders the equations for discrete variables so that each comes after what it needs. Where they
// depend on each other, Reals come first, and loops of Integers and Booleans at the end.
class AssignmentOrder {
 public:
  AssignmentOrder(const model::FlatModel& flat, const EquationSystem& system,
                  const Matching& matching, Discrete& discrete)
      : flat_(flat), system_(system), matching_(matching), discrete_(discrete) {
    place_.resize(system.equations.size(), none);
  }

  void sort() {
    for (const Block& block : sort_into_blocks(system_, matching_)) {
      std::vector<std::uint32_t> reals, others;
      for (const EquationId id : block.equations) {
        const auto row = static_cast<std::uint32_t>(index(id));
        (is_real(row) ? reals : others).push_back(row);
      }
      add_sorted(reals);
      add_sorted(others);
    }
    for (const std::vector<std::uint32_t>& loop : loops_) {
      for (const std::uint32_t row : loop) add(row);
      discrete_.loops.push_back(loop.size());
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  VariableId unknown_of(std::uint32_t row) const {
    return system_.unknowns[matching_.column_of_row[row]];
  }
  bool is_real(std::uint32_t row) const { return flat_[unknown_of(row)].type == model::Type::Real; }

  void add(std::uint32_t row) {
    const model::Equation& equation = system_.equations[row];
    discrete_.equations.push_back(equation);
    discrete_.assignments.push_back(
        {unknown_of(row), solved_for(flat_, equation, unknown_of(row))});
  }

  // As if only these depended on each other.
  void add_sorted(std::span<const std::uint32_t> rows) {
    for (std::uint32_t i = 0; i < rows.size(); ++i) place_[rows[i]] = i;
    Graph needs;
    for (const std::uint32_t row : rows) {
      needs.begin_list();
      for (const std::uint32_t column : system_.uses[row]) {
        const std::uint32_t other = place_[matching_.row_of_column[column]];
        if (other != none && rows[other] != row) needs.add(other);
      }
    }
    const Lists parts = strong_components(needs);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<std::uint32_t> part;
      for (const std::uint32_t place : parts[i]) part.push_back(rows[place]);
      if (part.size() > 1 && !is_real(part.front())) {
        loops_.push_back(std::move(part));
      } else {
        for (const std::uint32_t row : part) add(row);
      }
    }
    for (const std::uint32_t row : rows) place_[row] = none;
  }

  const model::FlatModel& flat_;
  const EquationSystem& system_;
  const Matching& matching_;
  Discrete& discrete_;
  std::vector<std::uint32_t> place_;  // of a row among those that are sorted
  std::vector<std::vector<std::uint32_t>> loops_;
};

// a = b, b = a: whatever the other variables are.
void refuse_what_is_never_determined(const model::FlatModel& flat, const Discrete& discrete,
                                     Diagnostics& diagnostics) {
  expr::Walker walker;
  std::size_t first = discrete.assignments.size();
  for (const std::size_t count : discrete.loops) first -= count;
  for (const std::size_t count : discrete.loops) {
    const expr::CyclicEquations loop =
        cyclic_equations(flat.arena, walker, std::span(discrete.assignments).subspan(first, count));
    if (const std::optional<std::size_t> open = loop.never_determined()) {
      const VariableId id = discrete.assignments[first + *open].target;
      Diagnostic& diagnostic = diagnostics.error(
          "structure.undetermined-loop", discrete.equations[first + *open].span,
          fmt::format("`{}` is not determined: its equations depend on each other", flat[id].name));
      for (std::size_t i = first; i < first + count && i < first + most_related; ++i) {
        if (i != first + *open)
          diagnostic.related.push_back({discrete.equations[i].span, "this one is in the loop"});
      }
      diagnostic.hint = "break the loop with pre(), or give one of them an equation of its own";
    }
    first += count;
  }
}

// Decides which equation defines which variable, and their order.
bool sort_assignments(model::FlatModel& flat, const std::vector<Alias>& aliases,
                      std::vector<model::Equation> equations, Discrete& discrete,
                      Diagnostics& diagnostics) {
  EquationSystem system = make_system(flat, std::move(equations), discrete_unknowns(flat, aliases));
  system.incidence = incidence_of_sides(flat, system);
  const Matching matching = maximum_matching(system.incidence);
  if (!matching.is_perfect()) {
    report_unmatched(flat, system, matching, 0, diagnostics);
    return false;
  }
  AssignmentOrder(flat, system, matching, discrete).sort();
  refuse_what_is_never_determined(flat, discrete, diagnostics);
  return !diagnostics.has_errors();
}

// initial equation v = e or pre(v) = e: the value of v before the start.
std::optional<Assignment> as_initial_memory(model::FlatModel& flat,
                                            const model::Equation& equation) {
  for (const auto& [side, other] :
       {std::pair(equation.left, equation.right), std::pair(equation.right, equation.left)}) {
    if (!flat.arena.is_symbol(side)) continue;
    const VariableId id = flat.arena.symbol_of(side);
    if (!flat[id].pre_of.is_none()) return Assignment{id, other};
    if (is_discrete_unknown(flat, id)) return Assignment{model::memory_of(flat, id), other};
  }
  return std::nullopt;
}

void take_initial_memories(model::FlatModel& flat, Discrete& discrete) {
  std::vector<model::Equation> kept;
  for (const model::Equation& equation : flat.initial_equations) {
    if (const std::optional<Assignment> memory = as_initial_memory(flat, equation)) {
      discrete.initial_memories.push_back(*memory);
    } else {
      kept.push_back(equation);
    }
  }
  flat.initial_equations = std::move(kept);
}

std::vector<Memory> memories_of(const model::FlatModel& flat, const std::vector<Alias>& aliases) {
  std::vector<const Alias*> alias_of(flat.variables.size(), nullptr);
  for (const Alias& alias : aliases) alias_of[index(alias.variable)] = &alias;
  std::vector<bool> is_condition(flat.variables.size(), false);
  for (const model::When& when : flat.whens) is_condition[index(when.condition)] = true;
  std::vector<Memory> memories;
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    const VariableId of = flat.variables[i].pre_of;
    if (of.is_none()) continue;
    const Alias* alias = alias_of[index(of)];
    memories.push_back({.symbol = VariableId(i),
                        .of = alias != nullptr ? alias->representative : of,
                        .sign = alias != nullptr ? alias->sign : 1,
                        .is_discrete = flat[of].variability == model::Variability::Discrete,
                        .is_condition = is_condition[index(of)]});
  }
  return memories;
}

// What depends on time alone, and linearly.
void find_time_switches(model::FlatModel& flat, std::vector<Switch>& switches) {
  if (switches.empty()) return;
  expr::Walker walker;
  const auto is_time = [](SymbolId id) { return id == model::FlatModel::time; };
  std::vector<ExprId> differences;
  for (const Switch& one : switches) differences.push_back(one.difference);
  const std::vector<bool> moves =
      expr::which_depend_on(flat.arena, walker, differences,
                            [&](SymbolId id) { return !is_time(id) && model::varies(flat, id); });
  for (std::size_t i = 0; i < switches.size(); ++i) {
    Switch& one = switches[i];
    if (one.kind != Switch::Kind::Relation || moves[i]) continue;
    const std::optional<expr::LinearForm> form =
        expr::linear_form(flat.arena, walker, one.difference, model::FlatModel::time);
    if (form && !expr::depends_on(flat.arena, walker, form->coefficient, is_time) &&
        !expr::depends_on(flat.arena, walker, form->rest, is_time)) {
      one.in_time = form;
    }
  }
}

// The switches that the run has to hold.
class NeededSwitches {
 public:
  NeededSwitches(const EquationSystem& system, StructuredModel& model)
      : system_(system), model_(model), flat_(model.flat), is_needed_(switches().size()) {
    number_.resize(flat_.variables.size(), none);
    wanted_.resize(flat_.variables.size(), false);
    for (std::uint32_t i = 0; i < switches().size(); ++i) {
      number_[index(switches()[i].symbol)] = i;
      if (!switches()[i].is_optional || model.discrete.joint) need(i);
    }
    std::vector<ExprId> roots;
    for (const Assignment& assignment : model.discrete.assignments)
      roots.push_back(assignment.value);
    for (const model::Action& action : flat_.actions) {
      if (!action.guard.is_none()) roots.push_back(action.guard);
      if (!action.value.is_none()) roots.push_back(action.value);
    }
    need_all_in(roots);
  }

  // Marks the blocks; what they need may cause more blocks to be marked.
  void mark() {
    for (bool is_first = true; is_first || needs_more_; is_first = false) {
      needs_more_ = false;
      std::vector<bool> wanted = wanted_;
      for (const VariableId id : system_.unknowns)
        wanted[index(id)] = wanted[index(id)] || !flat_[id].derivative_of.is_none();
      mark_what_feeds(system_, std::move(wanted), model_.dynamics.blocks);
      if (all_are_needed()) return;
      for (const Block& block : model_.dynamics.blocks) {
        if (!block.feeds_derivatives) continue;
        for (const std::uint32_t i : used_in(block)) need(i);
      }
      if (!needs_more_) need_what_goes_round();
    }
  }

  // A switch that is not needed is computed like other variables: after what it compares, before
  // what uses it.
  void let_others_go() {
    if (all_are_needed()) return;
    std::vector<Block> blocks;
    const Lists order = strong_components(dependences());
    for (std::size_t k = 0; k < order.size(); ++k) {
      DAEDALUS_CHECK(order[k].size() == 1);
      const std::uint32_t node = order[k].front();
      const std::size_t count = model_.dynamics.blocks.size();
      if (node < count) {
        blocks.push_back(std::move(model_.dynamics.blocks[node]));
      } else if (node < count + is_needed_.size() && !is_needed_[node - count]) {
        blocks.push_back(assignment_of(switches()[node - count]));
      }
    }
    model_.dynamics.blocks = std::move(blocks);
    std::size_t i = 0;
    std::erase_if(switches(), [&](const Switch&) { return !is_needed_[i++]; });
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<Switch>& switches() { return model_.discrete.switches; }

  // With the switches that it depends on itself.
  void need(std::uint32_t first) {
    std::vector<std::uint32_t> pending = {first};
    while (!pending.empty()) {
      const std::uint32_t i = pending.back();
      pending.pop_back();
      if (is_needed_[i]) continue;
      is_needed_[i] = true;
      needs_more_ = true;
      for (const SymbolId id : new_symbols(switches()[i].difference)) {
        wanted_[index(id)] = true;
        if (number_[index(id)] != none) pending.push_back(number_[index(id)]);
      }
    }
  }

  // Of an expression, without those under nodes that have been visited before.
  std::vector<SymbolId> new_symbols(ExprId root) {
    std::vector<SymbolId> found;
    is_looked_at_.resize(flat_.arena.size(), false);
    std::vector<ExprId> pending = {root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (is_looked_at_[index(id)]) continue;
      is_looked_at_[index(id)] = true;
      const expr::Node& node = flat_.arena[id];
      if (flat_.arena.is_symbol(id)) found.push_back(flat_.arena.symbol_of(id));
      const std::uint32_t arguments[] = {node.a, node.b, node.c};
      for (int k = 0; k < expr::arity(node.op); ++k) pending.push_back(ExprId(arguments[k]));
    }
    return found;
  }

  bool all_are_needed() const {
    return std::ranges::all_of(is_needed_, [](bool is) { return is; });
  }

  // Dependences among blocks, then switches, then the expressions that switches compare, if the
  // switches that are not needed so far are computed.
  Graph dependences() {
    const std::vector<Block>& blocks = model_.dynamics.blocks;
    const auto count = static_cast<std::uint32_t>(blocks.size());
    std::vector<std::uint32_t> node_of(flat_.variables.size(), none);
    for (std::uint32_t b = 0; b < count; ++b) {
      for (const VariableId id : blocks[b].unknowns) node_of[index(id)] = b;
    }
    std::vector<ExprId> values;
    for (std::uint32_t i = 0; i < switches().size(); ++i) {
      if (is_needed_[i]) continue;
      node_of[index(switches()[i].symbol)] = count + i;
      values.push_back(switches()[i].value);
    }
    Graph needs;
    const auto add_symbol = [&](SymbolId id, std::uint32_t by) {
      const std::uint32_t other = index(id) < node_of.size() ? node_of[index(id)] : none;
      if (other != none && other != by) needs.add(other);
    };
    for (std::uint32_t b = 0; b < count; ++b) {
      needs.begin_list();
      for (const SymbolId id : walker_.symbols(flat_.arena, residuals_of(blocks[b])))
        add_symbol(id, b);
    }
    const std::span<const ExprId> order = walker_.post_order(flat_.arena, values);
    const auto node_of_expression = [&](ExprId id) {
      return static_cast<std::uint32_t>(count + switches().size() + walker_.position(id));
    };
    for (std::uint32_t i = 0; i < switches().size(); ++i) {
      needs.begin_list();
      if (!is_needed_[i]) needs.add(node_of_expression(switches()[i].value));
    }
    for (const ExprId id : order) {
      needs.begin_list();
      const expr::Node& node = flat_.arena[id];
      if (flat_.arena.is_symbol(id)) add_symbol(flat_.arena.symbol_of(id), none);
      const std::uint32_t arguments[] = {node.a, node.b, node.c};
      for (int k = 0; k < expr::arity(node.op); ++k)
        needs.add(node_of_expression(ExprId(arguments[k])));
    }
    return needs;
  }

  // A switch that compares a value computed from it has to be held.
  void need_what_goes_round() {
    const Lists parts = strong_components(dependences());
    const std::size_t count = model_.dynamics.blocks.size();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].size() == 1) continue;
      for (const std::uint32_t node : parts[k]) {
        if (node >= count && node < count + switches().size())
          need(static_cast<std::uint32_t>(node - count));
      }
    }
  }

  std::vector<ExprId> residuals_of(const Block& block) const {
    std::vector<ExprId> roots;
    for (const EquationId id : block.equations) roots.push_back(system_.residuals[index(id)]);
    return roots;
  }
  std::vector<std::uint32_t> used_in(const Block& block) {
    std::vector<std::uint32_t> used;
    for (const SymbolId id : walker_.symbols(flat_.arena, residuals_of(block))) {
      if (number_[index(id)] != none) used.push_back(number_[index(id)]);
    }
    return used;
  }

  Block assignment_of(const Switch& one) {
    std::vector<model::Equation>& equations = model_.dynamics.equations;
    Block block;
    block.equations.push_back(EquationId(equations.size()));
    block.unknowns.push_back(one.symbol);
    block.assignments.push_back({one.symbol, one.value});
    block.feeds_derivatives = false;
    equations.push_back({.left = model_.flat.arena.symbol(one.symbol),
                         .right = one.value,
                         .span = one.span,
                         .type = model::Type::Boolean});
    return block;
  }

  void need_all_in(std::span<const ExprId> roots) {
    for (const SymbolId id : walker_.symbols(flat_.arena, roots)) {
      if (number_[index(id)] != none) need(number_[index(id)]);
    }
  }

  const EquationSystem& system_;
  StructuredModel& model_;
  const model::FlatModel& flat_;
  expr::Walker walker_;
  std::vector<std::uint32_t> number_;  // of the switch that a symbol is
  std::vector<bool> is_needed_;
  std::vector<bool> wanted_;        // symbols that needed switches compare
  std::vector<bool> is_looked_at_;  // nodes, for the symbols under them
  bool needs_more_ = false;
};

}  // namespace

expr::CyclicEquations cyclic_equations(const expr::Arena& arena, expr::Walker& walker,
                                       std::span<const Assignment> assignments) {
  std::vector<expr::CyclicEquations::Equation> equations;
  for (const Assignment& assignment : assignments)
    equations.push_back({assignment.target, assignment.value});
  return {arena, walker, std::move(equations)};
}

// Held values are found again only at events, which end a run where there is no value.
static void hold_truths(model::FlatModel& flat) {
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    const model::Variable& variable = flat.variables[i];
    const bool is_given = variable.is_memory || model::is_fixed_in_time(variable.variability);
    if (is_given && variable.type == model::Type::Boolean) flat.arena.hold(VariableId(i));
  }
}

std::optional<Discrete> separate_events(model::FlatModel& flat, const std::vector<Alias>& aliases,
                                        Diagnostics& diagnostics) {
  Discrete discrete;
  discrete.switches = introduce_switches(flat);
  find_time_switches(flat, discrete.switches);
  take_initial_memories(flat, discrete);
  expr::Walker walker;
  std::vector<model::Equation> kept, taken;
  for (const model::Equation& equation : flat.equations)
    (is_discrete(flat, walker, equation) ? taken : kept).push_back(equation);
  flat.equations = std::move(kept);
  if (!sort_assignments(flat, aliases, std::move(taken), discrete, diagnostics))
    return std::nullopt;
  discrete.memories = memories_of(flat, aliases);
  for (const Assignment& assignment : discrete.assignments)
    flat[assignment.target].is_memory = true;
  hold_truths(flat);
  return discrete;
}

JointSystem join_discrete_reals(const EquationSystem& dynamics, const Matching& matching,
                                StructuredModel& model) {
  std::vector<model::Equation> equations = dynamics.equations;
  std::vector<VariableId> unknowns = dynamics.unknowns;
  Matching joined = matching;
  expr::Walker walker;
  bool has_loop = false;
  for (std::size_t i = 0; i < model.discrete.assignments.size(); ++i) {
    const Assignment& assignment = model.discrete.assignments[i];
    if (model.flat[assignment.target].type != model::Type::Real) continue;
    joined.column_of_row.push_back(static_cast<std::uint32_t>(unknowns.size()));
    joined.row_of_column.push_back(static_cast<std::uint32_t>(equations.size()));
    equations.push_back(model.discrete.equations[i]);
    unknowns.push_back(assignment.target);
    has_loop |= expr::depends_on(model.flat.arena, walker, assignment.value,
                                 [&](SymbolId id) { return id == assignment.target; });
  }
  if (unknowns.size() == dynamics.unknowns.size()) return {};
  JointSystem joint{.system = make_system(model.flat, std::move(equations), std::move(unknowns))};
  joint.blocks = sort_into_blocks(joint.system, joined);
  const auto is_discrete_real = [&](VariableId id) {
    return model.flat[id].variability == model::Variability::Discrete;
  };
  for (const Block& block : joint.blocks)
    has_loop |= block.unknowns.size() > 1 && std::ranges::any_of(block.unknowns, is_discrete_real);
  if (!has_loop) return {};
  return joint;
}

void sort_by_motion(const EquationSystem& system, StructuredModel& model, const Tear& tear) {
  NeededSwitches needed(system, model);
  needed.mark();
  tear();
  needed.let_others_go();
}

}  // namespace daedalus::structure
