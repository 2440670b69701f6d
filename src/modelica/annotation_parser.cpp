#include "modelica/annotation_parser.hpp"

#include <fmt/format.h>

namespace daedalus::modelica {
namespace {

bool opens(const Token& token) { return token.is("(") || token.is("{") || token.is("["); }
bool closes(const Token& token) { return token.is(")") || token.is("}") || token.is("]"); }

// A vendor's own annotation: ( ... )
void skip_parentheses(TokenReader& in) {
  int depth = 0;
  do {
    if (opens(in.now())) ++depth;
    if (closes(in.now())) --depth;
    in.advance();
  } while (depth > 0 && !in.at_end());
}

// ( name = expression, ... )
bool read_experiment(TokenReader& in, SyntaxTree& tree, std::vector<AnnotationValue>& experiment) {
  in.advance();
  if (in.accept(")")) return true;
  do {
    AnnotationValue value{.name = in.now().text, .span = in.now().span, .value = {}};
    in.advance();
    if (in.now().is("(")) {
      skip_parentheses(in);
      continue;
    }
    if (!in.expect("=", fmt::format("after `{}`", value.name))) return false;
    const std::optional<Expression> read = parse_expression(in.cursor(), tree, in.diagnostics());
    if (!read) return false;
    value.value = *read;
    experiment.push_back(value);
  } while (in.accept(","));
  return in.expect(")", "after the experiment");
}

}  // namespace

std::string read_description(TokenReader& in) {
  std::string text;
  do {
    if (in.now().kind != TokenKind::String) break;
    text += string_value(in.now());
    in.advance();
  } while (in.accept("+"));
  return text;
}

void read_annotation(TokenReader& in, SyntaxTree& tree, std::vector<AnnotationValue>* experiment) {
  const Span begin = in.now().span;
  in.advance();
  int depth = 0;
  do {
    if (in.at_end() || in.now().is(";")) {
      in.error("syntax.unexpected", begin, "this annotation is never closed").hint =
          "a `)` is missing";
      return;
    }
    if (depth == 1 && experiment != nullptr && in.now().text == "experiment" && in.next().is("(")) {
      in.advance();
      if (read_experiment(in, tree, *experiment)) continue;
      while (!in.at_end() && !in.now().is(";")) in.advance();
      return;
    }
    if (opens(in.now())) ++depth;
    if (closes(in.now())) --depth;
    in.advance();
  } while (depth > 0);
}

}  // namespace daedalus::modelica
