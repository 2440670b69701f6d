#include "codegen/split.hpp"

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::SymbolId;
using structure::Assignment;

// The nodes in their order of evaluation are cut into stretches; what a later stretch uses is
// stored.
ExprId split(ExprId root, expr::Arena& arena, expr::Walker& walker, std::size_t& symbol_count,
             std::vector<Assignment>& into) {
  const std::span<const ExprId> visited = walker.post_order(arena, root);
  if (visited.size() <= longest_expression) return root;
  const std::vector<ExprId> order(visited.begin(), visited.end());
  const auto stretch = [](std::size_t i) { return i / longest_expression; };

  std::vector<bool> stored(order.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const expr::Node& node = arena[order[i]];
    const std::uint32_t arguments[] = {node.a, node.b, node.c};
    for (int k = 0; k < arity(node.op); ++k) {
      const std::size_t used = walker.position(ExprId(arguments[k]));
      if (stretch(used) != stretch(i)) stored[used] = true;
    }
  }
  std::vector<ExprId> replaced(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const expr::Node node = arena[order[i]];
    replaced[i] = order[i];
    if (arity(node.op) == 0) continue;
    const std::uint32_t arguments[] = {node.a, node.b, node.c};
    ExprId now[3];
    for (int k = 0; k < arity(node.op); ++k)
      now[k] = replaced[walker.position(ExprId(arguments[k]))];
    replaced[i] = arena.rebuild(node.op, now[0], now[1], now[2]);
    if (!stored[i]) continue;
    const SymbolId temporary(symbol_count++);
    into.push_back({temporary, replaced[i]});
    replaced[i] = arena.stand_in(temporary, replaced[i]);
  }
  return replaced.back();
}

}  // namespace

void split_long_expressions(structure::Kernel& kernel, expr::Arena& arena, expr::Walker& walker,
                            std::size_t& symbol_count) {
  std::vector<Assignment> assignments;
  for (const Assignment& assignment : kernel.assignments) {
    const ExprId value = split(assignment.value, arena, walker, symbol_count, assignments);
    assignments.push_back({assignment.target, value});
  }
  for (ExprId& output : kernel.outputs)
    output = split(output, arena, walker, symbol_count, assignments);
  kernel.assignments = std::move(assignments);
}

}  // namespace daedalus::codegen
