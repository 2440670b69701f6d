// Expressions as text.
#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "daedalus/expr/number.hpp"

namespace daedalus::expr {
namespace {

// How tightly an operation binds, from the grammar of the language; an argument that binds less
// needs parentheses.
int precedence(const Arena& arena, ExprId id) {
  const Node& node = arena[id];
  switch (node.op) {
    case Op::If:
      return 0;
    case Op::Or:
      return 1;
    case Op::And:
      return 2;
    case Op::Not:
      return 3;
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::Equal:
    case Op::NotEqual:
      return 4;
    case Op::Add:
    case Op::Subtract:
    case Op::Negate:
      return 5;
    case Op::Multiply:
    case Op::Divide:
      return 6;
    case Op::Power:
      return 7;
    case Op::Constant:
      return std::signbit(arena.constant_value(id)) ? 5 : 8;
    default:
      return 8;
  }
}

struct Term {
  ExprId id;
  int least;  // put in parentheses if it binds less than this
};

using Piece = std::variant<Term, std::string_view>;

// The pieces of a node in reverse order, as a stack wants them.
void push_pieces(const Arena& arena, ExprId id, std::vector<Piece>& stack) {
  const Node& node = arena[id];
  const ExprId a(node.a), b(node.b), c(node.c);
  const int own = precedence(arena, id);
  switch (node.op) {
    case Op::Negate:
      stack.insert(stack.end(), {Term{a, 6}, "-"});
      return;
    case Op::Not:
      stack.insert(stack.end(), {Term{a, 4}, "not "});
      return;
    case Op::If:
      stack.insert(stack.end(), {Term{c, 0}, " else ", Term{b, 1}, " then ", Term{a, 1}, "if "});
      return;
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Or:
    case Op::And:
      stack.insert(stack.end(), {Term{b, own + 1}, " ", op_name(node.op), " ", Term{a, own}});
      return;
    case Op::Power:
      stack.insert(stack.end(), {Term{b, 8}, "^", Term{a, 8}});
      return;
    default:
      break;
  }
  if (is_relation(node.op)) {
    stack.insert(stack.end(), {Term{b, 5}, " ", op_name(node.op), " ", Term{a, 5}});
    return;
  }
  stack.emplace_back(")");
  if (arity(node.op) == 2) stack.insert(stack.end(), {Term{b, 0}, ", "});
  stack.insert(stack.end(), {Term{a, 0}, "(", op_name(node.op)});
}

}  // namespace

std::string to_string(const Arena& arena, ExprId root, const Names& names, std::size_t limit) {
  std::string text;
  std::vector<Piece> stack = {Term{root, 0}};
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
    const bool parentheses = precedence(arena, term.id) < term.least;
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
