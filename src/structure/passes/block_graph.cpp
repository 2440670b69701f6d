#include "structure/passes/block_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/interval.hpp"
#include "daedalus/expr/tape.hpp"

namespace daedalus::structure {
namespace {

constexpr int scaling_sweeps = 4;
constexpr double unknown_size = std::numeric_limits<double>::infinity();
// A coefficient that an ideal switch makes smaller than this fraction of its size in another mode
// is not divided by: in that mode, the result of the division would lose as many digits.
constexpr double least_share_of_modes = 1e-3;
// An equation with conditions, or whose derivatives contain its own unknowns, is examined for each
// unknown up to this product of unknowns and size; nothing is assumed about larger ones.
constexpr std::size_t most_looking = 100'000;

bool stands_alone(const TearingContext& context, ExprId side, ExprId other, VariableId variable) {
  const expr::Arena& arena = context.flat.arena;
  const auto is_this = [&](SymbolId id) { return id == variable; };
  return arena.is_symbol(side) && arena.symbol_of(side) == variable &&
         !expr::depends_on(arena, context.walker, other, is_this);
}

bool has_step_size(const TearingContext& context, ExprId coefficient) {
  if (context.step_size.is_none()) return false;
  const auto is_step_size = [&](SymbolId id) { return id == context.step_size; };
  return expr::depends_on(context.flat.arena, context.walker, coefficient, is_step_size);
}

// The size of a coefficient at the start values; where it is 0 or undefined there, at the usual
// sizes of the variables.
double size_near_start(const TearingContext& context, ExprId coefficient) {
  const auto size = [&](auto&& value_of_unknown) {
    const expr::Interval interval =
        expr::interval_of(context.flat.arena, context.walker, coefficient, [&](SymbolId id) {
          const bool varies = !model::is_fixed_in_time(context.flat[id].variability);
          const double value = id == model::FlatModel::time ? 0.0
                               : varies ? value_of_unknown(context.attributes[index(id)])
                                        : context.values[index(id)];
          return expr::Interval{value, value};
        });
    return std::fabs(interval.low / 2 + interval.high / 2);
  };
  const double at_start = size([](const Attributes& attributes) { return attributes.start; });
  if (std::isfinite(at_start) && at_start > 0.0) return at_start;
  return size([](const Attributes& attributes) { return attributes.nominal.value_or(1.0); });
}

class GraphOfBlock {
 public:
  GraphOfBlock(const EquationSystem& system, const Block& block, TearingContext context)
      : system_(system), block_(block), context_(context) {
    for (std::uint32_t v = 0; v < block.unknowns.size(); ++v) local_[block.unknowns[v]] = v;
  }

  TearingGraph build() {
    for (const VariableId id : block_.unknowns) {
      graph_.keep.push_back(context_.flat[id].type != model::Type::Real);
      graph_.preference.push_back(context_.attributes[index(id)].start_given ? 2 : 0);
    }
    for (const EquationId id : block_.equations) add_equation(id);
    graph_.step_range = context_.step_range;
    scale();
    return std::move(graph_);
  }

 private:
  void add_equation(EquationId id) {
    const model::Equation& equation = system_.equations[index(id)];
    const ExprId residual = system_.residuals[index(id)];
    expr::Arena& arena = context_.flat.arena;
    const auto in_block = [&](SymbolId symbol) { return local_.contains(symbol); };
    std::vector<TearingGraph::Use>& uses = graph_.uses.emplace_back();
    std::unordered_map<std::uint32_t, std::size_t> place;  // never iterated over
    for (const std::uint32_t column : system_.uses[index(id)]) {
      const auto found = local_.find(system_.unknowns[column]);
      if (found == local_.end()) continue;
      place[found->second] = uses.size();
      uses.push_back({found->second, false, 0.0});
    }
    const bool bends = expr::has_jump(arena, context_.walker, residual, in_block);
    const std::size_t size = context_.walker.post_order(arena, residual).size();
    const bool is_large = uses.size() * size > most_looking;
    for (const expr::Partial& partial :
         expr::gradient(arena, context_.walker, residual, in_block)) {
      TearingGraph::Use& use = uses[place.at(local_.at(partial.symbol))];
      use.with_step = has_step_size(context_, partial.value);
      use.weight = use.with_step ? unknown_size : size_near_start(context_, partial.value);
      const bool is_constant = arity(arena[partial.value].op) == 0;
      if (is_large && (bends || !is_constant)) continue;
      const bool linear = is_linear(equation, residual, partial, bends);
      use.solvable = linear && is_safe_coefficient(context_, partial.value);
      if (!linear) graph_.preference[use.unknown] |= 1;
    }
    for (const auto& [side, other] :
         {std::pair(equation.left, equation.right), std::pair(equation.right, equation.left)}) {
      if (!arena.is_symbol(side) || !in_block(arena.symbol_of(side))) continue;
      if (stands_alone(context_, side, other, arena.symbol_of(side)))
        uses[place.at(local_.at(arena.symbol_of(side)))].solvable = true;
    }
  }

  // Whether the partial derivative fully describes how the equation depends on the variable.
  bool is_linear(const model::Equation& equation, ExprId residual, const expr::Partial& partial,
                 bool bends) {
    const expr::Arena& arena = context_.flat.arena;
    if (equation.type != model::Type::Real ||
        context_.flat[partial.symbol].type != model::Type::Real) {
      return false;
    }
    const auto is_this = [&](SymbolId other) { return other == partial.symbol; };
    if (bends && expr::has_jump(arena, context_.walker, residual, is_this)) return false;
    return !expr::depends_on(arena, context_.walker, partial.value, is_this);
  }

  // Scales rows and columns in turn by the geometric mean of their largest and smallest entry
  // (Curtis and Reid 1972 with fewer sweeps). Coefficients of unknown size count as 1 then.
  void scale() {
    const std::size_t n = graph_.size();
    std::vector<double> row(n, 1.0), column(n, 1.0);
    const auto is_known = [](double weight) { return std::isfinite(weight) && weight > 0.0; };
    const auto sweep = [&](std::vector<double>& scales, bool by_row) {
      std::vector<double> largest(n, 0.0), smallest(n, std::numeric_limits<double>::infinity());
      for (std::size_t e = 0; e < n; ++e) {
        for (const TearingGraph::Use& use : graph_.uses[e]) {
          if (!is_known(use.weight)) continue;
          const std::size_t i = by_row ? e : use.unknown;
          const double size = use.weight * (by_row ? column[use.unknown] : row[e]);
          largest[i] = std::max(largest[i], size);
          smallest[i] = std::min(smallest[i], size);
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        const double mean = std::sqrt(largest[i]) * std::sqrt(smallest[i]);
        if (std::isnormal(mean) && std::isnormal(1.0 / mean)) scales[i] = 1.0 / mean;
      }
    };
    for (int i = 0; i < scaling_sweeps; ++i) {
      sweep(row, true);
      sweep(column, false);
    }
    for (std::size_t e = 0; e < n; ++e) {
      for (TearingGraph::Use& use : graph_.uses[e]) {
        if (use.weight == 0.0 && !use.solvable) continue;  // a jump only, or nothing at the start
        use.weight = is_known(use.weight) ? use.weight * row[e] * column[use.unknown] : 1.0;
      }
    }
  }

  const EquationSystem& system_;
  const Block& block_;
  TearingContext context_;
  std::unordered_map<VariableId, std::uint32_t> local_;  // never iterated over
  TearingGraph graph_;
};

}  // namespace

bool is_safe_coefficient(const TearingContext& context, ExprId coefficient) {
  const expr::Arena& arena = context.flat.arena;
  const auto varies = [&](SymbolId id) {
    return !model::is_fixed_in_time(context.flat[id].variability);
  };
  if (!expr::depends_on(arena, context.walker, coefficient, varies)) {
    const double value = expr::evaluate(arena, context.walker, coefficient, context.values);
    return std::isfinite(value) && value != 0.0;
  }
  const auto is_boolean = [&](SymbolId id) {
    return context.flat[id].type == model::Type::Boolean;
  };
  const auto bounds = [&](SymbolId id) {
    if (!varies(id)) return expr::Interval{context.values[index(id)], context.values[index(id)]};
    if (id == model::FlatModel::time) return expr::Interval{};
    if (is_boolean(id)) return expr::Interval{0.0, 1.0};
    const Attributes& attributes = context.attributes[index(id)];
    expr::Interval interval;
    if (attributes.min) interval.low = *attributes.min;
    if (attributes.max) interval.high = *attributes.max;
    return interval;
  };
  const expr::Interval interval = expr::interval_of(arena, context.walker, coefficient, bounds);
  if (!interval.excludes_zero()) return false;
  if (!expr::depends_on(arena, context.walker, coefficient, is_boolean)) return true;
  const double least = std::min(std::fabs(interval.low), std::fabs(interval.high));
  const double most = std::max(std::fabs(interval.low), std::fabs(interval.high));
  return !std::isfinite(most) || least >= least_share_of_modes * most;
}

TearingGraph block_graph(const EquationSystem& system, const Block& block, TearingContext context) {
  return GraphOfBlock(system, block, context).build();
}

std::optional<ExprId> solve_for(const TearingContext& context, const model::Equation& equation,
                                ExprId residual, VariableId variable) {
  expr::Arena& arena = context.flat.arena;
  if (stands_alone(context, equation.left, equation.right, variable)) return equation.right;
  if (stands_alone(context, equation.right, equation.left, variable)) return equation.left;
  if (equation.type != model::Type::Real || context.flat[variable].type != model::Type::Real)
    return std::nullopt;
  const std::optional<expr::LinearForm> form =
      expr::linear_form(arena, context.walker, residual, variable);
  if (!form) return std::nullopt;
  const bool is_last = !context.pivots.empty() && context.pivots.back() == form->coefficient;
  if (!is_last && !is_safe_coefficient(context, form->coefficient)) return std::nullopt;
  if (!is_last && !arena.is_constant(form->coefficient))
    context.pivots.push_back(form->coefficient);
  return arena.divide(arena.negate(form->rest), form->coefficient);
}

}  // namespace daedalus::structure
