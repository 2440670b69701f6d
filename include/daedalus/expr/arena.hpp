// Expressions: indices into an arena of hash-consed nodes. Equal expressions are the same node, and
// a node's arguments have smaller indices than the node, so that passes are loops and never
// recurse.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/index.hpp"
#include "daedalus/expr/operations.hpp"

namespace daedalus::expr {

using ExprId = Index<struct ExprTag>;
using SymbolId = Index<struct SymbolTag>;  // the owner of the arena says what a symbol stands for

struct Number;  // number.hpp

struct Node {
  Op op = Op::Constant;
  bool is_total = false;  // defined whatever real values the symbols have
  bool is_held = false;   // never NaN while anything reads it: some symbols, truths made of them
  std::uint32_t a = 0, b = 0,
                c = 0;  // arguments; for a constant its place in the table and the Integer less the
                        // double there, for a symbol its id

  friend bool operator==(const Node& x, const Node& y) {  // the rest follows from these
    return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c;
  }
};

class Arena {
 public:
  Arena();

  // Each does the simplifications that are certain: constants fold when the result is finite,
  // neutral elements vanish. What may be undefined stays: 0 * log(x) is not 0 where x is negative.
  ExprId constant(double value);
  ExprId constant(const Number& value);  // exact, also beyond 2^53
  ExprId symbol(SymbolId id);
  ExprId stand_in(SymbolId id, ExprId value);  // a new symbol, defined as the value it will have
  void hold(SymbolId id);                      // declares it never NaN while anything reads it
  ExprId make(Op op, ExprId a);
  ExprId make(Op op, ExprId a, ExprId b);
  ExprId choose(ExprId condition, ExprId yes, ExprId no);  // if condition then yes else no

  ExprId add(ExprId a, ExprId b) { return make(Op::Add, a, b); }
  ExprId subtract(ExprId a, ExprId b) { return make(Op::Subtract, a, b); }
  ExprId multiply(ExprId a, ExprId b) { return make(Op::Multiply, a, b); }
  ExprId divide(ExprId a, ExprId b) { return make(Op::Divide, a, b); }
  ExprId negate(ExprId a) { return make(Op::Negate, a); }

  // For derivatives and formulas of our own: a factor 0 removes the other factor, whatever that is,
  // even where it is 0 only in the branch that is not taken.
  ExprId derived_product(ExprId a, ExprId b);
  ExprId derived_quotient(ExprId a, ExprId b);

  // The same operation on other arguments (as many as its arity), simplified.
  ExprId rebuild(Op op, ExprId a, ExprId b, ExprId c);

  const Node& operator[](ExprId id) const { return nodes_[index(id)]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_constant(ExprId id) const { return (*this)[id].op == Op::Constant; }
  bool is_constant(ExprId id, double value) const {
    return is_constant(id) && constant_value(id) == value;
  }
  bool is_symbol(ExprId id) const { return (*this)[id].op == Op::Symbol; }
  double constant_value(ExprId id) const { return constants_[(*this)[id].a]; }
  Number exact_value(ExprId constant) const;
  SymbolId symbol_of(ExprId id) const { return SymbolId((*this)[id].a); }
  ExprId find_symbol(SymbolId id) const;  // as an expression; none if there is none yet

  // All of it, to be kept and restored (base/archive.hpp).
  template <class Archive>
  friend void archive(Archive& a, Arena& arena) {
    a(arena.nodes_, arena.interned_, arena.constants_, arena.table_, arena.symbol_nodes_);
  }

 private:
  ExprId intern(const Node& node);
  ExprId intern_constant(double value, std::int64_t rest);
  bool is_total(ExprId id) const { return (*this)[id].is_total; }
  bool has_total_value(const Node& node) const;
  bool is_held_truth(const Node& node) const;
  ExprId simplified_unary(Op op, ExprId a);
  ExprId simplified_sum(ExprId a, ExprId b);
  ExprId simplified_difference(ExprId a, ExprId b);
  ExprId simplified_product(ExprId a, ExprId b);
  ExprId simplified_quotient(ExprId a, ExprId b);
  ExprId simplified_power(ExprId a, ExprId b);
  enum class Guarded {
    First,
    Second
  };  // which operand is: if c then x else 0, or the other way round
  ExprId inside_guard(Op op, ExprId guarded, ExprId other, Guarded place);
  void make_room();
  std::uint32_t append(const Node& node);

  std::vector<Node> nodes_;
  std::size_t interned_ = 0;  // number of nodes in the table: all but symbols
  std::vector<double> constants_;
  struct Slot {
    std::uint32_t node;
    std::uint32_t hash;  // rules out most other nodes without looking at them
  };
  std::vector<Slot> table_;                  // open addressing
  std::vector<std::uint32_t> symbol_nodes_;  // of symbols, by index
};

// Visits the nodes of an expression. Keeps its marks between calls: the cost of a visit is the size
// of what it reaches, not that of the arena.
class Walker {
 public:
  // The nodes under the roots, each once, arguments before what uses them. Valid until the next
  // call.
  std::span<const ExprId> post_order(const Arena& arena, std::span<const ExprId> roots);
  std::span<const ExprId> post_order(const Arena& arena, ExprId root);

  // The place of a visited node in the last order.
  std::size_t position(ExprId id) const { return positions_[index(id)]; }

  // The symbols under the roots in order of first appearance.
  std::vector<SymbolId> symbols(const Arena& arena, std::span<const ExprId> roots);

 private:
  std::vector<std::uint32_t> stamps_, positions_;
  std::vector<ExprId> order_;
  std::vector<std::pair<ExprId, int>> stack_;
  std::uint32_t stamp_ = 0;
};

// The time to compute the node from its arguments, in nanoseconds.
double cost(const Arena& arena, const Node& node);

using Names = std::vector<std::string>;  // of symbols, by index

// The expression in the language's notation; text longer than `limit` characters is cut with "...".
std::string to_string(const Arena& arena, ExprId root, const Names& names,
                      std::size_t limit = 100'000);

}  // namespace daedalus::expr
