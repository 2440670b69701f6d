#include "daedalus/expr/calculus.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::expr {
namespace {

struct Contributions {
  ExprId a, b, c;  // to the adjoints of the arguments; none where there is nothing to add
};

ExprId square(Arena& e, ExprId x) { return e.multiply(x, x); }

// d op(a) / d a, times the adjoint.
ExprId unary_contribution(Arena& e, const Node& node, ExprId self, ExprId adjoint) {
  const ExprId a(node.a);
  const ExprId one = e.constant(1.0);
  const auto over_root = [&](ExprId radicand) {
    return e.divide(adjoint, e.make(Op::Sqrt, radicand));
  };
  switch (node.op) {
    case Op::Negate:
      return e.negate(adjoint);
    case Op::Sin:
      return e.multiply(adjoint, e.make(Op::Cos, a));
    case Op::Cos:
      return e.negate(e.multiply(adjoint, e.make(Op::Sin, a)));
    case Op::Tan:
      return e.multiply(adjoint, e.add(one, square(e, self)));
    case Op::Asin:
      return over_root(e.subtract(one, square(e, a)));
    case Op::Acos:
      return e.negate(over_root(e.subtract(one, square(e, a))));
    case Op::Atan:
      return e.divide(adjoint, e.add(one, square(e, a)));
    case Op::Sinh:
      return e.multiply(adjoint, e.make(Op::Cosh, a));
    case Op::Cosh:
      return e.multiply(adjoint, e.make(Op::Sinh, a));
    case Op::Tanh:
      return e.multiply(adjoint, e.subtract(one, square(e, self)));
    case Op::Exp:
      return e.multiply(adjoint, self);
    case Op::Log:
      return e.divide(adjoint, a);
    case Op::Log10:
      return e.divide(adjoint, e.multiply(a, e.constant(std::log(10.0))));
    case Op::Sqrt:
      return e.divide(adjoint, e.multiply(e.constant(2.0), self));
    case Op::Abs:
      return e.multiply(adjoint, e.make(Op::Sign, a));
    default:
      return {};  // Not, Sign, Floor, Ceil: constant where they are continuous
  }
}

Contributions power_contributions(Arena& e, const Node& node, ExprId self, ExprId adjoint) {
  const ExprId a(node.a), b(node.b);
  const ExprId lowered = e.make(Op::Power, a, e.subtract(b, e.constant(1.0)));
  Contributions result{e.multiply(adjoint, e.multiply(b, lowered)), {}, {}};
  if (!e.is_constant(b)) result.b = e.multiply(adjoint, e.multiply(self, e.make(Op::Log, a)));
  return result;
}

Contributions binary_contributions(Arena& e, const Node& node, ExprId self, ExprId adjoint) {
  const ExprId a(node.a), b(node.b);
  const ExprId zero = e.constant(0.0);
  switch (node.op) {
    case Op::Add:
      return {adjoint, adjoint, {}};
    case Op::Subtract:
      return {adjoint, e.negate(adjoint), {}};
    case Op::Multiply:
      return {e.multiply(adjoint, b), e.multiply(adjoint, a), {}};
    case Op::Divide:
      return {e.divide(adjoint, b), e.negate(e.divide(e.multiply(adjoint, self), b)), {}};
    case Op::Power:
      return power_contributions(e, node, self, adjoint);
    case Op::Atan2: {
      const ExprId radius = e.add(square(e, a), square(e, b));
      return {e.divide(e.multiply(adjoint, b), radius),
              e.negate(e.divide(e.multiply(adjoint, a), radius)),
              {}};
    }
    case Op::Min: {
      const ExprId first = e.make(Op::Less, a, b);
      return {e.choose(first, adjoint, zero), e.choose(first, zero, adjoint), {}};
    }
    case Op::Max: {
      const ExprId first = e.make(Op::Greater, a, b);
      return {e.choose(first, adjoint, zero), e.choose(first, zero, adjoint), {}};
    }
    case Op::Modulo: {
      const ExprId turns = e.make(Op::Floor, e.divide(a, b));
      return {adjoint, e.negate(e.multiply(adjoint, turns)), {}};
    }
    case Op::Remainder: {
      const ExprId turns = e.make(Op::Quotient, a, b);
      return {adjoint, e.negate(e.multiply(adjoint, turns)), {}};
    }
    default:
      return {};  // div, relations and logic: piecewise constant
  }
}

Contributions contributions(Arena& arena, ExprId id, ExprId adjoint) {
  const Node node = arena[id];
  switch (arity(node.op)) {
    case 1:
      return {unary_contribution(arena, node, id, adjoint), {}, {}};
    case 2:
      return binary_contributions(arena, node, id, adjoint);
    case 3: {
      const ExprId zero = arena.constant(0.0);
      return {{},
              arena.choose(ExprId(node.a), adjoint, zero),
              arena.choose(ExprId(node.a), zero, adjoint)};
    }
    default:
      return {};
  }
}

// For each node of the order, whether an active symbol stands below it; conditions count only if
// asked for.
enum class Conditions { Ignore, Include };

std::vector<bool> above_active(const Arena& arena, const Walker& walker,
                               std::span<const ExprId> order, const Active& active,
                               Conditions conditions) {
  std::vector<bool> above(order.size(), false);
  const auto is_above = [&](std::uint32_t argument) {
    return above[walker.position(ExprId(argument))];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = arena[order[i]];
    switch (arity(node.op)) {
      case 0:
        above[i] = node.op == Op::Symbol && active(SymbolId(node.a));
        break;
      case 1:
        above[i] = is_above(node.a);
        break;
      case 2:
        above[i] = is_above(node.a) || is_above(node.b);
        break;
      default:
        above[i] = is_above(node.b) || is_above(node.c) ||
                   (conditions == Conditions::Include && is_above(node.a));
    }
  }
  return above;
}

bool is_piecewise(Op op) {
  switch (op) {
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
    case Op::Quotient:
    case Op::Modulo:
    case Op::Remainder:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
    case Op::Not:
    case Op::And:
    case Op::Or:
      return true;
    default:
      return is_relation(op);
  }
}

}  // namespace

std::vector<Partial> gradient(Arena& arena, Walker& walker, ExprId root, const Active& active) {
  const std::span<const ExprId> visited = walker.post_order(arena, root);
  const std::vector<ExprId> order(visited.begin(), visited.end());

  // Only nodes above an active symbol carry an adjoint: the rest would be work for nothing, and may
  // not even be differentiable (the exponent in x^n has a logarithm in its derivative).
  const std::vector<bool> matters = above_active(arena, walker, order, active, Conditions::Ignore);
  const auto place = [&](std::uint32_t argument) { return walker.position(ExprId(argument)); };

  std::vector<ExprId> adjoints(order.size());
  adjoints.back() = arena.constant(1.0);
  const auto contribute = [&](std::uint32_t argument, ExprId amount) {
    if (amount.is_none() || !matters[place(argument)]) return;
    ExprId& adjoint = adjoints[place(argument)];
    adjoint = adjoint.is_none() ? amount : arena.add(adjoint, amount);
  };
  for (std::size_t i = order.size(); i-- > 0;) {
    if (!matters[i] || adjoints[i].is_none() || arena.is_constant(adjoints[i], 0.0)) continue;
    const Node node = arena[order[i]];
    const Contributions amounts = contributions(arena, order[i], adjoints[i]);
    contribute(node.a, amounts.a);
    contribute(node.b, amounts.b);
    contribute(node.c, amounts.c);
  }

  std::vector<Partial> partials;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool wanted = arena.is_symbol(order[i]) && matters[i] && !adjoints[i].is_none();
    if (wanted && !arena.is_constant(adjoints[i], 0.0))
      partials.push_back({arena.symbol_of(order[i]), adjoints[i]});
  }
  return partials;
}

std::vector<ExprId> substitute(Arena& arena, Walker& walker, std::span<const ExprId> roots,
                               const Replacement& replacement) {
  const std::span<const ExprId> visited = walker.post_order(arena, roots);
  const std::vector<ExprId> order(visited.begin(), visited.end());
  std::vector<ExprId> replaced(order.size());
  const auto at = [&](std::uint32_t argument) {
    return replaced[walker.position(ExprId(argument))];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = arena[order[i]];
    if (node.op == Op::Symbol) {
      const ExprId other = replacement(SymbolId(node.a));
      replaced[i] = other.is_none() ? order[i] : other;
      continue;
    }
    switch (arity(node.op)) {
      case 0:
        replaced[i] = order[i];
        break;
      case 1:
        replaced[i] = arena.make(node.op, at(node.a));
        break;
      case 2:
        replaced[i] = arena.make(node.op, at(node.a), at(node.b));
        break;
      default:
        replaced[i] = arena.choose(at(node.a), at(node.b), at(node.c));
        break;
    }
  }
  std::vector<ExprId> result;
  result.reserve(roots.size());
  for (const ExprId root : roots) result.push_back(replaced[walker.position(root)]);
  return result;
}

bool depends_on(const Arena& arena, Walker& walker, ExprId root, const Active& active) {
  return std::ranges::any_of(walker.post_order(arena, root), [&](ExprId id) {
    return arena.is_symbol(id) && active(arena.symbol_of(id));
  });
}

bool has_jump(const Arena& arena, Walker& walker, ExprId root, const Active& active) {
  const std::span<const ExprId> order = walker.post_order(arena, root);
  const std::vector<bool> above = above_active(arena, walker, order, active, Conditions::Include);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = arena[order[i]];
    if (above[i] && is_piecewise(node.op)) return true;
    if (node.op == Op::If && above[walker.position(ExprId(node.a))]) return true;
  }
  return false;
}

std::optional<LinearForm> linear_form(Arena& arena, Walker& walker, ExprId residual,
                                      SymbolId symbol) {
  const Active this_one = [symbol](SymbolId other) { return other == symbol; };
  if (has_jump(arena, walker, residual, this_one)) return std::nullopt;
  const std::vector<Partial> partials = gradient(arena, walker, residual, this_one);
  if (partials.empty() || depends_on(arena, walker, partials.front().value, this_one))
    return std::nullopt;
  const ExprId zero = arena.constant(0.0);
  const ExprId rest =
      substitute(arena, walker, std::span<const ExprId>(&residual, 1), [&](SymbolId other) {
        return other == symbol ? zero : ExprId{};
      }).front();
  return LinearForm{partials.front().value, rest};
}

}  // namespace daedalus::expr
