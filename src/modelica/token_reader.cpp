#include "modelica/token_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace daedalus::modelica {
namespace {

constexpr std::array<std::string_view, 9> class_words = {
    "model", "class", "record", "block", "connector", "type", "package", "function", "operator"};
constexpr std::array<std::string_view, 5> class_prefixes = {"partial", "encapsulated", "expandable",
                                                            "pure", "impure"};
constexpr std::array<std::string_view, 4> statement_words = {"if", "for", "when", "while"};

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return token.kind == TokenKind::Keyword && std::ranges::find(words, token.text) != words.end();
}

bool opens(const Token& token) { return token.is("(") || token.is("{") || token.is("["); }
bool closes(const Token& token) { return token.is(")") || token.is("}") || token.is("]"); }

bool begins_statement(const Token& token) {
  return token.is("equation") || token.is("end") || token.is("parameter") || token.is("initial");
}

// None of these can occur inside a statement: where one comes, a `;` was forgotten.
bool begins_section(const Token& token, const Token& next) {
  return (token.is("end") && next.kind == TokenKind::Identifier) || token.is("equation") ||
         token.is("algorithm") || token.is("public") || token.is("protected") ||
         (token.is("initial") && (next.is("equation") || next.is("algorithm")));
}

}  // namespace

bool ends_statement(const Token& end, const Token& next) {
  return end.is("end") && is_one_of(next, statement_words);
}
bool begins_class(const Token& token) { return is_one_of(token, class_words); }
bool is_class_prefix(const Token& token) { return is_one_of(token, class_prefixes); }

bool TokenReader::accept(std::string_view text) {
  if (!now().is(text)) return false;
  advance();
  return true;
}

bool TokenReader::expect(std::string_view text, std::string_view where) {
  if (accept(text)) return true;
  Diagnostic& diagnostic =
      unexpected(fmt::format("expected `{}` {}, found {}", text, where, describe(now())));
  if (now().is(":=")) diagnostic.hint = "equations are written with `=`";
  return false;
}

bool TokenReader::begins_line() const {
  const std::uint32_t behind = cursor_.tokens[cursor_.at - 1].span.end;
  return at_end() || text_.substr(behind, now().span.begin - behind).find_first_of("\r\n") !=
                         std::string_view::npos;
}

bool TokenReader::expect_semicolon(std::string_view where) {
  const bool forgotten = begins_line() || begins_section(now(), next());
  if (now().is(";") || !forgotten) return expect(";", where);
  const Span& last = cursor_.tokens[cursor_.at - 1].span;
  error("syntax.unexpected", {last.source, last.end, last.end},
        fmt::format("expected `;` {}", where));
  return true;
}

void TokenReader::unsupported(Span span, std::string_view what, std::string hint) {
  error("unsupported.construct", span, fmt::format("{} not supported yet", what)).hint =
      std::move(hint);
}

void TokenReader::skip_statement() {
  int depth = 0;
  for (bool first = true; !at_end(); advance(), first = false) {
    if (!first && begins_section(now(), next())) return;
    if (opens(now())) ++depth;
    if (closes(now())) --depth;
    if (now().is(";") && (depth <= 0 || begins_statement(next()))) break;
  }
  accept(";");
}

void TokenReader::skip_class() {
  while (is_class_prefix(now())) advance();
  advance();
  const std::string_view name = now().text;
  advance();
  if (now().is("=")) return skip_statement();
  while (!at_end() && !(now().is("end") && next().text == name)) advance();
  skip_statement();
}

// Goes from statement to statement, because an `if` inside one has no `end if`.
void TokenReader::skip_compound() {
  int depth = 0;
  do {
    if (is_one_of(now(), statement_words)) {
      ++depth;
      skip_head();
    } else if (now().is("elseif") || now().is("elsewhen")) {
      skip_head();
    } else if (now().is("else")) {
      advance();
    } else if (ends_statement(now(), next())) {
      --depth;
      skip_statement();
    } else if (now().is("end")) {
      return;
    } else {
      skip_statement();
    }
  } while (depth > 0 && !at_end());
}

void TokenReader::skip_head() {
  int depth = 0;
  for (; !at_end() && !now().is(";"); advance()) {
    if (opens(now())) ++depth;
    if (closes(now())) --depth;
    if (depth <= 0 && (now().is("then") || now().is("loop"))) break;
  }
  advance();
}

void TokenReader::skip_section() {
  if (now().is("initial")) advance();
  advance();
  while (!at_end() && !begins_section(now(), next())) {
    if (now().is("end") && next().kind == TokenKind::Identifier) return;
    advance();
  }
}

void TokenReader::append_names_since(std::size_t position,
                                     std::vector<std::string_view>& names) const {
  for (std::size_t i = position; i < cursor_.at; ++i) {
    if (cursor_.tokens[i].kind == TokenKind::Identifier) names.push_back(cursor_.tokens[i].text);
  }
}

}  // namespace daedalus::modelica
