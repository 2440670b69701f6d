// The pipeline: each pass hands its result to the next.
#include "daedalus/structure/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/base/number.hpp"
#include "daedalus/expr/tape.hpp"
#include "structure/passes/aliases.hpp"
#include "structure/passes/block_graph.hpp"
#include "structure/passes/discrete.hpp"
#include "structure/passes/event_kernels.hpp"
#include "structure/passes/index_reduction.hpp"
#include "structure/passes/initial.hpp"
#include "structure/passes/jacobian_pattern.hpp"
#include "structure/passes/parameters.hpp"
#include "structure/passes/sorting.hpp"
#include "structure/passes/state_selection.hpp"
#include "structure/passes/tangents.hpp"
#include "structure/passes/tearing.hpp"

namespace daedalus::structure {
namespace {

void report_no_unknowns(const model::FlatModel& flat, const model::Equation& equation,
                        ExprId residual, const std::vector<SymbolId>& symbols,
                        Diagnostics& diagnostics) {
  Diagnostic& diagnostic = diagnostics.error("structure.no-unknowns", equation.span, "");
  if (symbols.empty()) {
    const bool holds =
        flat.arena.is_constant(residual) && flat.arena.constant_value(residual) == 0.0;
    diagnostic.message = holds ? "this equation always holds, so it determines nothing"
                               : "this equation can never hold";
    diagnostic.hint = "remove it, or correct one of its sides";
    return;
  }
  std::string names;
  bool parameters = false;
  constexpr std::size_t most_listed = 5;
  for (const SymbolId id : std::span(symbols).first(std::min(symbols.size(), most_listed))) {
    const bool is_time = id == model::FlatModel::time;
    const bool constant = flat[id].variability == model::Variability::Constant;
    parameters = parameters || !is_time;
    names +=
        fmt::format("{}{}`{}`", names.empty() ? "" : ", ",
                    is_time ? "" : (constant ? "the constant " : "the parameter "), flat[id].name);
  }
  diagnostic.message = fmt::format("this equation determines nothing: it contains only {}", names);
  diagnostic.hint =
      parameters ? "give a parameter its value in its declaration, or declare it as a variable"
                 : "remove it, or correct one of its sides";
}

// pre(v) = e gives the value of v before the start.
bool gives_memory(const model::FlatModel& flat, const model::Equation& equation) {
  const auto is_memory = [&](ExprId side) {
    return flat.arena.is_symbol(side) && !flat[flat.arena.symbol_of(side)].pre_of.is_none();
  };
  return is_memory(equation.left) || is_memory(equation.right);
}

// An equation that no unknown of the model can satisfy or violate: 3 = 4, 0 = 0, x = x.
void refuse_equations_without_unknowns(model::FlatModel& flat, Diagnostics& diagnostics) {
  expr::Walker walker;
  for (const auto* equations : {&flat.equations, &flat.initial_equations}) {
    for (const model::Equation& equation : *equations) {
      const ExprId residual = flat.arena.subtract(equation.left, equation.right);
      const std::vector<SymbolId> symbols =
          walker.symbols(flat.arena, std::span<const ExprId>(&residual, 1));
      if (std::ranges::any_of(symbols, [&](SymbolId id) { return flat.is_unknown(id); })) continue;
      if (equations == &flat.initial_equations && gives_memory(flat, equation)) continue;
      report_no_unknowns(flat, equation, residual, symbols, diagnostics);
    }
  }
}

// The target of a reinit should be a state.
void prefer_what_is_given_values(model::FlatModel& flat) {
  for (const model::Action& action : flat.actions) {
    if (action.kind != model::Action::Kind::Reinit) continue;
    model::StateSelect& select = flat[action.target].state_select;
    if (select == model::StateSelect::Default) select = model::StateSelect::Prefer;
  }
}

// Where the interval is a number, the front end has checked it.
bool check_samplers(const StructuredModel& model, Diagnostics& diagnostics) {
  expr::Walker walker;
  for (const model::Sampler& sampler : model.flat.samplers) {
    const double interval =
        expr::evaluate(model.flat.arena, walker, sampler.interval, model.values);
    if (std::isfinite(interval) && interval > 0.0) continue;
    diagnostics
        .error("event.sample-interval", sampler.span,
               fmt::format("the interval of `sample` is {}", number_text(interval)))
        .hint = "it must be positive: look at the values of the parameters in it";
    return false;
  }
  return true;
}

// A former state that gave way to a constraint has no value of its own to set.
bool check_reinits(const StructuredModel& model, Diagnostics& diagnostics) {
  std::vector<bool> is_state(model.flat.variables.size(), false);
  for (const VariableId id : model.states) is_state[index(id)] = true;
  for (const model::Action& action : model.flat.actions) {
    if (action.kind != model::Action::Kind::Reinit || is_state[index(action.target)]) continue;
    diagnostics
        .error("structure.reinit-of-dependent", action.span,
               fmt::format("`{}` cannot be set: a constraint determines it from other states",
                           model.flat[action.target].name))
        .hint = "set those, or make it a state with stateSelect = StateSelect.always";
    return false;
  }
  return true;
}

struct Unknowns {
  std::vector<VariableId> dynamic;  // derivatives and algebraic variables
  std::vector<VariableId> states;
};

Unknowns find_unknowns(const model::FlatModel& flat, const std::vector<Alias>& aliases) {
  std::vector<bool> is_alias(flat.variables.size(), false);
  for (const Alias& alias : aliases) is_alias[index(alias.variable)] = true;
  Unknowns unknowns;
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    const VariableId id(i);
    if (!flat.is_unknown(id) || is_alias[i]) continue;
    (flat.is_state(id) ? unknowns.states : unknowns.dynamic).push_back(id);
  }
  return unknowns;
}

// Start values of the unknowns among the values of parameters.
std::vector<double> start_point(const StructuredModel& model) {
  std::vector<double> point = model.values;
  for (std::size_t i = 1; i < point.size(); ++i) {
    if (model.flat.is_unknown(VariableId(i))) point[i] = model.attributes[i].start;
  }
  return point;
}

// What was differentiated, and the results.
std::vector<Constraint> constraints_of(model::FlatModel& flat,
                                       const Differentiation& differentiation) {
  expr::Walker walker;
  std::vector<Constraint> constraints;
  const auto is_unknown = [&](SymbolId id) { return flat.is_unknown(id); };
  for (std::uint32_t i = 0; i < flat.equations.size(); ++i) {
    if (differentiation.times[i] == 0 && differentiation.derivative[i] == Differentiation::none)
      continue;
    const ExprId residual = flat.arena.subtract(flat.equations[i].left, flat.equations[i].right);
    constraints.push_back({EquationId(i), differentiation.times[i], residual,
                           expr::gradient(flat.arena, walker, residual, is_unknown)});
  }
  return constraints;
}

// Differentiates constraints and chooses the states. False: the reason was reported.
bool reduce_index(StructuredModel& result, const StateChoice* given, Diagnostics& diagnostics) {
  const std::size_t equations = result.flat.equations.size();
  auto source = std::make_shared<StructuredModel>(result);
  const Differentiation differentiation = differentiate_constraints(result.flat, result.aliases);
  result.differentiated = result.flat.equations.size() - equations;
  result.index = 1 + std::ranges::max(differentiation.times);
  result.values.resize(result.flat.variables.size(), 0.0);
  result.attributes.resize(result.flat.variables.size());
  result.groups = group_constraints(result.flat, differentiation);
  const StateChoice choice =
      given != nullptr ? *given : choose_states(result.flat, result.groups, start_point(result));
  for (std::size_t g = 0; g < choice.size(); ++g) {
    const StateGroup& group = result.groups[g];
    if (choice[g].size() == group.constraints.size()) continue;
    diagnostics
        .error("structure.dependent-constraints",
               result.flat.equations[index(group.constraints.front().equation)].span,
               "this constraint on states follows from others or contradicts them")
        .hint = "remove it, or one of the equations that it follows from";
    return false;
  }
  if (given == nullptr) {
    check_state_select(result.flat, result.groups, choice, diagnostics);
    if (diagnostics.has_errors()) return false;
    result.constraints = constraints_of(result.flat, differentiation);
  }
  result.former_states = make_dummies(result.flat, result.groups, choice);
  if (std::ranges::any_of(result.groups, &StateGroup::may_change))
    result.source = std::move(source);
  return true;
}

// Expressions where they are few enough, otherwise only the pattern. Their number is known before
// any expression is made.
void find_jacobian(StructuredModel& model, const TearingContext& context) {
  std::optional<JacobianPattern> pattern =
      jacobian_pattern(model.flat, model.dynamics, model.states, model.derivatives);
  if (!pattern || pattern->products <= most_products_of_jacobian) {
    model.jacobian =
        differentiate_dynamics(model.dynamics, model.states, model.derivatives, context);
  }
  if (!model.jacobian && pattern) model.jacobian_pattern = std::move(pattern->entries);
}

// Analyses a model whose aliases and parameters are known.
std::optional<StructuredModel> sort_equations(StructuredModel result, const StateChoice* choice,
                                              Diagnostics& diagnostics, Phases& phases) {
  Unknowns unknowns;
  expr::Walker walker;
  const TearingContext context{result.flat,         result.values, result.attributes,
                               result.symbol_count, walker,        result.pivots};
  EquationSystem system;
  Matching matching;
  const auto match = [&] {
    unknowns = find_unknowns(result.flat, result.aliases);
    system = make_system(result.flat, result.flat.equations, unknowns.dynamic);
    matching = maximum_matching(system.incidence);
  };
  {
    const PhaseTimer timer(phases, "index");
    match();
    result.index = unknowns.dynamic.size() == unknowns.states.size() ? 0 : 1;
    const bool has_constraints = !matching.is_perfect() &&
                                 system.equations.size() == system.unknowns.size() &&
                                 is_solvable_after_differentiation(result.flat, system);
    if (has_constraints) {
      if (!reduce_index(result, choice, diagnostics)) return std::nullopt;
      match();
    } else if (matching.is_perfect()) {
      check_state_select(result.flat, {}, {}, diagnostics);
      if (diagnostics.has_errors()) return std::nullopt;
    }
    if (!matching.is_perfect()) {
      report_unmatched(result.flat, system, matching,
                       result.aliases.size() + result.discrete.assignments.size(), diagnostics,
                       result.aliases);
      DAEDALUS_CHECK(diagnostics.has_errors());
      return std::nullopt;
    }
    result.symbol_count = result.flat.variables.size();
  }
  {
    const PhaseTimer timer(phases, "sort");
    result.dynamics = {system.equations, sort_into_blocks(system, matching)};
  }
  JointSystem joint = join_discrete_reals(system, matching, result);
  if (!joint.blocks.empty())
    result.discrete.joint = {joint.system.equations, std::move(joint.blocks)};
  sort_by_motion(system, result, [&] {
    const PhaseTimer timer(phases, "tear");
    tear_blocks(system, result.dynamics.blocks, context);
    if (result.discrete.joint) tear_blocks(joint.system, result.discrete.joint->blocks, context);
  });
  result.states = unknowns.states;
  for (const VariableId state : result.states)
    result.derivatives.push_back(result.flat[state].derivative);
  if (choice == nullptr && !check_reinits(result, diagnostics)) return std::nullopt;
  {
    const PhaseTimer timer(phases, "initial system");
    std::optional<InitialSystem> initial =
        make_initial_system(result, unknowns.dynamic, unknowns.states, diagnostics);
    if (!initial) return std::nullopt;
    DAEDALUS_CHECK(initial->matching.is_perfect());
    result.start_values = std::move(initial->start_values);
    if (!result.start_values) {
      result.initial = {initial->system.equations,
                        sort_into_blocks(initial->system, initial->matching)};
      tear_blocks(initial->system, result.initial.blocks, context);
    }
    result.assumed_starts = std::move(initial->assumed_starts);
  }
  std::ranges::sort(result.pivots);
  result.pivots.erase(std::unique(result.pivots.begin(), result.pivots.end()), result.pivots.end());
  {
    const PhaseTimer timer(phases, "jacobian");
    find_jacobian(result, context);
  }
  {
    const PhaseTimer timer(phases, "events");
    result.discrete.kernels = event_kernels(result);
  }
  return result;
}

}  // namespace

std::optional<StructuredModel> analyse(model::FlatModel flat, Diagnostics& diagnostics,
                                       Phases& phases) {
  StructuredModel result;
  {
    const PhaseTimer timer(phases, "aliases");
    result.equation_count = flat.equations.size();
    refuse_equations_without_unknowns(flat, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    fix_start_values(flat);
    prefer_what_is_given_values(flat);
    make_candidates(flat);
    Reduced reduced = eliminate_aliases(std::move(flat));
    result.flat = std::move(reduced.flat);
    result.aliases = std::move(reduced.aliases);
    std::optional<Discrete> discrete = separate_events(result.flat, result.aliases, diagnostics);
    if (!discrete) return std::nullopt;
    result.discrete = std::move(*discrete);
    std::optional<ParameterValues> parameters = evaluate_parameters(result.flat, diagnostics);
    if (!parameters) return std::nullopt;
    result.values = std::move(parameters->values);
    result.attributes = std::move(parameters->attributes);
    if (!check_samplers(result, diagnostics)) return std::nullopt;
  }
  return sort_equations(std::move(result), nullptr, diagnostics, phases);
}

std::optional<Jacobian> differentiate_in_time(StructuredModel& model) {
  expr::Walker walker;
  const TearingContext context{model.flat,         model.values, model.attributes,
                               model.symbol_count, walker,       model.pivots};
  return differentiate_dynamics(model.dynamics, {model::FlatModel::time}, model.derivatives,
                                context);
}

ValueUpdate update_values(StructuredModel& model, Diagnostics& diagnostics) {
  std::optional<ParameterValues> parameters = evaluate_parameters(model.flat, diagnostics);
  if (!parameters) return ValueUpdate::Refused;
  model.values = std::move(parameters->values);
  model.attributes = std::move(parameters->attributes);
  if (!check_samplers(model, diagnostics)) return ValueUpdate::Refused;
  expr::Walker walker;
  const TearingContext context{model.flat,         model.values, model.attributes,
                               model.symbol_count, walker,       model.pivots};
  const bool all_hold = std::ranges::all_of(
      model.pivots, [&](ExprId pivot) { return is_safe_coefficient(context, pivot); });
  return all_hold ? ValueUpdate::Done : ValueUpdate::NewStructure;
}

StructuredModel with_states(const StructuredModel& model, const StateChoice& choice,
                            Phases& phases) {
  Diagnostics diagnostics;
  std::optional<StructuredModel> result =
      sort_equations(*model.source, &choice, diagnostics, phases);
  DAEDALUS_CHECK(result.has_value());
  return std::move(*result);
}

}  // namespace daedalus::structure
