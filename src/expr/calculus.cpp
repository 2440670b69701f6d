#include "daedalus/expr/calculus.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::expr {
namespace {

// An argument of an operation.
enum class Argument { A, B, C };

ExprId square(Arena& e, ExprId x) { return e.derived_product(x, x); }

// d op(a) / d a, times the adjoint.
ExprId unary_contribution(Arena& e, const Node& node, ExprId self, ExprId adjoint) {
  const ExprId a(node.a);
  const ExprId one = e.constant(1.0);
  const auto over_root = [&](ExprId radicand) {
    return e.derived_quotient(adjoint, e.make(Op::Sqrt, radicand));
  };
  switch (node.op) {
    case Op::Negate:
      return e.negate(adjoint);
    case Op::NoEvent:
      return adjoint;
    case Op::Sin:
      return e.derived_product(adjoint, e.make(Op::Cos, a));
    case Op::Cos:
      return e.negate(e.derived_product(adjoint, e.make(Op::Sin, a)));
    case Op::Tan:
      return e.derived_product(adjoint, e.add(one, square(e, self)));
    case Op::Asin:
      return over_root(e.subtract(one, square(e, a)));
    case Op::Acos:
      return e.negate(over_root(e.subtract(one, square(e, a))));
    case Op::Atan:
      return e.derived_quotient(adjoint, e.add(one, square(e, a)));
    case Op::Sinh:
      return e.derived_product(adjoint, e.make(Op::Cosh, a));
    case Op::Cosh:
      return e.derived_product(adjoint, e.make(Op::Sinh, a));
    case Op::Tanh:
      return e.derived_product(adjoint, e.subtract(one, square(e, self)));
    case Op::Exp:
      return e.derived_product(adjoint, self);
    case Op::Log:
      return e.derived_quotient(adjoint, a);
    case Op::Log10:
      return e.derived_quotient(adjoint, e.derived_product(a, e.constant(std::log(10.0))));
    case Op::Sqrt:
      return e.derived_quotient(adjoint, e.derived_product(e.constant(2.0), self));
    case Op::Abs:
      return e.derived_product(adjoint, e.make(Op::Sign, a));
    default:
      return {};  // Not, IsTrue, Sign, Floor, Ceil, Whole: constant where they are continuous
  }
}

ExprId power_contribution(Arena& e, const Node& node, ExprId self, ExprId adjoint, Argument to) {
  const ExprId a(node.a), b(node.b);
  if (to == Argument::B) {
    if (e.is_constant(b)) return {};
    return e.derived_product(adjoint, e.derived_product(self, e.make(Op::Log, a)));
  }
  const ExprId lowered = e.make(Op::Power, a, e.subtract(b, e.constant(1.0)));
  return e.derived_product(adjoint, e.derived_product(b, lowered));
}

ExprId binary_contribution(Arena& e, const Node& node, ExprId self, ExprId adjoint, Argument to) {
  const ExprId a(node.a), b(node.b);
  const bool first = to == Argument::A;
  const auto where = [&](Op relation) {
    const ExprId zero = e.constant(0.0), chosen = e.make(relation, a, b);
    return first ? e.choose(chosen, adjoint, zero) : e.choose(chosen, zero, adjoint);
  };
  switch (node.op) {
    case Op::Add:
      return adjoint;
    case Op::Subtract:
      return first ? adjoint : e.negate(adjoint);
    case Op::Multiply:
      return e.derived_product(adjoint, first ? b : a);
    case Op::Divide:
      return first ? e.derived_quotient(adjoint, b)
                   : e.negate(e.derived_quotient(e.derived_product(adjoint, self), b));
    case Op::Power:
      return power_contribution(e, node, self, adjoint, to);
    case Op::Atan2: {
      const ExprId radius = e.add(square(e, a), square(e, b));
      return first ? e.derived_quotient(e.derived_product(adjoint, b), radius)
                   : e.negate(e.derived_quotient(e.derived_product(adjoint, a), radius));
    }
    case Op::Min:
      return where(Op::Less);
    case Op::Max:
      return where(Op::Greater);
    case Op::Modulo:
      if (first) return adjoint;
      return e.negate(e.derived_product(adjoint, e.make(Op::Floor, e.divide(a, b))));
    case Op::Remainder:
      if (first) return adjoint;
      return e.negate(e.derived_product(adjoint, e.make(Op::Quotient, a, b)));
    default:
      return {};  // div, relations and logic: piecewise constant
  }
}

// What the operation adds to the adjoint of its argument; none if it is 0.
ExprId contribution(Arena& arena, ExprId id, ExprId adjoint, Argument to) {
  const Node node = arena[id];
  switch (arity(node.op)) {
    case 1:
      return unary_contribution(arena, node, id, adjoint);
    case 2:
      return binary_contribution(arena, node, id, adjoint, to);
    default: {
      const ExprId zero = arena.constant(0.0), condition(node.a);
      if (to == Argument::A) return {};
      return to == Argument::B ? arena.choose(condition, adjoint, zero)
                               : arena.choose(condition, zero, adjoint);
    }
  }
}

// For each node of the order, whether there is an active symbol below it; conditions count only on
// request.
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

}  // namespace

std::vector<Partial> gradient(Arena& arena, Walker& walker, ExprId root, const Active& active) {
  const std::span<const ExprId> visited = walker.post_order(arena, root);
  const std::vector<ExprId> order(visited.begin(), visited.end());

  // Only nodes above an active symbol carry an adjoint: the rest would be wasted work, and may not
  // even be differentiable (the exponent in x^n has a logarithm in its derivative).
  const std::vector<bool> matters = above_active(arena, walker, order, active, Conditions::Ignore);
  const auto place = [&](std::uint32_t argument) { return walker.position(ExprId(argument)); };

  std::vector<ExprId> adjoints(order.size());
  adjoints.back() = arena.constant(1.0);
  // Nothing is made for irrelevant arguments: it would stay in the arena.
  const auto contribute = [&](ExprId id, ExprId adjoint, std::uint32_t argument, Argument to) {
    if (!matters[place(argument)]) return;
    const ExprId amount = contribution(arena, id, adjoint, to);
    if (amount.is_none()) return;
    ExprId& sum = adjoints[place(argument)];
    sum = sum.is_none() ? amount : arena.add(sum, amount);
  };
  for (std::size_t i = order.size(); i-- > 0;) {
    if (!matters[i] || adjoints[i].is_none() || arena.is_constant(adjoints[i], 0.0)) continue;
    const Node node = arena[order[i]];
    const int arguments = arity(node.op);
    if (arguments > 0) contribute(order[i], adjoints[i], node.a, Argument::A);
    if (arguments > 1) contribute(order[i], adjoints[i], node.b, Argument::B);
    if (arguments > 2) contribute(order[i], adjoints[i], node.c, Argument::C);
  }

  std::vector<Partial> partials;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool wanted = arena.is_symbol(order[i]) && matters[i] && !adjoints[i].is_none();
    if (wanted && !arena.is_constant(adjoints[i], 0.0))
      partials.push_back({arena.symbol_of(order[i]), adjoints[i]});
  }
  return partials;
}

namespace {

ExprId as_written(Arena& e, Op op, ExprId a, ExprId b, ExprId c) { return e.rebuild(op, a, b, c); }

// For arguments that contain zeros of our own.
ExprId derived(Arena& e, Op op, ExprId a, ExprId b, ExprId c) {
  if (op == Op::Multiply) return e.derived_product(a, b);
  if (op == Op::Divide) return e.derived_quotient(a, b);
  return e.rebuild(op, a, b, c);
}

// The roots, rebuilt where a node below them has a replacement; none: the node stays, with its new
// arguments. The first of them is passed on, too.
template <class NodeReplacement>
std::vector<ExprId> rebuilt(Arena& arena, Walker& walker, std::span<const ExprId> roots,
                            const NodeReplacement& replacement,
                            decltype(as_written)& rebuild = as_written) {
  const std::span<const ExprId> visited = walker.post_order(arena, roots);
  const std::vector<ExprId> order(visited.begin(), visited.end());
  std::vector<ExprId> replaced(order.size());
  const auto at = [&](std::uint32_t argument) {
    return replaced[walker.position(ExprId(argument))];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = arena[order[i]];
    const int arguments = arity(node.op);
    const ExprId a = arguments > 0 ? at(node.a) : ExprId(), b = arguments > 1 ? at(node.b) : a,
                 c = arguments > 2 ? at(node.c) : a;
    const ExprId other = replacement(node, a);
    if (!other.is_none()) {
      replaced[i] = other;
      continue;
    }
    const bool same = (arguments < 1 || a == ExprId(node.a)) &&
                      (arguments < 2 || b == ExprId(node.b)) &&
                      (arguments < 3 || c == ExprId(node.c));
    replaced[i] = same ? order[i] : rebuild(arena, node.op, a, b, c);
  }
  std::vector<ExprId> result;
  result.reserve(roots.size());
  for (const ExprId root : roots) result.push_back(replaced[walker.position(root)]);
  return result;
}

}  // namespace

std::vector<ExprId> substitute(Arena& arena, Walker& walker, std::span<const ExprId> roots,
                               const Replacement& replacement) {
  return rebuilt(arena, walker, roots, [&](const Node& node, ExprId) {
    return node.op == Op::Symbol ? replacement(SymbolId(node.a)) : ExprId{};
  });
}

std::vector<ExprId> without_no_event(Arena& arena, Walker& walker, std::span<const ExprId> roots) {
  return rebuilt(arena, walker, roots, [](const Node& node, ExprId argument) {
    return node.op == Op::NoEvent ? argument : ExprId{};
  });
}

bool depends_on(const Arena& arena, Walker& walker, ExprId root, const Active& active) {
  return std::ranges::any_of(walker.post_order(arena, root), [&](ExprId id) {
    return arena.is_symbol(id) && active(arena.symbol_of(id));
  });
}

std::vector<bool> which_depend_on(const Arena& arena, Walker& walker, std::span<const ExprId> roots,
                                  const Active& active) {
  const std::span<const ExprId> order = walker.post_order(arena, roots);
  const std::vector<bool> above = above_active(arena, walker, order, active, Conditions::Include);
  std::vector<bool> result;
  for (const ExprId root : roots) result.push_back(above[walker.position(root)]);
  return result;
}

bool has_jump(const Arena& arena, Walker& walker, ExprId root, const Active& active) {
  const std::span<const ExprId> order = walker.post_order(arena, root);
  const std::vector<bool> above = above_active(arena, walker, order, active, Conditions::Include);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = arena[order[i]];
    if (above[i] && operation(node.op).formula != Formula::Smooth) return true;
    if (node.op == Op::If && above[walker.position(ExprId(node.a))]) return true;
  }
  return false;
}

namespace {

// The form of one operation from the forms of its arguments; none where it is not linear. Arguments
// without the symbol have no coefficient.
std::optional<LinearForm> combined(Arena& e, Op op, const LinearForm& a, const LinearForm& b) {
  const bool in_a = !a.coefficient.is_none(), in_b = !b.coefficient.is_none();
  switch (op) {
    case Op::Negate:
      return LinearForm{e.negate(a.coefficient), e.negate(a.rest)};
    case Op::Add:
    case Op::Subtract: {
      const ExprId alone = !in_b           ? a.coefficient
                           : op == Op::Add ? b.coefficient
                                           : e.negate(b.coefficient);
      return LinearForm{in_a && in_b ? e.make(op, a.coefficient, b.coefficient) : alone,
                        e.make(op, a.rest, b.rest)};
    }
    case Op::Multiply:
      if (in_a && in_b) return std::nullopt;
      return in_a ? LinearForm{e.derived_product(a.coefficient, b.rest),
                               e.derived_product(a.rest, b.rest)}
                  : LinearForm{e.derived_product(a.rest, b.coefficient),
                               e.derived_product(a.rest, b.rest)};
    case Op::Divide:
      if (in_b) return std::nullopt;
      return LinearForm{e.derived_quotient(a.coefficient, b.rest),
                        e.derived_quotient(a.rest, b.rest)};
    default:
      return std::nullopt;
  }
}

// In one sweep, if the symbol occurs only in sums, products and quotients.
std::optional<LinearForm> plain_linear_form(Arena& arena, Walker& walker, ExprId residual,
                                            SymbolId symbol) {
  const std::span<const ExprId> visited = walker.post_order(arena, residual);
  const std::vector<ExprId> order(visited.begin(), visited.end());
  std::vector<LinearForm> forms(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = arena[order[i]];
    forms[i] = {{}, order[i]};
    if (node.op == Op::Symbol && SymbolId(node.a) == symbol)
      forms[i] = {arena.constant(1.0), arena.constant(0.0)};
    const std::uint32_t arguments[] = {node.a, node.b, node.c};
    bool contains = false;
    for (int k = 0; k < arity(node.op); ++k)
      contains = contains || !forms[walker.position(ExprId(arguments[k]))].coefficient.is_none();
    if (!contains) continue;
    const LinearForm& first = forms[walker.position(ExprId(node.a))];
    const std::optional<LinearForm> form = combined(
        arena, node.op, first, arity(node.op) > 1 ? forms[walker.position(ExprId(node.b))] : first);
    if (!form) return std::nullopt;
    forms[i] = *form;
  }
  if (forms.back().coefficient.is_none()) return std::nullopt;
  return forms.back();
}

}  // namespace

std::optional<LinearForm> linear_form(Arena& arena, Walker& walker, ExprId residual,
                                      SymbolId symbol) {
  if (const std::optional<LinearForm> plain = plain_linear_form(arena, walker, residual, symbol)) {
    const bool is_absent = arena.is_constant(plain->coefficient, 0.0);  // x - x
    return is_absent ? std::nullopt : plain;
  }
  const Active this_one = [symbol](SymbolId other) { return other == symbol; };
  if (has_jump(arena, walker, residual, this_one)) return std::nullopt;
  const std::vector<Partial> partials = gradient(arena, walker, residual, this_one);
  if (partials.empty() || depends_on(arena, walker, partials.front().value, this_one))
    return std::nullopt;
  const ExprId zero = arena.constant(0.0);
  const auto without_it = [&](const Node& node, ExprId) {
    return node.op == Op::Symbol && SymbolId(node.a) == symbol ? zero : ExprId{};
  };
  const ExprId rest =
      rebuilt(arena, walker, std::span<const ExprId>(&residual, 1), without_it, derived).front();
  return LinearForm{partials.front().value, rest};
}

}  // namespace daedalus::expr
