#include "modelica/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace daedalus::modelica {
namespace {

using expr::Binding;
using expr::Op;

// With a dot before it, arithmetic is done element by element.
const expr::Operation* find_operator(const Token& token) {
  if (token.kind != TokenKind::Symbol && token.kind != TokenKind::Keyword) return nullptr;
  const bool has_dot = token.text.size() > 1 && token.text.starts_with('.');
  const std::string_view name = has_dot ? token.text.substr(1) : token.text;
  const Binding least = has_dot ? Binding::Sum : Binding::Or;
  const auto found = std::ranges::find_if(expr::operations, [&](const expr::Operation& row) {
    return row.arity == 2 && row.binding >= least && row.binding < Binding::Call &&
           row.name == name;
  });
  return found == expr::operations.end() ? nullptr : &*found;
}

enum class FrameKind {
  Base,
  Binary,
  Unary,
  Range,
  Parenthesis,
  Call,
  Subscript,
  Brace,
  Bracket,
  Condition,
  Then,
  Else
};

struct Frame {
  FrameKind kind = FrameKind::Base;
  Span span;             // where it was opened
  Op op = Op::Constant;  // of Binary and Unary
  Binding binding = Binding::Choice;
  std::size_t operands = 0;  // how many were on the stack when it was opened
  std::string_view name = {};
  bool elementwise = false;        // of Binary
  std::size_t position = 0;        // of Subscript: which one; of Range: how many colons
  std::size_t row = 0;             // of Bracket: where the row's operands begin
  NodeId body = {};                // of what an iterator may repeat: the preceding node
  std::size_t first_iterator = 0;  // in the parser's list
  bool iterating = false;          // after the word `for`
};

constexpr std::array<std::string_view, 4> reductions = {"sum", "product", "min", "max"};
constexpr std::array<std::string_view, 4> functions_of_variables = {"pre", "edge", "change",
                                                                    "reinit"};

std::string_view closing(FrameKind kind) {
  switch (kind) {
    case FrameKind::Subscript:
    case FrameKind::Bracket:
      return "]";
    case FrameKind::Brace:
      return "}";
    default:
      return ")";
  }
}

class ExpressionParser {
 public:
  ExpressionParser(Cursor& cursor, SyntaxTree& tree, Diagnostics& diagnostics, Ending ending)
      : cursor_(cursor), tree_(tree), diagnostics_(diagnostics), ending_(ending) {}

  std::optional<Expression> run() {
    const std::size_t first = tree_.nodes.size();
    frames_.push_back({FrameKind::Base, cursor_.now().span});
    while (!done_) {
      if (!(wants_operand_ ? read_operand() : read_operator())) return std::nullopt;
    }
    const NodeId root = operands_.back();
    return Expression{NodeId(first), root, tree_[root].span};
  }

 private:
  bool fail(std::string_view code, Span span, std::string message, std::string hint = {}) {
    diagnostics_.error(std::string(code), span, std::move(message)).hint = std::move(hint);
    return false;
  }

  bool unsupported(Span span, std::string_view what, std::string hint = {}) {
    return fail("unsupported.expression", span, fmt::format("{} are not supported yet", what),
                std::move(hint));
  }

  bool at_boundary() const {
    const FrameKind kind = frames_.back().kind;
    return kind != FrameKind::Binary && kind != FrameKind::Unary && kind != FrameKind::Range;
  }

  bool read_operand() {
    const Token& token = cursor_.now();
    switch (token.kind) {
      case TokenKind::Integer:
        return literal(NodeKind::Integer, token.number);
      case TokenKind::Real:
        return literal(NodeKind::Real, token.number);
      case TokenKind::String:
        return literal(NodeKind::String, 0.0);
      case TokenKind::Identifier:
        return name_or_call();
      default:
        break;
    }
    if (token.is("true")) return literal(NodeKind::Boolean, 1.0);
    if (token.is("false")) return literal(NodeKind::Boolean, 0.0);
    if (token.is("der") || token.is("initial")) return name_or_call();
    if (token.is("(")) return open({FrameKind::Parenthesis, token.span});
    if (token.is("-") || token.is("+")) return sign(token);
    if (token.is("not")) return negation(token);
    if (token.is("if")) return condition(token);
    if (token.is("{")) return open_repeatable({FrameKind::Brace, token.span});
    if (token.is("[")) {
      Frame frame{FrameKind::Bracket, token.span};
      frame.row = operands_.size();
      return open(frame);
    }
    if (token.is(":") && frames_.back().kind == FrameKind::Subscript)
      return literal(NodeKind::Colon, 0.0);
    if (token.is("end") && !subscripts_.empty()) return end_of_dimension(token);
    if (token.is(")") && frames_.back().kind == FrameKind::Call) return close(token);
    if (token.kind == TokenKind::Keyword) {
      return fail("syntax.expected-expression", token.span,
                  fmt::format("expected an expression, found {}", describe(token)),
                  fmt::format("`{}` is a keyword; it cannot be a name", token.text));
    }
    return fail("syntax.expected-expression", token.span,
                fmt::format("expected an expression, found {}", describe(token)));
  }

  bool open(Frame frame) {
    frame.operands = operands_.size();
    frames_.push_back(frame);
    cursor_.advance();
    return true;
  }

  // { ... } and sum( ... ), where `for` may follow what is repeated.
  bool open_repeatable(Frame frame) {
    tree_.nodes.push_back({.kind = NodeKind::Body, .span = frame.span});
    frame.body = NodeId(tree_.nodes.size() - 1);
    return open(frame);
  }

  bool end_of_dimension(const Token& token) {
    const Frame& frame = frames_[subscripts_.back()];
    push({.kind = NodeKind::End,
          .span = token.span,
          .number = static_cast<double>(frame.position),
          .text = frame.name});
    cursor_.advance();
    return true;
  }

  bool literal(NodeKind kind, double number) {
    const Token& token = cursor_.now();
    push({.kind = kind, .span = token.span, .number = number, .text = token.text});
    cursor_.advance();
    return true;
  }

  void push(SyntaxNode node) {
    tree_.nodes.push_back(node);
    operands_.push_back(NodeId(tree_.nodes.size() - 1));
    wants_operand_ = false;
  }

  bool sign(const Token& token) {
    const bool allowed = at_boundary() || frames_.back().binding < Binding::Sum;
    if (!allowed) {
      return fail(
          "syntax.misplaced-sign", token.span,
          fmt::format("a sign cannot follow the operator `{}`", expr::op_name(frames_.back().op)),
          "put the signed term in parentheses");
    }
    const Op op = token.is("-") ? Op::Negate : Op::Add;
    return open({FrameKind::Unary, token.span, op, Binding::Sum});
  }

  bool negation(const Token& token) {
    const bool allowed = at_boundary() || frames_.back().binding < Binding::Not;
    if (!allowed) {
      return fail("syntax.expected-expression", token.span,
                  "`not` cannot stand inside this operation", "put it in parentheses");
    }
    return open({FrameKind::Unary, token.span, Op::Not, Binding::Not});
  }

  bool condition(const Token& token) {
    if (!at_boundary()) {
      return fail("syntax.expected-expression", token.span, "an if-expression cannot be an operand",
                  "put it in parentheses");
    }
    return open({FrameKind::Condition, token.span});
  }

  // name {. name} [ ( ... ) | [ ... ] ]
  bool name_or_call() {
    const Token& first = cursor_.now();
    Span span = first.span;
    std::string_view text = first.text;
    cursor_.advance();
    while (cursor_.now().is(".") && cursor_.next().kind == TokenKind::Identifier) {
      span = cover(span, cursor_.next().span);
      text = {text.begin(), cursor_.next().text.end()};
      cursor_.advance();
      cursor_.advance();
    }
    if (cursor_.now().is("[") && first.kind != TokenKind::Keyword) {
      subscripts_.push_back(frames_.size());
      return open({.kind = FrameKind::Subscript, .span = span, .name = text});
    }
    if (!cursor_.now().is("(")) {
      if (first.kind == TokenKind::Keyword) {
        return fail("syntax.expected-expression", span, fmt::format("`{}` needs an argument", text),
                    fmt::format("write {}", first.is("der") ? "der(x)" : "initial()"));
      }
      push({.kind = NodeKind::Name,
            .span = span,
            .text = text,
            .in_subscript = !subscripts_.empty()});
      return true;
    }
    const Frame frame{.kind = FrameKind::Call, .span = span, .name = text};
    const bool may_repeat = std::ranges::find(reductions, text) != reductions.end();
    return may_repeat ? open_repeatable(frame) : open(frame);
  }

  bool read_operator() {
    const Token& token = cursor_.now();
    if (const expr::Operation* found = find_operator(token)) return binary(*found, token);
    if (token.is(":")) return range(token);
    reduce_to_boundary();
    finish_choices();
    const FrameKind boundary = frames_.back().kind;
    if (token.is(")") || token.is("]") || token.is("}")) return close(token);
    if (token.is(",") && boundary == FrameKind::Parenthesis)
      return unsupported(token.span, "output lists");
    if (token.is(",") && holds_list(boundary)) return next_argument();
    if (token.is(";") && boundary == FrameKind::Bracket) return next_row(token);
    if (token.is("for") && holds_list(boundary)) return begin_iterators(token);
    if (token.is("=") && boundary == FrameKind::Call) return name_of_argument(token);
    if (token.is("then") && boundary == FrameKind::Base && ending_ == Ending::BeforeThen)
      return end_of_expression(token);
    if (token.is("then")) return branch(FrameKind::Condition, FrameKind::Then, token);
    if (token.is("else")) return branch(FrameKind::Then, FrameKind::Else, token);
    if (token.is("elseif")) return else_if(token);
    return end_of_expression(token);
  }

  // level = ...; the name is an argument before its value.
  bool name_of_argument(const Token& token) {
    const std::string_view function = frames_.back().name;
    SyntaxNode& name = tree_.nodes[index(operands_.back())];
    const bool takes_names = function == "assert" || function == "String";
    if (!takes_names || name.kind != NodeKind::Name)
      return unsupported(token.span, "named arguments");
    name.kind = NodeKind::Word;
    wants_operand_ = true;
    cursor_.advance();
    return true;
  }

  bool binary(const expr::Operation& found, const Token& token) {
    while (!at_boundary() && frames_.back().binding > found.binding) reduce();
    if (!at_boundary() && frames_.back().binding == found.binding) {
      if (!chains(found.binding)) {
        return fail("syntax.chained-operator", token.span,
                    fmt::format("`{}` cannot follow `{}` without parentheses", token.text,
                                expr::op_name(frames_.back().op)),
                    found.binding == Binding::Relation ? "write (a < b) and (b < c)"
                                                       : "write (a^b)^c or a^(b^c)");
      }
      reduce();
    }
    wants_operand_ = true;
    Frame frame{FrameKind::Binary, token.span, found.op, found.binding};
    frame.elementwise = token.text.starts_with('.');
    return open(frame);
  }

  // first : last, first : step : last. Binds weaker than every operator.
  bool range(const Token& token) {
    while (!at_boundary() && frames_.back().kind != FrameKind::Range) reduce();
    wants_operand_ = true;
    if (frames_.back().kind != FrameKind::Range) {
      Frame frame{FrameKind::Range, token.span};
      frame.position = 1;
      return open(frame);
    }
    if (++frames_.back().position > 2) {
      return fail("syntax.chained-operator", token.span, "a range has at most two `:`",
                  "write first:last or first:step:last");
    }
    cursor_.advance();
    return true;
  }

  void reduce() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    const NodeId right = operands_.back();
    if (frame.kind == FrameKind::Range) {
      const std::size_t first = frame.operands - 1;
      list(NodeKind::Range, cover(tree_[operands_[first]].span, tree_[right].span), first);
      return;
    }
    if (frame.kind == FrameKind::Unary) {
      if (frame.op == Op::Add) {  // a plus sign does nothing
        tree_.nodes[index(right)].span = cover(frame.span, tree_[right].span);
        return;
      }
      operands_.pop_back();
      operation(frame.op, cover(frame.span, tree_[right].span), {right});
      return;
    }
    operands_.pop_back();
    const NodeId left = operands_.back();
    operands_.pop_back();
    operation(frame.op, cover(tree_[left].span, tree_[right].span), {left, right});
    tree_.nodes.back().elementwise = frame.elementwise;
  }

  // A node whose arguments are the operands from `first` on.
  SyntaxNode& list(NodeKind kind, Span span, std::size_t first) {
    const auto begin = operands_.begin() + static_cast<std::ptrdiff_t>(first);
    const SyntaxNode node{.kind = kind,
                          .span = span,
                          .first_argument = static_cast<std::uint32_t>(tree_.arguments.size()),
                          .argument_count = static_cast<std::uint32_t>(operands_.end() - begin)};
    tree_.arguments.insert(tree_.arguments.end(), begin, operands_.end());
    operands_.resize(first);
    push(node);
    return tree_.nodes.back();
  }

  void operation(Op op, Span span, std::initializer_list<NodeId> arguments) {
    const auto first = static_cast<std::uint32_t>(tree_.arguments.size());
    tree_.arguments.insert(tree_.arguments.end(), arguments);
    push({.kind = NodeKind::Operation,
          .span = span,
          .op = op,
          .first_argument = first,
          .argument_count = static_cast<std::uint32_t>(arguments.size())});
  }

  void reduce_to_boundary() {
    while (!at_boundary()) reduce();
  }

  static bool holds_list(FrameKind kind) {
    return kind == FrameKind::Call || kind == FrameKind::Subscript || kind == FrameKind::Brace ||
           kind == FrameKind::Bracket;
  }

  bool next_argument() {
    if (frames_.back().iterating) return read_iterator();
    ++frames_.back().position;
    wants_operand_ = true;
    cursor_.advance();
    return true;
  }

  bool next_row(const Token& token) {
    Frame& frame = frames_.back();
    list(NodeKind::Row, cover(tree_[operands_[frame.row]].span, token.span), frame.row);
    frame.row = operands_.size();
    wants_operand_ = true;
    cursor_.advance();
    return true;
  }

  // expression for i in range, j in range
  bool begin_iterators(const Token& token) {
    Frame& frame = frames_.back();
    const bool one_operand = operands_.size() == frame.operands + 1;
    if (frame.body.is_none() || frame.iterating || !one_operand) {
      return fail("syntax.unexpected", token.span, "`for` cannot stand here",
                  "iterators are written in sum(e for i in 1:n), product, min, max and {e for i in "
                  "1:n}");
    }
    tree_.nodes[index(frame.body)].body = operands_.back();
    frame.iterating = true;
    frame.first_iterator = iterators_.size();
    return read_iterator();
  }

  // After `for` or a comma: i in
  bool read_iterator() {
    cursor_.advance();
    const Token& name = cursor_.now();
    if (name.kind != TokenKind::Identifier) {
      return fail("syntax.unexpected", name.span,
                  fmt::format("expected the name of an iterator, found {}", describe(name)));
    }
    iterators_.push_back({name.text, name.span});
    cursor_.advance();
    if (!cursor_.now().is("in")) {
      return fail(
          "syntax.unexpected", cursor_.now().span,
          fmt::format("expected `in` after `{}`, found {}", name.text, describe(cursor_.now())),
          fmt::format("write its range: {} in 1:n", name.text));
    }
    cursor_.advance();
    wants_operand_ = true;
    return true;
  }

  bool close(const Token& token) {
    const Frame frame = frames_.back();
    const bool encloses = frame.kind == FrameKind::Parenthesis || holds_list(frame.kind);
    if (!encloses || !token.is(closing(frame.kind))) return end_of_expression(token);
    if (frame.kind == FrameKind::Parenthesis) {
      frames_.pop_back();
      SyntaxNode& inside = tree_.nodes[index(operands_.back())];
      inside.span = cover(frame.span, token.span);
      cursor_.advance();
      return true;
    }
    const bool trailing_comma = wants_operand_ && operands_.size() > frame.operands;
    if (trailing_comma) {
      return fail("syntax.expected-expression", token.span, "expected an expression after `,`");
    }
    if (frame.kind == FrameKind::Bracket)
      list(NodeKind::Row, cover(tree_[operands_[frame.row]].span, token.span), frame.row);
    frames_.pop_back();
    cursor_.advance();
    return close_list(frame, cover(frame.span, token.span));
  }

  bool close_list(const Frame& frame, Span span) {
    const NodeKind kind = frame.kind == FrameKind::Call        ? NodeKind::Call
                          : frame.kind == FrameKind::Subscript ? NodeKind::Element
                                                               : NodeKind::Array;
    SyntaxNode& node = list(kind, span, frame.operands);
    node.text = frame.name;
    node.name_span = frame.span;
    if (frame.iterating) repeat(frame, node);
    if (frame.kind == FrameKind::Call) ask_for_shape_only(node);
    if (frame.kind == FrameKind::Call) take_names_as_such(node);
    if (frame.kind != FrameKind::Subscript) return true;
    subscripts_.pop_back();
    if (!cursor_.now().is(".")) return true;
    return unsupported(cursor_.now().span, "components of array elements");
  }

  void repeat(const Frame& frame, SyntaxNode& node) {
    const auto begin = iterators_.begin() + static_cast<std::ptrdiff_t>(frame.first_iterator);
    node.body = frame.body;
    node.first_iterator = static_cast<std::uint32_t>(tree_.iterators.size());
    node.iterator_count = static_cast<std::uint32_t>(iterators_.end() - begin);
    tree_.iterators.insert(tree_.iterators.end(), begin, iterators_.end());
    iterators_.erase(begin, iterators_.end());
  }

  // size(x, 1) must not make the values of x structural.
  void ask_for_shape_only(const SyntaxNode& call) {
    if ((call.text != "size" && call.text != "ndims") || call.argument_count == 0) return;
    SyntaxNode& first = tree_.nodes[index(tree_.arguments[call.first_argument])];
    if (first.kind == NodeKind::Name) first.kind = NodeKind::ShapeOf;
  }

  // pre(x) and the like refer to the variable, AssertionLevel.error is a word.
  void take_names_as_such(const SyntaxNode& call) {
    if (call.argument_count == 0) return;
    SyntaxNode& first = tree_.nodes[index(tree_.arguments[call.first_argument])];
    if (std::ranges::find(functions_of_variables, call.text) != functions_of_variables.end())
      first.is_target = true;
    for (std::size_t i = 0; call.text == "assert" && i < call.argument_count; ++i) {
      SyntaxNode& argument = tree_.nodes[index(tree_.arguments[call.first_argument + i])];
      if (argument.kind == NodeKind::Name && argument.text.starts_with("AssertionLevel"))
        argument.kind = NodeKind::Word;
    }
  }

  // if c then a else b: at the end of b the node is made; an `elseif` is an if inside the else.
  void finish_choices() {
    while (frames_.back().kind == FrameKind::Else) {
      const Frame frame = frames_.back();
      frames_.pop_back();
      const std::size_t n = operands_.size();
      const NodeId condition = operands_[n - 3], yes = operands_[n - 2], no = operands_[n - 1];
      operands_.resize(n - 3);
      operation(Op::If, cover(frame.span, tree_[no].span), {condition, yes, no});
      reduce_to_boundary();
    }
  }

  bool branch(FrameKind from, FrameKind to, const Token& token) {
    const FrameKind open = frames_.back().kind;
    if (open == FrameKind::Condition && from == FrameKind::Then)
      return missing(token, "`then`", "this `if` begins here");
    if (open != from) {
      return fail("syntax.unexpected", token.span,
                  fmt::format("{} without its `if`", describe(token)),
                  "if-expressions are written `if c then a else b`");
    }
    frames_.back().kind = to;
    wants_operand_ = true;
    cursor_.advance();
    return true;
  }

  bool else_if(const Token& token) {
    const Span span = token.span;
    if (!branch(FrameKind::Then, FrameKind::Else, token)) return false;
    frames_.push_back({FrameKind::Condition, span});
    return true;
  }

  bool end_of_expression(const Token& token) {
    const Frame& frame = frames_.back();
    switch (frame.kind) {
      case FrameKind::Base:
        done_ = true;
        return true;
      case FrameKind::Condition:
        return missing(token, "`then`", "this `if` begins here");
      case FrameKind::Then:
        return missing(token, "`else`", "this `if` begins here");
      default:
        return missing(token, fmt::format("`{}`", closing(frame.kind)), "to close this");
    }
  }

  bool missing(const Token& token, std::string_view what, std::string label) {
    Diagnostic& diagnostic =
        diagnostics_.error("syntax.unexpected", token.span,
                           fmt::format("expected {}, found {}", what, describe(token)));
    diagnostic.related.push_back({frames_.back().span, std::move(label)});
    return false;
  }

  Cursor& cursor_;
  SyntaxTree& tree_;
  Diagnostics& diagnostics_;
  std::vector<Frame> frames_;
  std::vector<NodeId> operands_;
  std::vector<std::size_t> subscripts_;  // which frames are Subscripts
  std::vector<Iterator> iterators_;      // of the frames that are after their `for`
  Ending ending_;
  bool wants_operand_ = true;
  bool done_ = false;
};

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::End:
      return "the end of the file";
    case TokenKind::String:
      return "a string";
    case TokenKind::Integer:
    case TokenKind::Real:
      return fmt::format("the number `{}`", token.text);
    case TokenKind::Keyword:
      return fmt::format("the keyword `{}`", token.text);
    default:
      return fmt::format("`{}`", token.text);
  }
}

std::optional<Expression> parse_expression(Cursor& cursor, SyntaxTree& tree,
                                           Diagnostics& diagnostics, Ending ending) {
  return ExpressionParser(cursor, tree, diagnostics, ending).run();
}

}  // namespace daedalus::modelica
