#include "modelica/lexer.hpp"

#include <gmock/gmock.h>

namespace daedalus::modelica {
namespace {

using testing::ElementsAre;

struct Lexed {
  Sources sources;
  Diagnostics diagnostics;
  std::vector<Token> tokens;

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Token& token : tokens) {
      if (token.kind != TokenKind::End) all.emplace_back(token.text);
    }
    return all;
  }
  std::string code() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().code;
  }
};

Lexed lex(std::string text) {
  Lexed result;
  const std::uint32_t source = result.sources.add("a.mo", std::move(text));
  result.tokens = tokenize(result.sources, source, result.diagnostics);
  return result;
}

TEST(Lexer, SplitsTextIntoTokens) {
  EXPECT_THAT(lex("x_1<=2.5e-3*(y<>z);a:=b.c==.5").texts(),
              ElementsAre("x_1", "<=", "2.5e-3", "*", "(", "y", "<>", "z", ")", ";", "a", ":=", "b",
                          ".", "c", "==", ".5"));
}

TEST(Lexer, TellsKindsApart) {
  const Lexed result = lex("model 'a b' 3 3.0 \"s\" +");
  std::vector<TokenKind> kinds;
  for (const Token& token : result.tokens) kinds.push_back(token.kind);
  EXPECT_THAT(kinds,
              ElementsAre(TokenKind::Keyword, TokenKind::Identifier, TokenKind::Integer,
                          TokenKind::Real, TokenKind::String, TokenKind::Symbol, TokenKind::End));
}

TEST(Lexer, KnowsEveryKeywordAndNoOther) {
  for (const char* word : {"algorithm", "within", "der", "initial", "stream", "pure", "each"}) {
    EXPECT_TRUE(is_keyword(word)) << word;
  }
  for (const char* word : {"Real", "time", "x", "", "ends", "zzz"}) {
    EXPECT_FALSE(is_keyword(word)) << word;
  }
}

TEST(Lexer, ReadsNumbersToTheLastDigit) {
  const Lexed result = lex("0.1 1e-300 4.9e-324 1.7976931348623157e308 12. 1E5 1e-400");
  std::vector<double> numbers;
  for (const Token& token : result.tokens) numbers.push_back(token.number);
  EXPECT_THAT(numbers,
              ElementsAre(0.1, 1e-300, 4.9e-324, 1.7976931348623157e308, 12.0, 1e5, 0.0, 0.0));
  EXPECT_EQ(result.code(), "");
}

TEST(Lexer, RefusesWhatIsNoNumber) {
  for (const char* text : {"1e999", "1.2.3", "1e", "1e+", "0x1F", "3x", "1_000"}) {
    const Lexed result = lex(text);
    EXPECT_EQ(result.code(), "syntax.bad-number") << text;
    EXPECT_EQ(result.tokens.size(), 2U) << text;
  }
}

TEST(Lexer, ReadsElementwiseOperatorsBehindNumbers) {
  EXPECT_THAT(lex("1.*x 2./y").texts(), ElementsAre("1", ".*", "x", "2", "./", "y"));
}

TEST(Lexer, SkipsCommentsOfBothKinds) {
  EXPECT_THAT(lex("a // b\nc /* d \n * / e */ f//").texts(), ElementsAre("a", "c", "f"));
  EXPECT_THAT(lex("a // b\rc").texts(), ElementsAre("a", "c"));
}

TEST(Lexer, SaysWhereAnOpenCommentOrStringBegan) {
  const Lexed comment = lex("a\n  /* b\nc");
  EXPECT_EQ(comment.code(), "syntax.unterminated-comment");
  EXPECT_EQ(comment.diagnostics.all().front().span.begin, 4U);
  const Lexed string = lex("x = \"abc\\\"");
  EXPECT_EQ(string.code(), "syntax.unterminated-string");
  EXPECT_EQ(string.diagnostics.all().front().span.begin, 4U);
  EXPECT_EQ(lex("'abc").code(), "syntax.unterminated-string");
  EXPECT_EQ(lex("\"abc\\").code(), "syntax.unterminated-string");
}

TEST(Lexer, ResolvesEscapesAndRefusesUnknownOnes) {
  const Lexed result = lex(R"("a\n\"b\"\\")");
  EXPECT_EQ(string_value(result.tokens.front()), "a\n\"b\"\\");
  EXPECT_EQ(lex(R"("a\q")").code(), "syntax.bad-escape");
}

TEST(Lexer, TakesByteOrderMarksLineEndsAndUnicodeInCommentsAndStrings) {
  const Lexed result = lex("\xEF\xBB\xBFx\r\n\t// \xE2\x82\xAC\r\"\xC3\xA9\"");
  EXPECT_THAT(result.texts(), ElementsAre("x", "\"\xC3\xA9\""));
  EXPECT_EQ(result.code(), "");
}

TEST(Lexer, NamesTheByteThatIsNoText) {
  EXPECT_EQ(lex(std::string("a\0b", 3)).diagnostics.all().front().message,
            "byte 2 of the file is NUL");
  EXPECT_EQ(lex("ab\xC3").diagnostics.all().front().message,
            "byte 3 of the file (0xC3) is not UTF-8");
  EXPECT_EQ(lex("a\xC0\xAF").code(), "syntax.encoding");
  EXPECT_EQ(lex("\xED\xA0\x80").code(), "syntax.encoding");
  EXPECT_EQ(lex(std::string("\xFF\xFEm\0", 4)).diagnostics.all().front().message,
            "the file is encoded in UTF-16");
  const std::string big_and_little[] = {std::string("\0m\0o", 4), std::string("m\0o\0", 4)};
  for (const std::string& text : big_and_little)
    EXPECT_EQ(lex(text).diagnostics.all().front().message, "the file is encoded in UTF-16");
  EXPECT_EQ(lex(std::string("m\0o=", 4)).diagnostics.all().front().message,
            "byte 2 of the file is NUL");
}

TEST(Lexer, SkipsCharactersWithoutMeaningAndGoesOn) {
  const Lexed result = lex("a ? b # d\nc");
  EXPECT_EQ(result.diagnostics.error_count(), 2U);
  EXPECT_THAT(result.texts(), ElementsAre("a", "b", "c"));
}

TEST(Lexer, ReadsALineOfTenMegabytes) {
  std::string text;
  while (text.size() < 10'000'000) text += "abc + ";
  EXPECT_EQ(lex(text).tokens.size(), 2 * (text.size() / 6) + 1);
}

}  // namespace
}  // namespace daedalus::modelica
