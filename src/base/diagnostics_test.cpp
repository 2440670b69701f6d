#include "daedalus/base/diagnostics.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

TEST(Render, ShowsPlaceExcerptAndHint) {
  Sources sources;
  const std::uint32_t file = sources.add("a.mo", "model A\n  Real \xC3\xA9; x = y;\nend A;\n");
  Diagnostics diagnostics;
  diagnostics.error("lookup.unknown-name", {file, 19, 20}, "unknown name `x`").hint = "declare it";
  EXPECT_EQ(render(diagnostics, sources),
            "a.mo:2:11: error: unknown name `x` [lookup.unknown-name]\n"
            "    2 |   Real \xC3\xA9; x = y;\n"
            "      |           ^\n"
            "  hint: declare it\n");
}

TEST(Render, ObeysNoControlCharacters) {
  Sources sources;
  const std::uint32_t file = sources.add("a\n.mo", "x = \"\x1b[2J\xC2\x9B\t!\";\n");
  const Diagnostic diagnostic{.code = "assertion",
                              .span = {file, 4, 13},
                              .message = "\x1b]0;title\x07",
                              .label = "\x1b[1A",
                              .hint = "two\nlines"};
  EXPECT_EQ(render(diagnostic, sources),
            "a\\n.mo:1:5: error: \\x1b]0;title\\x07 [assertion]\n"
            "    1 | x = \"?[2J? !\";\n"
            "      |     ^^^^^^^^ \\x1b[1A\n"
            "  hint: two\\nlines\n");
}

TEST(Render, CutsALongLineAroundThePlace) {
  Sources sources;
  const std::uint32_t file =
      sources.add("a.mo", std::string(5'000'000, 'a') + "!" + std::string(5'000'000, 'b'));
  Diagnostics diagnostics;
  diagnostics.error("syntax.x", {file, 5'000'000, 5'000'001}, "bad");
  EXPECT_LT(render(diagnostics, sources).size(), 500U);
}

TEST(Render, CountsWhatItLeavesOut) {
  Sources sources;
  const std::uint32_t file = sources.add("a.mo", "x\n");
  Diagnostics diagnostics;
  for (int i = 0; i < 25; ++i) diagnostics.error("syntax.x", {file, 0, 1}, "bad");
  EXPECT_NE(render(diagnostics, sources).find("... and 5 more errors"), std::string::npos);
}

TEST(Sources, CountsLinesWithEveryLineEnd) {
  Sources sources;
  const std::uint32_t file = sources.add("a.mo", "a\r\nb\rc\nd");
  EXPECT_EQ(sources.place(file, 7).line, 4U);
  EXPECT_EQ(sources.line(file, 1), "a");
  EXPECT_EQ(sources.line(file, 2), "b");
}

}  // namespace
}  // namespace daedalus
