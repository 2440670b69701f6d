#include "daedalus/expr/tape.hpp"

namespace daedalus::expr {

Tape::Tape(const Arena& arena, Walker& walker, std::span<const ExprId> roots) {
  const std::span<const ExprId> order = walker.post_order(arena, roots);
  operations_.reserve(order.size());
  cells_.resize(order.size());
  const auto place = [&](std::uint32_t argument) {
    return static_cast<std::uint32_t>(walker.position(ExprId(argument)));
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = arena[order[i]];
    Operation operation{node.op, node.a, 0, 0};
    const int arguments = arity(node.op);
    if (arguments >= 1) operation.a = place(node.a);
    if (arguments >= 2) operation.b = place(node.b);
    if (arguments >= 3) operation.c = place(node.c);
    if (node.op == Op::Constant) cells_[i] = arena.constant_value(order[i]);
    operations_.push_back(operation);
  }
  for (const ExprId root : roots) results_.push_back(place(root.value));
}

void Tape::run(std::span<const double> symbols, std::span<double> results) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    if (operation.op == Op::Constant) continue;
    cells_[i] = operation.op == Op::Symbol
                    ? symbols[operation.a]
                    : apply(operation.op, cells_[operation.a], cells_[operation.b], cells_[operation.c]);
  }
  for (std::size_t i = 0; i < results_.size(); ++i) results[i] = cells_[results_[i]];
}

double evaluate(const Arena& arena, Walker& walker, ExprId root, std::span<const double> symbols) {
  double result = 0.0;
  Tape(arena, walker, std::span<const ExprId>(&root, 1)).run(symbols, std::span<double>(&result, 1));
  return result;
}

}  // namespace daedalus::expr
