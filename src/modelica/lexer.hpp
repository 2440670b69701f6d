// Modelica text to tokens.
#pragma once

#include <string_view>
#include <vector>

#include "daedalus/base/diagnostics.hpp"

namespace daedalus::modelica {

enum class TokenKind { Identifier, Keyword, Integer, Real, String, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  Span span;
  std::string_view text;  // as written; a view of the source
  double number = 0.0;

  bool is(std::string_view symbol_or_keyword) const {
    return (kind == TokenKind::Symbol || kind == TokenKind::Keyword) && text == symbol_or_keyword;
  }
};

// The whole text; the last token is End. Errors are reported and skipped.
std::vector<Token> tokenize(const Sources& sources, std::uint32_t source, Diagnostics& diagnostics);

bool is_keyword(std::string_view word);

// The contents of a string token with its escapes resolved.
std::string string_value(const Token& token);

}  // namespace daedalus::modelica
