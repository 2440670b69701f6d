#include "structure/passes/tearing.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "daedalus/expr/calculus.hpp"
#include "daedalus/linalg/linear_solver.hpp"
#include "structure/passes/block_graph.hpp"
#include "structure/passes/tangents.hpp"

namespace daedalus::structure {
namespace {

// Digits lost to amplification by the assignments cannot be recovered by the iteration: the tearing
// variables have 16 digits. Measured on random blocks (the test TornAgainstWhole), torn and whole
// solutions differ by 1e-13 with this limit, by 4e-12 with 1e5, where Newton's iteration also
// begins to fail; a smaller limit tears more. In a ladder of equal resistors the growth is 2.6 per
// section.
constexpr double most_growth = 1e3;
// Below this, a dense system is faster than a sparse one whatever its pattern
// (linalg/linear_solver).
constexpr std::size_t smallest_sparse = 20;
// The cost of an entry of a sparse system, in products: for lookup, elimination and fill-in.
constexpr std::size_t cost_of_sparse_entry = 30;

// The tearing unknowns on which each unknown depends: the Jacobian of the residuals takes as many
// products.
class TornCost {
 public:
  TornCost(const TearingGraph& graph, const TearingOrder& order)
      : graph_(graph), order_(order), seeds_(graph.size()) {}

  // Of the residuals' Jacobian and of its factors; stops counting once there are more than enough.
  std::size_t count(std::size_t enough) {
    for (std::uint32_t i = 0; i < order_.tearing.size(); ++i) seeds_[order_.tearing[i]] = {i};
    std::vector<bool> spent(graph_.size(), false);
    for (const TearingOrder::Step& step : order_.steps) {
      spent[step.equation] = true;
      seeds_[step.unknown] = united(step.equation);
      if (products_ > enough) return products_;
    }
    std::size_t entries = 0;
    for (std::size_t e = 0; e < graph_.size() && products_ <= enough; ++e) {
      if (!spent[e]) entries += united(e).size();
    }
    const std::size_t n = order_.tearing.size();
    const bool sparse = linalg::choose_storage(entries, n) == linalg::Storage::Sparse;
    return products_ + (sparse ? cost_of_sparse_entry * entries : n * n / 3 * n);
  }

 private:
  std::vector<std::uint32_t> united(std::size_t equation) {
    std::vector<std::uint32_t> all;
    for (const TearingGraph::Use& use : graph_.uses[equation])
      all.insert(all.end(), seeds_[use.unknown].begin(), seeds_[use.unknown].end());
    products_ += all.size();
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  const TearingGraph& graph_;
  const TearingOrder& order_;
  std::vector<std::vector<std::uint32_t>> seeds_;
  std::size_t products_ = 0;
};

// Whether it is large enough for a sparse solver, and without Integers and Booleans, which cannot
// be iterated on.
bool can_stay_whole(const TearingGraph& graph) {
  return graph.size() > smallest_sparse && std::ranges::find(graph.keep, true) == graph.keep.end();
}

// Whether the torn system is cheaper than all equations as one sparse system.
bool pays(const TearingGraph& graph, const TearingOrder& order) {
  const std::size_t whole = cost_of_sparse_entry * graph.entries();
  return TornCost(graph, order).count(whole) <= whole;
}

// In the system of a step there is an obvious set without growth: given the states of the stages,
// the rest follows as in the model.
std::optional<TearingOrder> choose_order(const TearingGraph& graph, bool is_of_step) {
  const bool may_stay_whole = can_stay_whole(graph);
  TearingOrder order = tear_graph(graph);
  if (estimated_growth(graph, order) > most_growth) {
    if (may_stay_whole && !is_of_step) return std::nullopt;
    TearingOrder tame = tear_greedily(graph, most_growth);
    tame.is_minimum = order.is_minimum && tame.tearing.size() == order.tearing.size();
    order = std::move(tame);
  }
  if (may_stay_whole && !pays(graph, order)) return std::nullopt;
  return order;
}

void leave_whole(const EquationSystem& system, Block& block) {
  block.torn = Torn::NotAtAll;
  block.tearing = block.unknowns;
  block.residual_equations = block.equations;
  for (const EquationId id : block.equations)
    block.residuals.push_back(system.residuals[index(id)]);
}

void apply(const TearingOrder& order, const EquationSystem& system, const TearingContext& context,
           Block& block) {
  block.torn = order.is_minimum ? Torn::Minimally : Torn::Greedily;
  for (const std::uint32_t v : order.tearing) block.tearing.push_back(block.unknowns[v]);
  std::vector<bool> spent(block.equations.size(), false);
  for (const TearingOrder::Step& step : order.steps) {
    spent[step.equation] = true;
    const std::size_t e = index(block.equations[step.equation]);
    const VariableId unknown = block.unknowns[step.unknown];
    const std::optional<ExprId> value =
        solve_for(context, system.equations[e], system.residuals[e], unknown);
    DAEDALUS_CHECK(value.has_value());
    block.assignments.push_back({unknown, *value});
  }
  for (std::size_t e = 0; e < block.equations.size(); ++e) {
    if (spent[e]) continue;
    block.residual_equations.push_back(block.equations[e]);
    block.residuals.push_back(system.residuals[index(block.equations[e])]);
  }
}

// The symbols that the Jacobian's code reads, except its own temporaries.
std::vector<SymbolId> inputs_of(const Kernel& kernel, const TearingContext& context) {
  std::vector<ExprId> roots = kernel.outputs;
  for (const Assignment& assignment : kernel.assignments) roots.push_back(assignment.value);
  std::vector<SymbolId> inputs = context.walker.symbols(context.flat.arena, roots);
  std::erase_if(inputs, [&](SymbolId id) { return index(id) >= context.flat.variables.size(); });
  return inputs;
}

// Parameters keep their values during a run, Integers and Booleans between events.
bool changes_only_at_events(const model::FlatModel& flat, SymbolId id) {
  return flat[id].variability != model::Variability::Continuous ||
         flat[id].type != model::Type::Real;
}

}  // namespace

void tear(const EquationSystem& system, Block& block, TearingContext context) {
  if (block.equations.size() == 1) {
    const std::size_t e = index(block.equations.front());
    const VariableId unknown = block.unknowns.front();
    const std::optional<ExprId> value =
        solve_for(context, system.equations[e], system.residuals[e], unknown);
    if (!value) return leave_whole(system, block);
    block.assignments.push_back({unknown, *value});
    return;
  }
  const TearingGraph graph = block_graph(system, block, context);
  const std::optional<TearingOrder> order = context.tearing == Tearing::Never
                                                ? std::nullopt
                                                : choose_order(graph, !context.step_size.is_none());
  if (order) {
    apply(*order, system, context, block);
  } else {
    leave_whole(system, block);
  }
}

void differentiate_residuals(Block& block, TearingContext context) {
  if (block.is_explicit()) return;
  expr::Arena& arena = context.flat.arena;
  expr::Walker& walker = context.walker;
  Tangents tangents(context);
  for (std::uint32_t column = 0; column < block.tearing.size(); ++column) {
    tangents.seed(block.tearing[column], column);
  }
  for (const Assignment& assignment : block.assignments)
    tangents.follow(assignment, block.jacobian.assignments);
  for (std::uint32_t row = 0; row < block.residuals.size(); ++row) {
    for (const Tangent& tangent : tangents.of(block.residuals[row], block.jacobian.assignments)) {
      block.entries.push_back({row, tangent.seed});
      block.jacobian.outputs.push_back(tangent.value);
    }
  }
  block.sparse =
      linalg::choose_storage(block.entries.size(), block.tearing.size()) == linalg::Storage::Sparse;

  std::vector<VariableId> inside = block.unknowns;
  std::ranges::sort(inside);
  const auto in_block = [&](SymbolId id) { return std::ranges::binary_search(inside, id); };
  const auto bends = [&](ExprId id) { return expr::has_jump(arena, walker, id, in_block); };
  const std::vector<SymbolId> inputs = inputs_of(block.jacobian, context);
  block.linear = std::ranges::none_of(block.residuals, bends) &&
                 std::ranges::none_of(block.assignments, bends, &Assignment::value) &&
                 std::ranges::none_of(inputs, in_block);
  block.constant = block.linear && std::ranges::all_of(inputs, [&](SymbolId id) {
                     return changes_only_at_events(context.flat, id);
                   });
  if (block.constant) block.coefficients = inputs;
}

void tear_blocks(const EquationSystem& system, std::vector<Block>& blocks, TearingContext context) {
  for (Block& block : blocks) {
    tear(system, block, context);
    differentiate_residuals(block, context);
  }
}

}  // namespace daedalus::structure
