#include "codegen/sharing.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::SymbolId;
using structure::Assignment;

// In twentieths of a nanosecond. A store and a load cost about half of the least cost that is worth
// storing.
constexpr unsigned least_cost = 24, most_cost = 255;

unsigned cost_of(const expr::Arena& arena, const expr::Node& node) {
  return static_cast<unsigned>(std::lround(20.0 * expr::cost(arena, node)));
}

class Sharing {
 public:
  Sharing(expr::Arena& arena, std::size_t& symbol_count)
      : arena_(arena), symbol_count_(symbol_count) {
    costs_.reserve(arena.size());
    for (std::size_t i = 0; i < arena.size(); ++i) {
      const expr::Node& node = arena[ExprId(i)];
      unsigned cost = cost_of(arena, node);
      const std::uint32_t arguments[] = {node.a, node.b, node.c};
      for (int k = 0; k < arity(node.op); ++k) cost += costs_[arguments[k]];
      costs_.push_back(static_cast<std::uint8_t>(std::min(cost, most_cost)));
    }
    replaced_.assign(arena.size(), {});
    is_shared_.assign(arena.size(), false);
  }

  void run(structure::Kernel& kernel) {
    std::vector<ExprId> roots;
    for (const Assignment& assignment : kernel.assignments) roots.push_back(assignment.value);
    roots.insert(roots.end(), kernel.outputs.begin(), kernel.outputs.end());
    find_shared(roots);
    if (touched_.empty()) return;
    std::vector<Assignment> assignments;
    for (const Assignment& assignment : kernel.assignments)
      assignments.push_back({assignment.target, rewritten(assignment.value, assignments)});
    for (ExprId& output : kernel.outputs) output = rewritten(output, assignments);
    kernel.assignments = std::move(assignments);
    for (const ExprId id : touched_) {
      is_shared_[index(id)] = false;
      replaced_[index(id)] = {};
    }
    touched_.clear();
  }

 private:
  bool is_costly(ExprId id) const { return costs_[index(id)] >= least_cost; }

  template <class Visit>
  void for_each_argument(ExprId id, const Visit& visit) const {
    const expr::Node& node = arena_[id];
    const std::uint32_t arguments[] = {node.a, node.b, node.c};
    for (int k = 0; k < arity(node.op); ++k) visit(ExprId(arguments[k]));
  }

  // A node belongs to the root that it is computed for; one that would belong to several gets a
  // temporary, which becomes the root of everything below it. From users to arguments.
  void find_shared(std::span<const ExprId> roots) {
    constexpr std::uint32_t nobody = 0, several = ~std::uint32_t{0};
    const std::span<const ExprId> order = walker_.post_order(arena_, roots);
    owners_.assign(order.size(), nobody);
    const auto give = [&](ExprId id, std::uint32_t to) {
      std::uint32_t& owner = owners_[walker_.position(id)];
      owner = owner == nobody || owner == to ? to : several;
    };
    std::uint32_t next = nobody;
    for (const ExprId root : roots) give(root, ++next);
    for (std::size_t k = order.size(); k-- > 0;) {
      const ExprId id = order[k];
      if (!is_costly(id)) continue;
      std::uint32_t owner = owners_[k];
      if (owner == several) {
        owner = ++next;
        is_shared_[index(id)] = true;
        touched_.push_back(id);
      }
      for_each_argument(id, [&](ExprId argument) { give(argument, owner); });
    }
  }

  // The root with temporaries for shared parts; their assignments are appended.
  ExprId rewritten(ExprId root, std::vector<Assignment>& into) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const ExprId id = stack_.back();
      if (!replacement(id).is_none()) {
        stack_.pop_back();
        continue;
      }
      const std::size_t before = stack_.size();
      for_each_argument(id, [&](ExprId argument) {
        if (replacement(argument).is_none()) stack_.push_back(argument);
      });
      if (stack_.size() > before) continue;
      stack_.pop_back();
      replace(id, into);
    }
    return replacement(root);
  }

  // A cheap expression stays as it is: nothing under it is shared.
  ExprId replacement(ExprId id) const { return is_costly(id) ? replaced_[index(id)] : id; }

  void replace(ExprId id, std::vector<Assignment>& into) {
    const expr::Node node = arena_[id];
    const std::uint32_t arguments[] = {node.a, node.b, node.c};
    ExprId now[3];
    for (int k = 0; k < arity(node.op); ++k) now[k] = replacement(ExprId(arguments[k]));
    ExprId made = arena_.rebuild(node.op, now[0], now[1], now[2]);
    if (is_shared_[index(id)]) {
      const SymbolId temporary(symbol_count_++);
      into.push_back({temporary, made});
      made = arena_.stand_in(temporary, made);
    }
    replaced_[index(id)] = made;
    touched_.push_back(id);
  }

  expr::Arena& arena_;
  std::size_t& symbol_count_;
  expr::Walker walker_;
  std::vector<std::uint8_t> costs_;    // by node
  std::vector<std::uint32_t> owners_;  // by position in the walk: a root, or a shared node
  std::vector<ExprId> replaced_;       // by node; none between kernels
  std::vector<bool> is_shared_;        // likewise
  std::vector<ExprId> touched_, stack_;
};

}  // namespace

void share_expressions(std::vector<structure::Kernel>& kernels, expr::Arena& arena,
                       std::size_t& symbol_count) {
  Sharing sharing(arena, symbol_count);
  for (structure::Kernel& kernel : kernels) sharing.run(kernel);
}

}  // namespace daedalus::codegen
