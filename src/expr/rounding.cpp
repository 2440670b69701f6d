#include "daedalus/expr/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace daedalus::expr {
namespace {

struct Rounded {
  double value = 0.0;
  double error = 0.0;
};

// How far f is from f(x) when x is off by its error to either side.
template <class Function>
double spread(const Rounded& x, double value, const Function& f) {
  if (x.error == 0.0) return 0.0;
  return std::max(std::abs(f(x.value + x.error) - value), std::abs(f(x.value - x.error) - value));
}

Rounded apply_rounded(Op op, const Rounded& a, const Rounded& b, const Rounded& c) {
  if (op == Op::If) return a.value != 0.0 ? b : c;
  const double value = apply(op, a.value, b.value);
  if (is_truth(op)) return {value, 0.0};
  double error = spread(a, value, [&](double x) { return apply(op, x, b.value); });
  if (arity(op) > 1) error += spread(b, value, [&](double x) { return apply(op, a.value, x); });
  const bool is_exact = operation(op).magnitude == Magnitude::OfArgument;
  if (!is_exact) error += std::numeric_limits<double>::epsilon() * std::abs(value);
  return {value, error};
}

}  // namespace

double rounding_error(const Arena& arena, Walker& walker, ExprId root,
                      std::span<const double> symbols, std::span<const double> errors) {
  const std::span<const ExprId> order = walker.post_order(arena, root);
  std::vector<Rounded> values(order.size());
  const auto argument = [&](std::uint32_t id) { return values[walker.position(ExprId(id))]; };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = arena[order[i]];
    const int arguments = arity(node.op);
    if (node.op == Op::Constant) {
      values[i] = {arena.constant_value(order[i]), 0.0};
    } else if (node.op == Op::Symbol) {
      values[i] = {symbols[node.a], errors[node.a]};
    } else {
      values[i] =
          apply_rounded(node.op, argument(node.a), arguments > 1 ? argument(node.b) : Rounded{},
                        arguments > 2 ? argument(node.c) : Rounded{});
    }
  }
  return values.back().error;
}

}  // namespace daedalus::expr
