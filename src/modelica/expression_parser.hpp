// Expressions by operator precedence with a stack of its own: nesting costs memory, never the call
// stack.
#pragma once

#include <optional>
#include <span>

#include "daedalus/base/diagnostics.hpp"
#include "modelica/lexer.hpp"
#include "modelica/syntax.hpp"

namespace daedalus::modelica {

// A place in the list of tokens, whose last one is End.
struct Cursor {
  std::span<const Token> tokens;
  std::size_t at = 0;

  const Token& now() const { return tokens[at]; }
  const Token& next() const { return tokens[std::min(at + 1, tokens.size() - 1)]; }
  void advance() {
    if (at + 1 < tokens.size()) ++at;
  }
};

// Where an expression may end: `then` belongs to an enclosing if- or when-clause, or is one too
// many.
enum class Ending { Any, BeforeThen };

// Reads one expression at the cursor. On an error, which is reported, it returns nothing and the
// cursor stands at the offending token.
std::optional<Expression> parse_expression(Cursor& cursor, SyntaxTree& tree,
                                           Diagnostics& diagnostics, Ending ending = Ending::Any);

// "`;`", "the number `3`", "the end of the file": a token as named in messages.
std::string describe(const Token& token);

}  // namespace daedalus::modelica
