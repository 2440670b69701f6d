#include "steps/series.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::steps {

using expr::ExprId;
using expr::Op;

namespace {

// Beyond this an integer exponent is treated like any other number, which needs a base other than
// 0.
constexpr double most_products = 1024.0;

bool is_whole(double value) { return value == std::floor(value); }

}  // namespace

void Series::move(SymbolId id) { place({.id = writer_.arena().symbol(id)}); }

void Series::define(SymbolId id, ExprId value) {
  if (index(id) >= defined_.size()) defined_.resize(index(id) + 1);
  defined_[index(id)] = value;
}

void Series::forbid(SymbolId id) {
  if (index(id) >= is_forbidden_.size()) is_forbidden_.resize(index(id) + 1);
  is_forbidden_[index(id)] = true;
}

std::uint32_t Series::item_of(ExprId id) const {
  return index(id) < places_.size() ? places_[index(id)] : none;
}

std::uint32_t Series::place(Item item) {
  const auto number = static_cast<std::uint32_t>(items_.size());
  if (!item.id.is_none()) {
    if (index(item.id) >= places_.size()) places_.resize(writer_.arena().size(), none);
    places_[index(item.id)] = number;
  }
  items_.push_back(std::move(item));
  return number;
}

std::optional<Series::Obstacle> Series::expand(ExprId root) {
  DAEDALUS_CHECK(power_ == 0);
  std::optional<Obstacle> obstacle;
  pending_.assign(1, {root, {}});
  while (!pending_.empty() && !obstacle) {
    const Pending at = pending_.back();
    if (is_placed(at.id) || visit(at, obstacle)) pending_.pop_back();
  }
  return obstacle;
}

// Whether it has been placed; otherwise what it needs comes first.
bool Series::need(ExprId id, const Pending& at) {
  if (is_placed(id)) return false;
  pending_.push_back({id, at.within});
  return true;
}

// Places the expression if all that it needs is placed; otherwise that comes first.
bool Series::visit(const Pending& at, std::optional<Obstacle>& obstacle) {
  const expr::Node node = writer_.arena()[at.id];
  const int arguments = arity(node.op);
  if (node.op == Op::Symbol) return visit_symbol(at, obstacle);
  bool is_waiting = false;
  if (arguments > 0) is_waiting = need(ExprId(node.a), at);
  if (arguments > 1) is_waiting = need(ExprId(node.b), at) || is_waiting;
  if (arguments > 2) is_waiting = need(ExprId(node.c), at) || is_waiting;
  if (is_waiting) return false;
  Item item{.id = at.id, .rule = Rule::Still, .moves = false};
  if (arguments > 0) item.a = item_of(ExprId(node.a));
  if (arguments > 1) item.b = item_of(ExprId(node.b));
  if (arguments > 2) item.c = item_of(ExprId(node.c));
  for (const std::uint32_t argument : {item.a, item.b, item.c})
    item.moves = item.moves || (argument != none && items_[argument].moves);
  if (item.moves) return visit_moving(at, node, obstacle);
  place(std::move(item));
  return true;
}

bool Series::visit_symbol(const Pending& at, std::optional<Obstacle>& obstacle) {
  const SymbolId symbol = writer_.arena().symbol_of(at.id);
  if (index(symbol) < is_forbidden_.size() && is_forbidden_[index(symbol)]) {
    obstacle = {at.id, symbol};
    return false;
  }
  const ExprId value = index(symbol) < defined_.size() ? defined_[index(symbol)] : ExprId{};
  if (value.is_none()) {
    place({.id = at.id, .rule = Rule::Still, .moves = false});
    return true;
  }
  if (!is_placed(value)) {
    pending_.push_back({value, symbol});
    return false;
  }
  const std::uint32_t same = item_of(value);
  place({.id = at.id, .rule = Rule::Same, .a = same, .moves = items_[same].moves});
  return true;
}

// All arguments are placed, and at least one of them moves.
bool Series::visit_moving(const Pending& at, const expr::Node& node,
                          std::optional<Obstacle>& obstacle) {
  const std::uint32_t a = item_of(ExprId(node.a));
  const std::uint32_t b = arity(node.op) > 1 ? item_of(ExprId(node.b)) : none;
  const auto put = [&](Rule rule, std::uint32_t other = none) {
    place({.id = at.id, .rule = rule, .a = a, .b = other});
    return true;
  };
  switch (node.op) {
    case Op::NoEvent:
      return put(Rule::Same);
    case Op::Negate:
      return put(Rule::Negative);
    case Op::Add:
      return put(Rule::Sum, b);
    case Op::Subtract:
      return put(Rule::Difference, b);
    case Op::Multiply:
      return a == b ? put(Rule::Square) : put(Rule::Product, b);
    case Op::Divide:
      return put(Rule::Quotient, b);
    case Op::Power:
      // 1, but only where the exponent is defined: the logarithm of 1 would hide that.
      if (writer_.arena().is_constant(ExprId(node.a), 1.0)) break;
      return visit_power(at, node);
    case Op::If:
      if (items_[a].moves) break;
      if (writer_.arena().negate(ExprId(node.b)) == ExprId(node.c)) return put(Rule::Signed, b);
      place({.id = at.id, .rule = Rule::Choice, .a = a, .b = b, .c = item_of(ExprId(node.c))});
      return true;
    default:
      if (const std::optional<bool> is_there = visit_function(at, node)) return *is_there;
      break;
  }
  obstacle = {at.id, at.within};
  return false;
}

bool Series::has_edge() const {
  return std::ranges::any_of(items_, [](const Item& item) {
    return item.moves &&
           (item.rule == Rule::Root || item.rule == Rule::Power || item.rule == Rule::Integral);
  });
}

// Nothing, where the operation is not smooth.
std::optional<bool> Series::visit_function(const Pending& at, const expr::Node& node) {
  expr::Arena& arena = writer_.arena();
  const ExprId first(node.a), second(node.b);
  const std::uint32_t a = item_of(first);
  const auto put = [&](Rule rule, std::uint32_t other = none, double factor = 1.0) {
    place({.id = at.id, .rule = rule, .a = a, .b = other, .factor = factor});
    return true;
  };
  // A rule with another expression, which is expanded first.
  const auto put_with = [&](Rule rule, ExprId other, double factor = 1.0) {
    return !need(other, at) && put(rule, item_of(other), factor);
  };
  const ExprId one = arena.constant(1.0);
  const auto square_of = [&](ExprId id) { return arena.multiply(id, id); };
  switch (node.op) {
    case Op::Sqrt:
      return put(Rule::Root);
    case Op::Exp: {
      put(Rule::Growth);
      items_.back().b = item_of(at.id);
      return true;
    }
    case Op::Log:
      return put(Rule::Integral, a);
    case Op::Log10: {
      const ExprId natural = arena.make(Op::Log, first);
      if (need(natural, at)) return false;
      place({.id = at.id,
             .rule = Rule::Multiple,
             .a = item_of(natural),
             .factor = 1.0 / std::log(10.0)});
      return true;
    }
    case Op::Sin:
      place_pair(at.id, arena.make(Op::Cos, first), a, -1.0);
      return true;
    case Op::Cos:
      place_pair(arena.make(Op::Sin, first), at.id, a, -1.0);
      return true;
    case Op::Sinh:
      place_pair(at.id, arena.make(Op::Cosh, first), a, 1.0);
      return true;
    case Op::Cosh:
      place_pair(arena.make(Op::Sinh, first), at.id, a, 1.0);
      return true;
    case Op::Tan:
      place_tangent(at.id, a, 1.0);
      return true;
    case Op::Tanh:
      place_tangent(at.id, a, -1.0);
      return true;
    case Op::Atan:
      return put_with(Rule::Integral, arena.add(one, square_of(first)));
    case Op::Asin:
    case Op::Acos:
      return put_with(Rule::Integral, arena.make(Op::Sqrt, arena.subtract(one, square_of(first))),
                      node.op == Op::Asin ? 1.0 : -1.0);
    case Op::Atan2: {
      const ExprId radius = arena.add(square_of(first), square_of(second));
      if (need(radius, at)) return false;
      place({.id = at.id, .rule = Rule::Angle, .a = a, .b = item_of(second), .c = item_of(radius)});
      return true;
    }
    default:
      return std::nullopt;
  }
}

// Products for integers, so that the base may be 0; for an exponent that moves, exp(b log(a)).
bool Series::visit_power(const Pending& at, const expr::Node& node) {
  expr::Arena& arena = writer_.arena();
  const ExprId base(node.a), exponent(node.b);
  const std::uint32_t a = item_of(base), b = item_of(exponent);
  if (items_[b].moves) {
    const ExprId logarithm = arena.multiply(exponent, arena.make(Op::Log, base));
    if (need(logarithm, at)) return false;
    const std::uint32_t made = place({.id = at.id, .rule = Rule::Growth, .a = item_of(logarithm)});
    items_[made].b = made;
    return true;
  }
  if (!arena.is_constant(exponent)) {
    place({.id = at.id, .rule = Rule::Power, .a = a, .b = b});
    return true;
  }
  const double value = arena.constant_value(exponent);
  if (value == 0.5) {
    place({.id = at.id, .rule = Rule::Root, .a = a});
    return true;
  }
  if (!is_whole(value) || value < 2.0 || value > most_products) {
    place({.id = at.id, .rule = Rule::Power, .a = a, .b = b});
    return true;
  }
  const auto lower = [&](double n) { return arena.make(Op::Power, base, arena.constant(n)); };
  const bool is_even = is_whole(0.5 * value);
  const ExprId rest = lower(is_even ? 0.5 * value : value - 1.0);
  if (need(rest, at)) return false;
  if (is_even) {
    place({.id = at.id, .rule = Rule::Square, .a = item_of(rest)});
  } else {
    place({.id = at.id, .rule = Rule::Product, .a = item_of(rest), .b = a});
  }
  return true;
}

// first' = a' second, second' = sign a' first.
void Series::place_pair(ExprId first, ExprId second, std::uint32_t argument, double sign) {
  const std::uint32_t one = place({.id = first, .rule = Rule::Growth, .a = argument});
  const std::uint32_t other =
      place({.id = second, .rule = Rule::Growth, .a = argument, .b = one, .factor = sign});
  items_[one].b = other;
}

// t' = a' (1 + sign t^2).
void Series::place_tangent(ExprId id, std::uint32_t argument, double sign) {
  expr::Arena& arena = writer_.arena();
  const std::uint32_t tangent = place({.id = id, .rule = Rule::Growth, .a = argument});
  const ExprId squared = arena.multiply(id, id), one = arena.constant(1.0);
  const ExprId factor = sign > 0.0 ? arena.add(one, squared) : arena.subtract(one, squared);
  if (!is_placed(one)) place({.id = one, .rule = Rule::Still, .moves = false});
  if (!is_placed(squared)) place({.id = squared, .rule = Rule::Square, .a = tangent});
  if (!is_placed(factor)) {
    place({.id = factor,
           .rule = sign > 0.0 ? Rule::Sum : Rule::Difference,
           .a = item_of(one),
           .b = item_of(squared)});
  }
  items_[tangent].b = item_of(factor);
}

void Series::want(std::span<const ExprId> roots) {
  for (Item& item : items_) item.is_wanted = false;
  std::vector<std::uint32_t> pending;
  for (const ExprId root : roots) pending.push_back(item_of(root));
  while (!pending.empty()) {
    Item& item = items_[pending.back()];
    pending.pop_back();
    if (std::exchange(item.is_wanted, true)) continue;
    if (item.rule == Rule::Solution) {
      const SolvedLoop& loop = loops_[item.a];
      for (const auto* needed : {&loop.unknowns, &loop.residuals, &loop.matrix})
        pending.insert(pending.end(), needed->begin(), needed->end());
      continue;
    }
    for (const std::uint32_t argument : {item.a, item.b, item.c}) {
      if (argument != none) pending.push_back(argument);
    }
  }
}

void Series::give(SymbolId id, Term coefficient) {
  items_[item_of(writer_.arena().symbol(id))].coefficients.push_back(coefficient);
}

void Series::advance() {
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.rule == Rule::Given || !item.is_wanted || (!item.moves && power_ > 0)) continue;
    if (item.rule == Rule::Solution) {
      solve(loops_[item.a]);
    } else {
      add_next(i);
    }
  }
  ++power_;
}

void Series::add_next(std::uint32_t number) {
  const Term value = next(number);
  items_[number].coefficients.push_back(keep(value));
}

Term Series::coefficient(ExprId id, std::size_t power) const {
  const Item& item = items_[item_of(id)];
  if (!item.moves && power > 0) return writer_.constant(0.0);
  return item.coefficients[power];
}

Term Series::scaled(ExprId id, std::size_t power, Term factor) {
  std::uint32_t number = item_of(id);
  while (items_[number].rule == Rule::Same) number = items_[number].a;
  const Item& item = items_[number];
  if (item.rule == Rule::Quotient && !items_[item.b].moves)
    return at(item.a, power) * keep(factor * item.reciprocal);
  if (item.rule == Rule::Product) {
    for (const auto& [still, other] : {std::pair{item.a, item.b}, {item.b, item.a}}) {
      if (!items_[still].moves) return at(other, power) * keep(factor * at(still, 0));
    }
  }
  return at(number, power) * factor;
}

Term Series::keep(Term value) {
  if (value.is_leaf()) return value;
  // A sign costs nothing: sums and products absorb it.
  const expr::Node& node = writer_.arena()[value.id()];
  if (node.op == Op::Negate) return -keep({writer_.arena(), ExprId(node.a)});
  const auto [known, is_new] = kept_.try_emplace(value.id().value);
  if (is_new) known->second = writer_.keep(value);
  return known->second;
}

Term Series::at(std::uint32_t item, std::size_t power) {
  if (!items_[item].moves && power > 0) return zero();
  return items_[item].coefficients[power];
}

Term Series::slope(std::uint32_t item, std::size_t power) {
  if (!items_[item].moves) return zero();
  while (items_[item].slopes.size() <= power) {
    const std::size_t k = items_[item].slopes.size();
    const Term value = static_cast<double>(k) * at(item, k);
    items_[item].slopes.push_back(keep(value));
  }
  return items_[item].slopes[power];
}

Term Series::reciprocal(std::uint32_t number, Term of) {
  Item& item = items_[number];
  if (item.reciprocal.id().is_none()) item.reciprocal = keep(1.0 / of);
  return item.reciprocal;
}

// The operation applied to the values.
Term Series::lowest(const Item& item) {
  expr::Arena& arena = writer_.arena();
  const expr::Node node = arena[item.id];
  const auto value = [&](std::uint32_t id) { return at(item_of(ExprId(id)), 0).id(); };
  const int arguments = arity(node.op);
  if (arguments == 0) return {arena, item.id};
  const ExprId a = value(node.a);
  const ExprId b = arguments > 1 ? value(node.b) : a;
  const ExprId c = arguments > 2 ? value(node.c) : a;
  return {arena, arena.rebuild(node.op, a, b, c)};
}

// From the middle outwards: what is known last is added last. The value itself is computed as
// written: 0 times an undefined value is undefined.
Term Series::product(std::uint32_t a, std::uint32_t b) {
  const std::size_t k = power_;
  if (k == 0) return {writer_.arena(), writer_.arena().multiply(at(a, 0).id(), at(b, 0).id())};
  Term sum = zero();
  for (std::size_t distance = k % 2; distance <= k; distance += 2) {
    const std::size_t low = (k - distance) / 2, high = k - low;
    sum = sum + at(a, low) * at(b, high);
    if (low != high) sum = sum + at(a, high) * at(b, low);
  }
  return sum;
}

// The sum of the products of coefficients from `lowest` on.
Term Series::square(std::uint32_t a, std::size_t lowest) {
  const std::size_t k = power_;
  Term pairs = zero();
  for (std::size_t low = (k + 1) / 2; low-- > lowest;) pairs = pairs + at(a, low) * at(a, k - low);
  Term sum = 2.0 * pairs;
  if (k % 2 == 0 && k / 2 >= lowest) sum = at(a, k / 2) * at(a, k / 2) + sum;
  return sum;
}

// a c' = b a' c, term by term.
Term Series::power(std::uint32_t number) {
  const Item& item = items_[number];
  const std::size_t k = power_;
  const Term exponent = keep(at(item.b, 0) + 1.0);
  Term sum = zero();
  for (std::size_t i = 1; i <= k; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(k);
    const Term weight = share * exponent + (-1.0);
    sum = sum + weight * (at(item.a, i) * at(number, k - i));
  }
  return reciprocal(number, at(item.a, 0)) * sum;
}

// if p then y else (if q then y else z) is if p or q then y else z.
Term Series::choice(const Item& item) {
  const Term yes = at(item.b, power_);
  const Item& other = items_[item.c];
  const bool is_same =
      other.rule == Rule::Choice && other.moves && at(other.b, power_).id() == yes.id();
  if (!is_same) return choose(at(item.a, 0), yes, at(item.c, power_));
  const Term either = keep(at(item.a, 0) || at(other.a, 0));
  return choose(either, yes, at(other.c, power_));
}

Term Series::next(std::uint32_t number) {
  const Item& item = items_[number];
  const std::size_t k = power_;
  const double share = k == 0 ? 0.0 : item.factor / static_cast<double>(k);
  switch (item.rule) {
    case Rule::Unknown:
      return zero();  // until the loop is solved
    case Rule::Given:
    case Rule::Still:
      return lowest(item);
    case Rule::Same:
      return at(item.a, k);
    case Rule::Negative:
      return -at(item.a, k);
    case Rule::Sum:
      return at(item.a, k) + at(item.b, k);
    case Rule::Difference:
      return at(item.a, k) - at(item.b, k);
    case Rule::Product:
      return product(item.a, item.b);
    case Rule::Square:
      return square(item.a, 0);
    case Rule::Choice:
      return choice(item);
    case Rule::Signed: {
      const Term sign = choose(at(item.a, 0), writer_.constant(1.0), writer_.constant(-1.0));
      return keep(sign) * at(item.b, k);
    }
    case Rule::Quotient: {
      if (k == 0 && at(item.a, 0).is_zero()) return lowest(item);
      const Term factor = reciprocal(number, at(item.b, 0));
      Term sum = zero();
      for (std::size_t i = k; i > 0; --i) sum = sum + at(item.b, i) * at(number, k - i);
      return (at(item.a, k) - sum) * factor;
    }
    default:
      break;
  }
  if (k == 0) return lowest(item);
  switch (item.rule) {
    case Rule::Multiple:
      return item.factor * at(item.a, k);
    case Rule::Power:
      return power(number);
    case Rule::Root: {
      const Term factor = reciprocal(number, 2.0 * at(number, 0));
      return (at(item.a, k) - square(number, 1)) * factor;
    }
    case Rule::Growth: {
      Term sum = zero();
      for (std::size_t i = k; i > 0; --i) sum = sum + slope(item.a, i) * at(item.b, k - i);
      return share * sum;
    }
    case Rule::Integral: {
      const Term factor = reciprocal(number, at(item.b, 0));
      Term sum = zero();
      for (std::size_t i = 1; i < k; ++i) sum = sum + slope(number, i) * at(item.b, k - i);
      return (item.factor * at(item.a, k) - (1.0 / static_cast<double>(k)) * sum) * factor;
    }
    case Rule::Angle: {
      const Term factor = reciprocal(number, at(item.c, 0));
      Term sum = zero();
      for (std::size_t i = 1; i <= k; ++i) {
        sum = sum + slope(item.a, i) * at(item.b, k - i) - slope(item.b, i) * at(item.a, k - i);
        if (i < k) sum = sum - slope(number, i) * at(item.c, k - i);
      }
      return (share * sum) * factor;
    }
    default:
      break;
  }
  return zero();
}

}  // namespace daedalus::steps
