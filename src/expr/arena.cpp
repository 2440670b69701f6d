#include "daedalus/expr/arena.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/expr/number.hpp"

namespace daedalus::expr {
namespace {

constexpr std::uint32_t no_node = ~std::uint32_t{0};

std::uint64_t mix(std::uint64_t x) {  // Steele, Lea, Flood 2014 (SplitMix64)
  x ^= x >> 30U;
  x *= 0xBF58476D1CE4E5B9ULL;
  x ^= x >> 27U;
  x *= 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

std::uint64_t hash(const Node& node) {
  const std::uint64_t first = (std::uint64_t{node.a} << 32U) | node.b;
  const std::uint64_t second = (std::uint64_t{node.c} << 8U) | static_cast<std::uint64_t>(node.op);
  return mix(first + 0x9E3779B97F4A7C15ULL * (second + 1));
}

std::uint64_t hash(double value) { return mix(std::bit_cast<std::uint64_t>(value) + 0x51ULL); }

// An expression under guards: if c1 then (if c2 then inner else 0) else 0. Chains are followed only
// this far: moving something to the end of a chain copies the chain, and a long list of `elseif`
// would take quadratic time.
struct GuardChain {
  struct Guard {
    ExprId condition;
    bool yes;  // the branch that continues; the other one is 0
  };
  static constexpr std::size_t longest = 32;
  std::array<Guard, longest> guards;
  std::size_t length = 0;
  ExprId inner;
  bool whole = true;
};

bool is_guard(const Arena& arena, ExprId id) {
  const Node& node = arena[id];
  return node.op == Op::If &&
         (arena.is_constant(ExprId(node.b), 0.0) || arena.is_constant(ExprId(node.c), 0.0));
}

GuardChain guard_chain(const Arena& arena, ExprId id) {
  GuardChain chain;
  for (; is_guard(arena, id) && chain.length < GuardChain::longest; ++chain.length) {
    const Node& node = arena[id];
    const bool yes = arena.is_constant(ExprId(node.c), 0.0);
    chain.guards[chain.length] = {ExprId(node.a), yes};
    id = ExprId(yes ? node.b : node.c);
  }
  chain.inner = id;
  chain.whole = !is_guard(arena, id);
  return chain;
}

ExprId put_under_guards(Arena& arena, const GuardChain& chain, ExprId inner) {
  const ExprId zero = arena.constant(0.0);
  for (std::size_t i = chain.length; i-- > 0;) {
    const auto& [condition, yes] = chain.guards[i];
    inner = arena.choose(condition, yes ? inner : zero, yes ? zero : inner);
  }
  return inner;
}

}  // namespace

Arena::Arena() : table_(64, Slot{no_node, 0}) {}

// Before a node is added: keeps at least a third of the table free.
void Arena::make_room() {
  if ((interned_ + 1) * 3 <= table_.size() * 2) return;
  std::vector<Slot> old(table_.size() * 2, Slot{no_node, 0});
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.node == no_node) continue;
    std::size_t place = slot.hash & mask;
    while (table_[place].node != no_node) place = (place + 1) & mask;
    table_[place] = slot;
  }
}

// Grows by half: most of the memory of a large model is here.
std::uint32_t Arena::append(const Node& node) {
  DAEDALUS_CHECK(nodes_.size() < no_node);
  if (nodes_.size() == nodes_.capacity()) nodes_.reserve(nodes_.size() + nodes_.size() / 2 + 16);
  nodes_.push_back(node);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

ExprId Arena::intern(const Node& node) {
  make_room();
  const std::size_t mask = table_.size() - 1;
  const auto key = static_cast<std::uint32_t>(hash(node));
  std::size_t place = key & mask;
  for (; table_[place].node != no_node; place = (place + 1) & mask) {
    const Slot& slot = table_[place];
    if (slot.hash == key && nodes_[slot.node] == node) return ExprId(slot.node);
  }
  table_[place] = {append(node), key};
  nodes_.back().is_total = has_total_value(node);
  nodes_.back().is_held = is_held_truth(node);
  ++interned_;
  return ExprId(nodes_.size() - 1);
}

bool Arena::is_held_truth(const Node& node) const {
  if (node.op == Op::IsTrue) return true;
  if (!is_truth(node.op) || is_relation(node.op)) return false;
  return nodes_[node.a].is_held && (arity(node.op) < 2 || nodes_[node.b].is_held);
}

bool Arena::has_total_value(const Node& node) const {
  const Operation& row = operation(node.op);
  const ExprId a(node.a), b(node.b), c(node.c);
  if (row.domain == Domain::Part || !is_total(a)) return false;
  if (row.domain == Domain::All)
    return (row.arity < 2 || is_total(b)) && (row.arity < 3 || is_total(c));
  if (!is_constant(b)) return false;
  const double value = constant_value(b);
  if (row.domain == Domain::NonzeroDivisor) return value != 0.0;
  return value >= 0.0 && value == std::floor(value);
}

ExprId Arena::constant(double value) { return intern_constant(value, 0); }

ExprId Arena::constant(const Number& value) { return intern_constant(value.value, value.rest()); }

Number Arena::exact_value(ExprId constant) const {
  const Node& node = (*this)[constant];
  const std::int64_t rest = static_cast<std::int32_t>(node.b);
  const Number nearest = Number::of(constants_[node.a]);
  if (rest == 0) return nearest;
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return Number::of(nearest.is_whole ? nearest.whole + rest : largest + (rest + 1));
}

ExprId Arena::intern_constant(double value, std::int64_t rest) {
  if (value == 0.0) value = 0.0;  // one zero: -0 folds to 0
  make_room();
  const std::size_t mask = table_.size() - 1;
  const auto key = static_cast<std::uint32_t>(hash(value));
  const auto low = static_cast<std::uint32_t>(rest);
  std::size_t place = key & mask;
  for (; table_[place].node != no_node; place = (place + 1) & mask) {
    if (table_[place].hash != key) continue;
    const Node& node = nodes_[table_[place].node];
    const bool same =
        node.op == Op::Constant && node.b == low &&
        std::bit_cast<std::uint64_t>(constants_[node.a]) == std::bit_cast<std::uint64_t>(value);
    if (same) return ExprId(table_[place].node);
  }
  table_[place] = {append({.op = Op::Constant,
                           .is_total = std::isfinite(value),
                           .a = static_cast<std::uint32_t>(constants_.size()),
                           .b = low}),
                   key};
  ++interned_;
  constants_.push_back(value);
  return ExprId(nodes_.size() - 1);
}

// Symbols are looked up often: they have a table of their own.
ExprId Arena::symbol(SymbolId id) {
  if (index(id) >= symbol_nodes_.size()) symbol_nodes_.resize(index(id) + 1, no_node);
  std::uint32_t& node = symbol_nodes_[index(id)];
  if (node == no_node) node = append({.op = Op::Symbol, .is_total = true, .a = id.value});
  return ExprId(node);
}

ExprId Arena::stand_in(SymbolId id, ExprId value) {
  const ExprId made = symbol(id);
  nodes_[index(made)].is_total = is_total(value);
  nodes_[index(made)].is_held = (*this)[value].is_held;
  return made;
}

void Arena::hold(SymbolId id) { nodes_[index(symbol(id))].is_held = true; }

ExprId Arena::find_symbol(SymbolId id) const {
  if (index(id) >= symbol_nodes_.size() || symbol_nodes_[index(id)] == no_node) return {};
  return ExprId(symbol_nodes_[index(id)]);
}

ExprId Arena::make(Op op, ExprId a) {
  if (is_constant(a)) {
    const Number folded = apply_exactly(op, exact_value(a));
    const bool is_defined = op != Op::Whole || folded.is_exact_double();
    if (is_defined && std::isfinite(folded.value)) return constant(folded);
  }
  return simplified_unary(op, a);
}

ExprId Arena::make(Op op, ExprId a, ExprId b) {
  if (is_constant(a) && is_constant(b)) {
    const Number folded = apply_exactly(op, exact_value(a), exact_value(b));
    if (std::isfinite(folded.value)) return constant(folded);
  }
  switch (op) {
    case Op::Add:
      return simplified_sum(a, b);
    case Op::Subtract:
      return simplified_difference(a, b);
    case Op::Multiply:
      return simplified_product(a, b);
    case Op::Divide:
      return simplified_quotient(a, b);
    case Op::Power:
      return simplified_power(a, b);
    case Op::And:
      if (is_constant(a)) return constant_value(a) != 0.0 ? b : a;
      if (is_constant(b)) return constant_value(b) != 0.0 ? a : b;
      return intern({op, false, false, a.value, b.value});
    case Op::Or:
      if (is_constant(a)) return constant_value(a) != 0.0 ? a : b;
      if (is_constant(b)) return constant_value(b) != 0.0 ? b : a;
      return intern({op, false, false, a.value, b.value});
    default:
      return intern({op, false, false, a.value, b.value});
  }
}

ExprId Arena::choose(ExprId condition, ExprId yes, ExprId no) {
  if (is_constant(condition)) return constant_value(condition) != 0.0 ? yes : no;
  if (yes == no && is_total(condition)) return yes;
  return intern({Op::If, false, false, condition.value, yes.value, no.value});
}

ExprId Arena::rebuild(Op op, ExprId a, ExprId b, ExprId c) {
  switch (arity(op)) {
    case 1:
      return make(op, a);
    case 2:
      return make(op, a, b);
    default:
      return choose(a, b, c);
  }
}

ExprId Arena::simplified_unary(Op op, ExprId a) {
  const Node node = (*this)[a];
  if (op == node.op && (op == Op::Negate || op == Op::Not)) return ExprId(node.a);
  if (op == node.op && (op == Op::IsTrue || op == Op::Whole)) return a;
  const bool has_no_event = node.op == Op::Symbol || node.op == Op::NoEvent;
  if (op == Op::NoEvent && has_no_event) return a;
  if (op == Op::Negate && node.op == Op::Subtract) return subtract(ExprId(node.b), ExprId(node.a));
  if (op == Op::Negate && is_guard(*this, a)) {
    const GuardChain chain = guard_chain(*this, a);
    if (chain.whole) return put_under_guards(*this, chain, negate(chain.inner));
  }
  return intern({op, false, false, a.value});
}

ExprId Arena::simplified_sum(ExprId a, ExprId b) {
  if (is_constant(a, 0.0)) return b;
  if (is_constant(b, 0.0)) return a;
  const Node left = (*this)[a], right = (*this)[b];
  if (right.op == Op::Negate) return subtract(a, ExprId(right.a));
  if (left.op == Op::Negate) return subtract(b, ExprId(left.a));
  return intern({Op::Add, false, false, a.value, b.value});
}

ExprId Arena::simplified_difference(ExprId a, ExprId b) {
  if (a == b && is_total(a)) return constant(0.0);
  if (is_constant(b, 0.0)) return a;
  if (is_constant(a, 0.0)) return negate(b);
  const Node right = (*this)[b];
  if (right.op == Op::Negate) return add(a, ExprId(right.a));
  return intern({Op::Subtract, false, false, a.value, b.value});
}

ExprId Arena::derived_product(ExprId a, ExprId b) {
  if (is_constant(a, 0.0) || is_constant(b, 0.0)) return constant(0.0);
  if (is_guard(*this, a)) return inside_guard(Op::Multiply, a, b, Guarded::First);
  if (is_guard(*this, b)) return inside_guard(Op::Multiply, b, a, Guarded::Second);
  return multiply(a, b);
}

ExprId Arena::derived_quotient(ExprId a, ExprId b) {
  if (is_constant(a, 0.0) && !is_constant(b, 0.0)) return a;
  if (is_guard(*this, a)) return inside_guard(Op::Divide, a, b, Guarded::First);
  return divide(a, b);
}

ExprId Arena::simplified_product(ExprId a, ExprId b) {
  const bool has_zero = is_constant(a, 0.0) || is_constant(b, 0.0);
  if (has_zero && is_total(a) && is_total(b)) return constant(0.0);
  if (is_constant(a, 1.0)) return b;
  if (is_constant(b, 1.0)) return a;
  if (is_constant(a, -1.0)) return negate(b);
  if (is_constant(b, -1.0)) return negate(a);
  const Node left = (*this)[a], right = (*this)[b];
  if (left.op == Op::Negate && right.op == Op::Negate)
    return multiply(ExprId(left.a), ExprId(right.a));
  if (left.op == Op::Negate) return negate(multiply(ExprId(left.a), b));
  if (right.op == Op::Negate) return negate(multiply(a, ExprId(right.a)));
  return intern({Op::Multiply, false, false, a.value, b.value});
}

ExprId Arena::simplified_quotient(ExprId a, ExprId b) {
  if (is_constant(b, 1.0)) return a;
  if (is_constant(b, -1.0)) return negate(a);
  const Node left = (*this)[a], right = (*this)[b];
  if (left.op == Op::Negate && right.op == Op::Negate)
    return divide(ExprId(left.a), ExprId(right.a));
  if (left.op == Op::Negate) return negate(divide(ExprId(left.a), b));
  if (right.op == Op::Negate) return negate(divide(a, ExprId(right.a)));
  return intern({Op::Divide, false, false, a.value, b.value});
}

ExprId Arena::simplified_power(ExprId a, ExprId b) {
  if (is_constant(b, 1.0)) return a;
  const bool is_one = is_constant(b, 0.0) || is_constant(a, 1.0);
  if (is_one && is_total(a) && is_total(b)) return constant(1.0);
  return intern({Op::Power, false, false, a.value, b.value});
}

// A factor of a guarded zero moves under the guard: where the branch is not taken the factor may be
// infinite, and 0 * inf must not appear.
ExprId Arena::inside_guard(Op op, ExprId guarded, ExprId other, Guarded place) {
  const GuardChain chain = guard_chain(*this, guarded);
  if (chain.whole) {
    const ExprId a = place == Guarded::First ? chain.inner : other;
    const ExprId b = place == Guarded::First ? other : chain.inner;
    const ExprId inner = op == Op::Multiply ? derived_product(a, b) : derived_quotient(a, b);
    return put_under_guards(*this, chain, inner);
  }
  const ExprId zero = constant(0.0);
  const ExprId plain = place == Guarded::First
                           ? intern({op, false, false, guarded.value, other.value})
                           : intern({op, false, false, other.value, guarded.value});
  return choose(make(Op::Equal, guarded, zero), zero, plain);
}

std::span<const ExprId> Walker::post_order(const Arena& arena, ExprId root) {
  return post_order(arena, std::span<const ExprId>(&root, 1));
}

std::span<const ExprId> Walker::post_order(const Arena& arena, std::span<const ExprId> roots) {
  stamps_.resize(arena.size(), 0);
  positions_.resize(arena.size(), 0);
  ++stamp_;
  order_.clear();
  for (const ExprId root : roots) {
    if (stamps_[index(root)] == stamp_) continue;
    stamps_[index(root)] = stamp_;
    stack_.push_back({root, 0});
    while (!stack_.empty()) {
      auto& [id, next] = stack_.back();
      const Node& node = arena[id];
      if (next == arity(node.op)) {
        positions_[index(id)] = static_cast<std::uint32_t>(order_.size());
        order_.push_back(id);
        stack_.pop_back();
        continue;
      }
      const ExprId child(next == 0 ? node.a : (next == 1 ? node.b : node.c));
      ++next;
      if (stamps_[index(child)] == stamp_) continue;
      stamps_[index(child)] = stamp_;
      stack_.push_back({child, 0});
    }
  }
  return order_;
}

std::vector<SymbolId> Walker::symbols(const Arena& arena, std::span<const ExprId> roots) {
  std::vector<SymbolId> found;
  for (const ExprId id : post_order(arena, roots)) {
    if (arena.is_symbol(id)) found.push_back(arena.symbol_of(id));
  }
  return found;
}

}  // namespace daedalus::expr
