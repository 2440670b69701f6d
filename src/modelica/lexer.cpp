#include "modelica/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "daedalus/base/utf8.hpp"

namespace daedalus::modelica {
namespace {

// Modelica 3.6, section 2.3.3; sorted.
constexpr std::array<std::string_view, 59> keywords = {
    "algorithm",   "and",          "annotation", "block",       "break",
    "class",       "connect",      "connector",  "constant",    "constrainedby",
    "der",         "discrete",     "each",       "else",        "elseif",
    "elsewhen",    "encapsulated", "end",        "enumeration", "equation",
    "expandable",  "extends",      "external",   "false",       "final",
    "flow",        "for",          "function",   "if",          "import",
    "impure",      "in",           "initial",    "inner",       "input",
    "loop",        "model",        "not",        "operator",    "or",
    "outer",       "output",       "package",    "parameter",   "partial",
    "protected",   "public",       "pure",       "record",      "redeclare",
    "replaceable", "return",       "stream",     "then",        "true",
    "type",        "when",         "while",      "within"};

constexpr std::array<std::string_view, 11> two_character_symbols = {
    "<=", ">=", "==", "<>", ":=", ".+", ".-", ".*", "./", ".^", "!="};
constexpr std::string_view one_character_symbols = "()[]{},;:=+-*/^<>.";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_digit(c) || is_letter(c); }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

class Lexer {
 public:
  Lexer(const Sources& sources, std::uint32_t source, Diagnostics& diagnostics)
      : text_(sources.text(source)), source_(source), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    if (!encoding_is_fine()) return {end_token()};
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (skip_space_and_comments()) read_token();
    tokens_.push_back(end_token());
    return std::move(tokens_);
  }

 private:
  Span span_from(std::size_t begin) const {
    return {source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }
  Span span_at(std::size_t begin, std::size_t length) const {
    return {source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + length)};
  }
  Token end_token() const { return {TokenKind::End, span_at(text_.size(), 0), "end of file", 0.0}; }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  bool encoding_is_fine() {
    // Every other byte of ASCII text in UTF-16 is 0.
    const bool marked = text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF");
    const bool every_other_is_nul = text_.size() > 3 && (text_[0] == '\0') != (text_[1] == '\0') &&
                                    (text_[0] == '\0') == (text_[2] == '\0') &&
                                    (text_[1] == '\0') == (text_[3] == '\0');
    if (marked || every_other_is_nul) {
      diagnostics_.error("syntax.encoding", span_at(0, 0), "the file is encoded in UTF-16").hint =
          "save it as UTF-8";
      return false;
    }
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t length = text_[i] == '\0' ? 0 : utf8_length(text_.substr(i, 4));
      if (length == 0) {
        report_bad_byte(i);
        return false;
      }
      i += length;
    }
    return true;
  }

  void report_bad_byte(std::size_t at) {
    if (text_[at] == '\0') {
      diagnostics_
          .error("syntax.encoding", span_at(at, 1),
                 fmt::format("byte {} of the file is NUL", at + 1))
          .hint = "this is not a text file, or it was damaged";
      return;
    }
    const auto byte = static_cast<unsigned char>(text_[at]);
    const bool cut_short =
        byte >= 0xC2 && text_.size() - at < 4 && std::ranges::none_of(text_.substr(at), is_ascii);
    diagnostics_
        .error("syntax.encoding", span_at(at, 1),
               fmt::format("byte {} of the file (0x{:02X}) is not UTF-8", at + 1, byte))
        .hint = cut_short ? "the file ends inside of a character; it may have been cut short"
                          : "save the file as UTF-8; it looks like Latin-1 or Windows-1252";
  }

  bool skip_space_and_comments() {
    while (at_ < text_.size()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      } else if (c == '/' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_block_comment() {
    const std::size_t begin = at_;
    const std::size_t close = text_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? text_.size() : close + 2;
    if (close == std::string_view::npos) {
      diagnostics_
          .error("syntax.unterminated-comment", span_at(begin, 2), "this comment is never closed")
          .hint = "end it with `*/`";
    }
  }

  void push(TokenKind kind, std::size_t begin, double number = 0.0) {
    tokens_.push_back({kind, span_from(begin), text_.substr(begin, at_ - begin), number});
  }

  void read_token() {
    const char c = peek();
    if (is_letter(c) || !is_ascii(c)) {
      read_word();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      read_number();
    } else if (c == '"') {
      read_quoted('"', TokenKind::String, "string");
    } else if (c == '\'') {
      read_quoted('\'', TokenKind::Identifier, "quoted name");
    } else {
      read_symbol();
    }
  }

  // Letters of other alphabets are refused once for the whole name, which then counts as a name.
  void read_word() {
    const std::size_t begin = at_;
    while (is_word(peek()) || !is_ascii(peek())) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (!std::ranges::all_of(word, is_ascii)) {
      diagnostics_
          .error("syntax.unexpected-character", span_from(begin),
                 fmt::format("`{}` is not a name: names consist of ASCII letters, digits and `_`",
                             word))
          .hint = fmt::format("write it in quotes: '{}'", word);
    }
    push(is_keyword(word) ? TokenKind::Keyword : TokenKind::Identifier, begin);
  }

  void read_symbol() {
    const std::size_t begin = at_;
    const std::string_view two = text_.substr(at_, 2);
    if (std::ranges::find(two_character_symbols, two) != two_character_symbols.end()) {
      at_ += 2;
      push(TokenKind::Symbol, begin);
    } else if (one_character_symbols.find(peek()) != std::string_view::npos) {
      ++at_;
      push(TokenKind::Symbol, begin);
    } else {
      const char c = text_[at_++];
      Diagnostic& diagnostic = diagnostics_.error("syntax.unexpected-character", span_from(begin),
                                                  fmt::format("`{}` has no meaning here", c));
      if (c == '#' || c == '%') {  // other languages' comments: what follows is not Modelica
        diagnostic.hint = "comments begin with `//`";
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      }
    }
  }

  void read_quoted(char quote, TokenKind kind, std::string_view what) {
    const std::size_t begin = at_++;
    const auto ends_here = [&] {
      return peek() == quote || (quote == '\'' && (peek() == '\n' || peek() == '\r'));
    };
    while (at_ < text_.size() && !ends_here()) {
      if (peek() == '\\') check_escape();
      at_ = std::min(at_ + 1, text_.size());
    }
    if (peek() != quote) {
      diagnostics_
          .error("syntax.unterminated-string", span_at(begin, 1),
                 fmt::format("this {} is never closed", what))
          .hint = fmt::format("end it with `{}`", quote);
      if (at_ < text_.size()) push(kind, begin);  // a quoted name ends with its line
      return;
    }
    ++at_;
    push(kind, begin);
  }

  void check_escape() {
    const std::size_t begin = at_++;
    if (at_ == text_.size()) return;  // the string is not closed, which is reported elsewhere
    if (std::string_view("'\"?\\abfnrtv").find(peek()) != std::string_view::npos) return;
    diagnostics_
        .error("syntax.bad-escape", span_at(begin, 2),
               fmt::format("`{}` is no escape sequence", text_.substr(begin, 2)))
        .hint = "write `\\\\` for a backslash";
  }

  void read_number() {
    const std::size_t begin = at_;
    bool real = false;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && !is_elementwise_operator()) {
      real = true;
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      real = true;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!is_digit(peek())) return bad_number(begin, "has no digits in its exponent");
      while (is_digit(peek())) ++at_;
    }
    if (is_letter(peek()) || (peek() == '.' && !is_elementwise_operator()))
      return bad_number(begin, "is not a number");
    double value = 0.0;
    const auto parsed = std::from_chars(text_.data() + begin, text_.data() + at_, value);
    if (parsed.ec == std::errc::result_out_of_range && value_overflows(begin)) {
      return bad_number(begin, "is larger than the largest number (about 1.8e308)", "");
    }
    std::int64_t whole = 0;
    if (!real && std::from_chars(text_.data() + begin, text_.data() + at_, whole).ec ==
                     std::errc::result_out_of_range) {
      return bad_number(begin, "is too large for an Integer (2^63 - 1 at most)",
                        "for a Real, write it with a decimal point");
    }
    push(real ? TokenKind::Real : TokenKind::Integer, begin, value);
  }

  bool is_elementwise_operator() const {
    const char next = peek(1);
    return peek() == '.' &&
           (next == '*' || next == '/' || next == '+' || next == '-' || next == '^');
  }

  // Out of range is overflow or underflow; only the first is an error (the second is 0).
  bool value_overflows(std::size_t begin) const {
    const std::string digits(text_.substr(begin, at_ - begin));
    return std::isinf(std::strtod(digits.c_str(), nullptr));
  }

  void bad_number(std::size_t begin, std::string_view what,
                  std::string hint = "numbers are written like 42, 0.5 or 1.5e-3") {
    while (is_word(peek()) || (peek() == '.' && is_word(peek(1)))) ++at_;
    diagnostics_
        .error("syntax.bad-number", span_from(begin),
               fmt::format("`{}` {}", text_.substr(begin, std::min<std::size_t>(at_ - begin, 60)),
                           what))
        .hint = std::move(hint);
    push(TokenKind::Integer, begin,
         1.0);  // valid wherever a number is expected, so that no error follows from this one
  }

  std::string_view text_;
  std::uint32_t source_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

char escaped(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return c;
  }
}

}  // namespace

bool is_keyword(std::string_view word) { return std::ranges::binary_search(keywords, word); }

std::vector<Token> tokenize(const Sources& sources, std::uint32_t source,
                            Diagnostics& diagnostics) {
  return Lexer(sources, source, diagnostics).run();
}

std::string string_value(const Token& token) {
  const std::string_view inside = token.text.substr(1, token.text.size() - 2);
  std::string value;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    value += inside[i] == '\\' && i + 1 < inside.size() ? escaped(inside[++i]) : inside[i];
  }
  return value;
}

}  // namespace daedalus::modelica
