#include "structure/passes/tearing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/tape.hpp"
#include "structure/passes/tangents.hpp"

namespace daedalus::structure {
namespace {

// With a factor of 3 for each link, which a ladder of equal resistors shows, 10 links lose 5 of 16
// digits; the refinement of the solution brings them back. Longer chains would lose them for good.
constexpr std::size_t longest_chain = 10;

bool is_safe_coefficient(const TearingContext& context, ExprId coefficient) {
  const auto varies = [&](SymbolId id) {
    return context.flat[id].variability == model::Variability::Continuous;
  };
  if (expr::depends_on(context.flat.arena, context.walker, coefficient, varies)) return false;
  const double value =
      expr::evaluate(context.flat.arena, context.walker, coefficient, context.values);
  return std::isfinite(value) && value != 0.0;
}

// The expression that the equation gives for the variable, if it may be solved for it.
std::optional<ExprId> solved(const TearingContext& context, const model::Equation& equation,
                             ExprId residual, VariableId variable) {
  expr::Arena& arena = context.flat.arena;
  expr::Walker& walker = context.walker;
  const auto is_this = [&](SymbolId other) { return other == variable; };
  const auto gives = [&](ExprId side, ExprId other) {
    return arena.is_symbol(side) && arena.symbol_of(side) == variable &&
           !expr::depends_on(arena, walker, other, is_this);
  };
  if (gives(equation.left, equation.right)) return equation.right;
  if (gives(equation.right, equation.left)) return equation.left;
  if (equation.type != model::Type::Real || context.flat[variable].type != model::Type::Real)
    return std::nullopt;
  const std::optional<expr::LinearForm> form = expr::linear_form(arena, walker, residual, variable);
  if (!form || !is_safe_coefficient(context, form->coefficient)) return std::nullopt;
  return arena.divide(arena.negate(form->rest), form->coefficient);
}

// The greedy choice of one block. Local numbers: unknown and equation i of the block.
class Tearing {
 public:
  Tearing(const EquationSystem& system, Block& block, TearingContext context)
      : system_(system), block_(block), context_(context) {
    const std::size_t n = block.unknowns.size();
    for (std::size_t i = 0; i < n; ++i) local_[block.unknowns[i]] = i;
    used_.resize(n);
    users_.resize(n);
    missing_.resize(n);
    depth_.assign(n, 0);
    known_.assign(n, false);
    spent_.assign(n, false);
    for (std::size_t e = 0; e < n; ++e) {
      for (const std::uint32_t column : system.uses[index(block.equations[e])]) {
        const auto found = local_.find(system.unknowns[column]);
        if (found == local_.end()) continue;
        used_[e].push_back(found->second);
        users_[found->second].push_back(e);
      }
      missing_[e] = used_[e].size();
      if (missing_[e] == 1) ready_.push(e);
    }
  }

  void run() {
    const std::size_t n = block_.unknowns.size();
    std::priority_queue<std::pair<std::size_t, std::ptrdiff_t>>
        candidates;  // remaining equations, -unknown
    for (std::size_t v = 0; v < n; ++v)
      candidates.push({users_[v].size(), -static_cast<std::ptrdiff_t>(v)});
    for (std::size_t left = n; left > 0;) {
      left -= assign_ready();
      if (left == 0) break;
      const std::size_t v = take_candidate(candidates);
      block_.tearing.push_back(block_.unknowns[v]);
      make_known(v, 0);
      --left;
    }
    for (std::size_t e = 0; e < n; ++e) {
      if (spent_[e]) continue;
      block_.residual_equations.push_back(block_.equations[e]);
      block_.residuals.push_back(system_.residuals[index(block_.equations[e])]);
    }
  }

 private:
  std::size_t remaining_uses(std::size_t v) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(users_[v], [&](std::size_t e) { return !spent_[e]; }));
  }

  // Counts in the queue are those of some time ago; a stale entry goes back with its present count.
  std::size_t take_candidate(
      std::priority_queue<std::pair<std::size_t, std::ptrdiff_t>>& candidates) {
    for (;;) {
      const auto [count, negative] = candidates.top();
      candidates.pop();
      const auto v = static_cast<std::size_t>(-negative);
      if (known_[v]) continue;
      const std::size_t present = remaining_uses(v);
      if (present == count) return v;
      candidates.push({present, negative});
    }
  }

  void make_known(std::size_t v, std::size_t depth) {
    known_[v] = true;
    depth_[v] = depth;
    for (const std::size_t e : users_[v]) {
      if (--missing_[e] == 1 && !spent_[e]) ready_.push(e);
    }
  }

  std::size_t assign_ready() {
    std::size_t assigned = 0;
    while (!ready_.empty()) {
      const std::size_t e = ready_.front();
      ready_.pop();
      if (!spent_[e] && missing_[e] == 1 && assign(e)) ++assigned;
    }
    return assigned;
  }

  bool assign(std::size_t e) {
    std::size_t v = 0, depth = 0;
    for (const std::size_t used : used_[e]) {
      if (known_[used]) {
        depth = std::max(depth, depth_[used] + 1);
      } else {
        v = used;
      }
    }
    if (depth > longest_chain) return false;
    const EquationId id = block_.equations[e];
    const std::optional<ExprId> value = solved(context_, system_.equations[index(id)],
                                               system_.residuals[index(id)], block_.unknowns[v]);
    if (!value) return false;
    spent_[e] = true;
    block_.assignments.push_back({block_.unknowns[v], *value});
    make_known(v, depth);
    return true;
  }

  const EquationSystem& system_;
  Block& block_;
  TearingContext context_;
  std::map<VariableId, std::size_t> local_;
  std::vector<std::vector<std::size_t>> used_,
      users_;  // unknowns of an equation, equations of an unknown
  std::vector<std::size_t> missing_, depth_;
  std::vector<bool> known_, spent_;
  std::queue<std::size_t> ready_;
};

}  // namespace

void tear(const EquationSystem& system, Block& block, TearingContext context) {
  Tearing(system, block, context).run();
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

  std::vector<VariableId> inside = block.unknowns;
  std::ranges::sort(inside);
  const auto in_block = [&](SymbolId id) { return std::ranges::binary_search(inside, id); };
  const auto bends = [&](ExprId id) { return expr::has_jump(arena, walker, id, in_block); };
  const auto varies = [&](ExprId id) { return expr::depends_on(arena, walker, id, in_block); };
  block.linear = std::ranges::none_of(block.residuals, bends) &&
                 std::ranges::none_of(block.assignments, bends, &Assignment::value) &&
                 std::ranges::none_of(block.jacobian.outputs, varies) &&
                 std::ranges::none_of(block.jacobian.assignments, varies, &Assignment::value);
}

}  // namespace daedalus::structure
