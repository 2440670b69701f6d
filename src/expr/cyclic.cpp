#include "daedalus/expr/cyclic.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace daedalus::expr {

CyclicEquations::CyclicEquations(const Arena& arena, Walker& walker,
                                 std::vector<Equation> equations)
    : equations_(std::move(equations)) {
  std::vector<ExprId> roots;
  std::unordered_map<SymbolId, std::uint32_t> unknowns;  // never iterated over
  for (std::uint32_t i = 0; i < equations_.size(); ++i) {
    roots.push_back(equations_[i].value);
    unknowns.emplace(equations_[i].target, i);
  }
  for (const ExprId id : walker.post_order(arena, roots)) {
    const Node& node = arena[id];
    Operation operation{.op = node.op, .a = node.a};
    const auto place = [&](std::uint32_t argument) {
      return static_cast<std::uint32_t>(walker.position(ExprId(argument)));
    };
    const int arguments = arity(node.op);
    if (arguments >= 1) operation.a = place(node.a);
    if (arguments >= 2) operation.b = place(node.b);
    if (arguments >= 3) operation.c = place(node.c);
    if (node.op == Op::Constant) operation.constant = arena.constant_value(id);
    if (node.op == Op::Symbol) {
      const auto unknown = unknowns.find(arena.symbol_of(id));
      if (unknown != unknowns.end()) operation.unknown = unknown->second;
    }
    operations_.push_back(operation);
  }
  for (const ExprId root : roots)
    roots_.push_back(static_cast<std::uint32_t>(walker.position(root)));
}

CyclicEquations::Value CyclicEquations::value_of(const Operation& operation,
                                                 std::span<const double> symbols,
                                                 const Values& values) {
  if (operation.op == Op::Constant) return operation.constant;
  if (operation.op == Op::Symbol)
    return operation.unknown == none ? Value(symbols[operation.a])
                                     : values.of_targets[operation.unknown];
  const std::vector<Value>& known = values.of_operations;
  const Value a = known[operation.a];
  if (operation.op == Op::If)
    return a ? known[*a != 0.0 ? operation.b : operation.c] : std::nullopt;
  const int arguments = arity(operation.op);
  const Value b = arguments > 1 ? known[operation.b] : Value(0.0);
  if (operation.op == Op::And || operation.op == Op::Or) {
    const bool decides = operation.op == Op::Or;  // one such operand is enough
    for (const Value& operand : {a, b}) {
      if (operand && (*operand != 0.0) == decides) return decides ? 1.0 : 0.0;
    }
  }
  if (!a || !b) return std::nullopt;
  return apply(operation.op, *a, *b);
}

std::optional<std::size_t> CyclicEquations::solve(std::span<double> symbols) const {
  Values values{std::vector<Value>(operations_.size()), std::vector<Value>(equations_.size())};
  std::vector<Value>& found = values.of_targets;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < operations_.size(); ++i)
      values.of_operations[i] = value_of(operations_[i], symbols, values);
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      if (found[i] || !values.of_operations[roots_[i]]) continue;
      found[i] = values.of_operations[roots_[i]];
      goes_on = true;
    }
  }
  const auto open = std::ranges::find_if(found, [](const Value& value) { return !value; });
  if (open != found.end()) return static_cast<std::size_t>(open - found.begin());
  for (std::size_t i = 0; i < equations_.size(); ++i)
    symbols[index(equations_[i].target)] = *found[i];
  return std::nullopt;
}

// As above, but with what can be known for some values of the others in place of values.
std::optional<std::size_t> CyclicEquations::never_determined() const {
  std::vector<bool> can_be(operations_.size(), false), is_open(equations_.size(), true);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& operation = operations_[i];
      const int arguments = arity(operation.op);
      if (arguments == 0) {
        can_be[i] = operation.unknown == none || !is_open[operation.unknown];
      } else if (operation.op == Op::If) {
        can_be[i] = can_be[operation.a] && (can_be[operation.b] || can_be[operation.c]);
      } else if (operation.op == Op::And || operation.op == Op::Or) {
        can_be[i] = can_be[operation.a] || can_be[operation.b];
      } else {
        can_be[i] = can_be[operation.a] && (arguments < 2 || can_be[operation.b]);
      }
    }
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      if (!is_open[i] || !can_be[roots_[i]]) continue;
      is_open[i] = false;
      goes_on = true;
    }
  }
  const auto first = std::ranges::find(is_open, true);
  if (first == is_open.end()) return std::nullopt;
  return static_cast<std::size_t>(first - is_open.begin());
}

}  // namespace daedalus::expr
