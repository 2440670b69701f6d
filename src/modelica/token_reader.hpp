// The parser's cursor over the tokens: what must come next, and where to go on after an error.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/base/diagnostics.hpp"
#include "modelica/expression_parser.hpp"

namespace daedalus::modelica {

class TokenReader {
 public:
  TokenReader(std::span<const Token> tokens, std::string_view text, Diagnostics& diagnostics)
      : cursor_{tokens, 0}, text_(text), diagnostics_(diagnostics) {}

  const Token& now() const { return cursor_.now(); }
  const Token& next() const { return cursor_.next(); }
  bool at_end() const { return now().kind == TokenKind::End; }
  void advance() { cursor_.advance(); }
  std::size_t position() const { return cursor_.at; }
  Cursor& cursor() { return cursor_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  bool accept(std::string_view text);
  bool expect(std::string_view text, std::string_view where);

  // A missing `;` at the end of a line is reported there, and assumed to be present.
  bool expect_semicolon(std::string_view where);

  Diagnostic& error(std::string code, Span span, std::string message) {
    return diagnostics_.error(std::move(code), span, std::move(message));
  }
  Diagnostic& unexpected(std::string message) {
    return error("syntax.unexpected", now().span, std::move(message));
  }
  void unsupported(Span span, std::string_view what, std::string hint = {});

  // To after the next `;` outside parentheses, or to a word that begins something new.
  void skip_statement();
  // To after `end NAME;` of a class, or after `;` of a short definition.
  void skip_class();
  // To after `end if;` and the like, skipping nested ones.
  void skip_compound();
  // To after the `then` or `loop` of a statement.
  void skip_head();
  // To the next section of the class, or to its `end`.
  void skip_section();

  // The names among the tokens from a position to here.
  void append_names_since(std::size_t position, std::vector<std::string_view>& names) const;

 private:
  bool begins_line() const;

  Cursor cursor_;
  std::string_view text_;
  Diagnostics& diagnostics_;
};

// `end if`, `end when` and the like end a statement, not a class.
bool ends_statement(const Token& end, const Token& next);

bool begins_class(const Token& token);
bool is_class_prefix(const Token& token);

}  // namespace daedalus::modelica
