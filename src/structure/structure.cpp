// The pipeline: each pass hands its result to the next.
#include "daedalus/structure/structure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "structure/passes/aliases.hpp"
#include "structure/passes/initial.hpp"
#include "structure/passes/parameters.hpp"
#include "structure/passes/sorting.hpp"
#include "structure/passes/tangents.hpp"
#include "structure/passes/tearing.hpp"

namespace daedalus::structure {
namespace {

// An equation that no unknown of the model can satisfy or violate: 3 = 4, 0 = 0, x = x.
void refuse_equations_without_unknowns(model::FlatModel& flat, Diagnostics& diagnostics) {
  expr::Walker walker;
  for (const auto* equations : {&flat.equations, &flat.initial_equations}) {
    for (const model::Equation& equation : *equations) {
      const ExprId residual = flat.arena.subtract(equation.left, equation.right);
      const std::vector<SymbolId> symbols = walker.symbols(flat.arena, std::span<const ExprId>(&residual, 1));
      if (std::ranges::any_of(symbols, [&](SymbolId id) { return flat.is_unknown(id); })) continue;
      diagnostics.error("structure.no-unknowns", equation.span,
                        "this equation contains no unknown that it could determine")
          .hint = "remove it, or make one of its names a variable";
    }
  }
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

void refuse_discrete_loops(const model::FlatModel& flat, const SortedSystem& sorted, Diagnostics& diagnostics) {
  for (const Block& block : sorted.blocks) {
    for (std::size_t i = 0; i < block.tearing.size(); ++i) {
      const model::Variable& variable = flat[block.tearing[i]];
      const model::Equation& equation = sorted.equations[index(block.residual_equations[i])];
      if (variable.type == model::Type::Real && equation.type == model::Type::Real) continue;
      diagnostics.error("unsupported.discrete-loop", equation.span,
                        fmt::format("an algebraic loop through the {} `{}` is not supported yet",
                                    model::type_name(variable.type), variable.name));
      return;
    }
  }
}

SortedSystem sort_and_tear(const EquationSystem& system, const Matching& matching, TearingContext context) {
  SortedSystem sorted{system.equations, sort_into_blocks(system, matching)};
  for (Block& block : sorted.blocks) {
    tear(system, block, context);
    differentiate_residuals(block, context);
  }
  return sorted;
}

// A block feeds the derivatives if it determines one, or something that such a block uses.
void mark_what_feeds_derivatives(const EquationSystem& system, const model::FlatModel& flat, SortedSystem& sorted) {
  std::vector<bool> needed(flat.variables.size(), false);
  for (auto block = sorted.blocks.rbegin(); block != sorted.blocks.rend(); ++block) {
    block->feeds_derivatives = std::ranges::any_of(block->unknowns, [&](VariableId id) {
      return needed[index(id)] || !flat[id].derivative_of.is_none();
    });
    if (!block->feeds_derivatives) continue;
    for (const EquationId equation : block->equations) {
      for (const std::uint32_t column : system.uses[index(equation)]) needed[index(system.unknowns[column])] = true;
    }
  }
}

}  // namespace

std::optional<StructuredModel> analyse(model::FlatModel flat, Diagnostics& diagnostics, Phases& phases) {
  StructuredModel result;
  Unknowns unknowns;
  {
    const PhaseTimer timer(phases, "aliases");
    result.equation_count = flat.equations.size();
    refuse_equations_without_unknowns(flat, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    fix_start_values(flat);
    Reduced reduced = eliminate_aliases(std::move(flat));
    result.flat = std::move(reduced.flat);
    result.aliases = std::move(reduced.aliases);
    std::optional<ParameterValues> parameters = evaluate_parameters(result.flat, diagnostics);
    if (!parameters) return std::nullopt;
    result.values = std::move(parameters->values);
    result.attributes = std::move(parameters->attributes);
    unknowns = find_unknowns(result.flat, result.aliases);
    result.symbol_count = result.flat.variables.size();
  }
  expr::Walker walker;
  const TearingContext context{result.flat, result.values, result.symbol_count, walker};
  {
    const PhaseTimer timer(phases, "sort");
    const EquationSystem system = make_system(result.flat, result.flat.equations, unknowns.dynamic);
    const Matching matching = maximum_matching(system.incidence);
    if (!matching.is_perfect()) {
      report_unmatched(result.flat, system, matching, diagnostics);
      DAEDALUS_CHECK(diagnostics.has_errors());
      return std::nullopt;
    }
    result.dynamics = sort_and_tear(system, matching, context);
    refuse_discrete_loops(result.flat, result.dynamics, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    mark_what_feeds_derivatives(system, result.flat, result.dynamics);
  }
  result.states = unknowns.states;
  for (const VariableId state : result.states) result.derivatives.push_back(result.flat[state].derivative);
  {
    const PhaseTimer timer(phases, "initial system");
    std::optional<InitialSystem> initial =
        make_initial_system(result.flat, unknowns.dynamic, unknowns.states, diagnostics);
    if (!initial) return std::nullopt;
    DAEDALUS_CHECK(initial->matching.is_perfect());
    result.initial = sort_and_tear(initial->system, initial->matching, context);
    result.assumed_starts = std::move(initial->assumed_starts);
  }
  {
    const PhaseTimer timer(phases, "jacobian");
    result.jacobian = differentiate_dynamics(result.dynamics, result.states, result.derivatives, context);
  }
  return result;
}

}  // namespace daedalus::structure
