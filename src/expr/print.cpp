// Expressions as text.
#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "daedalus/expr/number.hpp"

namespace daedalus::expr {
namespace {

// A signed number binds like its sign.
Binding binding(const Arena& arena, ExprId id) {
  const bool has_sign = arena.is_constant(id) && std::signbit(arena.constant_value(id));
  return has_sign ? Binding::Sum : operation(arena[id].op).binding;
}

Binding next(Binding binding) { return static_cast<Binding>(static_cast<int>(binding) + 1); }

struct Term {
  ExprId id;
  Binding least;  // put in parentheses if it binds less than this
};

using Piece = std::variant<Term, std::string_view>;

// The pieces of a node in reverse order, as a stack wants them.
void push_pieces(const Arena& arena, ExprId id, std::vector<Piece>& stack) {
  const Node& node = arena[id];
  const ExprId a(node.a), b(node.b), c(node.c);
  const Operation& row = operation(node.op);
  const Binding own = row.binding;
  if (own == Binding::Choice) {
    stack.insert(stack.end(),
                 {Term{c, own}, " else ", Term{b, next(own)}, " then ", Term{a, next(own)}, "if "});
  } else if (own >= Binding::Call) {
    stack.emplace_back(")");
    if (row.arity == 2) stack.insert(stack.end(), {Term{b, Binding::Choice}, ", "});
    stack.insert(stack.end(), {Term{a, Binding::Choice}, "(", row.name});
  } else if (row.arity == 1) {
    stack.insert(stack.end(), {Term{a, next(own)}, own == Binding::Not ? " " : "", row.name});
  } else {
    const std::string_view space = own == Binding::Power ? "" : " ";
    stack.insert(stack.end(), {Term{b, next(own)}, space, row.name, space,
                               Term{a, chains(own) ? own : next(own)}});
  }
}

}  // namespace

std::string to_string(const Arena& arena, ExprId root, const Names& names, std::size_t limit) {
  std::string text;
  std::vector<Piece> stack = {Term{root, Binding::Choice}};
  while (!stack.empty()) {
    if (text.size() > limit) return text.substr(0, limit) + "...";
    const Piece piece = stack.back();
    stack.pop_back();
    if (const auto* literal = std::get_if<std::string_view>(&piece)) {
      text += *literal;
      continue;
    }
    Term term = std::get<Term>(piece);
    while (arena[term.id].op == Op::Whole) term.id = ExprId(arena[term.id].a);
    const Node& node = arena[term.id];
    const bool parentheses = binding(arena, term.id) < term.least;
    if (parentheses) text += '(';
    if (parentheses) stack.emplace_back(")");
    if (node.op == Op::Constant) {
      const Number value = arena.exact_value(term.id);
      text += value.rest() != 0 ? fmt::format("{}", value.whole) : fmt::format("{}", value.value);
    } else if (node.op == Op::Symbol) {
      text += names[node.a];
    } else {
      push_pieces(arena, term.id, stack);
    }
  }
  return text;
}

}  // namespace daedalus::expr
