#include "daedalus/expr/tape.hpp"

namespace daedalus::expr {

// Stops at what an earlier root has computed: all of them together take linear time.
std::uint32_t Tape::cell_of(const Arena& arena, ExprId root) {
  pending_.push_back(root);
  while (!pending_.empty()) {
    const ExprId id = pending_.back();
    const Node& node = arena[id];
    const std::uint32_t arguments[] = {node.a, node.b, node.c};
    std::uint32_t cells[] = {node.a, 0, 0};
    bool is_ready = true;
    for (int k = arity(node.op); k-- > 0;) {
      const auto found = known_.find(ExprId(arguments[k]));
      if (found != known_.end()) {
        cells[k] = found->second;
      } else {
        pending_.push_back(ExprId(arguments[k]));
        is_ready = false;
      }
    }
    if (!is_ready) continue;
    pending_.pop_back();
    if (!known_.emplace(id, static_cast<std::uint32_t>(operations_.size())).second) continue;
    operations_.push_back({node.op, cells[0], cells[1], cells[2]});
    cells_.push_back(node.op == Op::Constant ? arena.constant_value(id) : 0.0);
  }
  return known_.at(root);
}

void Tape::assign(const Arena& arena, SymbolId target, ExprId value) {
  const std::uint32_t cell = cell_of(arena, value);
  stores_.push_back({target.value, cell, static_cast<std::uint32_t>(operations_.size())});
}

void Tape::output(const Arena& arena, ExprId value) { outputs_.push_back(cell_of(arena, value)); }

void Tape::run(std::span<double> symbols, std::span<double> outputs) {
  std::size_t next_store = 0;
  const auto store_until = [&](std::size_t operation) {
    for (; next_store < stores_.size() && stores_[next_store].after <= operation; ++next_store) {
      symbols[stores_[next_store].symbol] = cells_[stores_[next_store].cell];
    }
  };
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    store_until(i);
    const Operation& operation = operations_[i];
    if (operation.op == Op::Constant) continue;
    cells_[i] = operation.op == Op::Symbol ? symbols[operation.a]
                                           : apply(operation.op, cells_[operation.a],
                                                   cells_[operation.b], cells_[operation.c]);
  }
  store_until(operations_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = cells_[outputs_[i]];
}

namespace {

double constant_of(const Arena& arena, ExprId id, double) { return arena.constant_value(id); }
Number constant_of(const Arena& arena, ExprId id, const Number&) { return arena.exact_value(id); }

double applied(Op op, double a, double b, double c) { return apply(op, a, b, c); }
Number applied(Op op, const Number& a, const Number& b, const Number& c) {
  return apply_exactly(op, a, b, c);
}

template <class Value>
Value value_of_root(const Arena& arena, Walker& walker, ExprId root,
                    std::span<const Value> symbols) {
  if (arena.is_constant(root)) return constant_of(arena, root, Value{});
  if (arena.is_symbol(root)) return symbols[index(arena.symbol_of(root))];
  const std::span<const ExprId> order = walker.post_order(arena, root);
  std::vector<Value> values(order.size());
  const auto value_of = [&](std::uint32_t argument) {
    return values[walker.position(ExprId(argument))];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = arena[order[i]];
    const int arguments = arity(node.op);
    if (node.op == Op::Constant) {
      values[i] = constant_of(arena, order[i], Value{});
    } else if (node.op == Op::Symbol) {
      values[i] = symbols[node.a];
    } else {
      values[i] = applied(node.op, value_of(node.a), arguments > 1 ? value_of(node.b) : Value{},
                          arguments > 2 ? value_of(node.c) : Value{});
    }
  }
  return values.back();
}

}  // namespace

double evaluate(const Arena& arena, Walker& walker, ExprId root, std::span<const double> symbols) {
  return value_of_root<double>(arena, walker, root, symbols);
}

Number evaluate_exactly(const Arena& arena, Walker& walker, ExprId root,
                        std::span<const Number> symbols) {
  return value_of_root<Number>(arena, walker, root, symbols);
}

}  // namespace daedalus::expr
