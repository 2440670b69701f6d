#include "daedalus/base/utf8.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

TEST(Visible, LeavesTextAlone) {
  EXPECT_EQ(visible("gr\xC3\xB6\xC3\x9F"
                    "er \xE2\x9C\x93 \xF0\x9F\x98\x80 a\\n"),
            "gr\xC3\xB6\xC3\x9F"
            "er \xE2\x9C\x93 \xF0\x9F\x98\x80 a\\n");
  EXPECT_EQ(visible(""), "");
}

TEST(Visible, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(visible("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(visible(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(visible("one\ntwo\rthree\tfour"), "one\\ntwo\\rthree\\tfour");
  EXPECT_EQ(visible("\xC2\x9B"
                    "31m"),
            "\\x9b31m");  // CSI in one character
  EXPECT_EQ(visible("\xE2\x80\xAE"
                    "drawkcab"),
            "\\u202edrawkcab");                // right to left
  EXPECT_EQ(visible("\xC2\xA0"), "\xC2\xA0");  // the first one after the control characters
}

TEST(Visible, EscapesBytesThatAreNoText) {
  EXPECT_EQ(visible("\xFF"), "\\xff");
  EXPECT_EQ(visible("a\xC3"), "a\\xc3");
  EXPECT_EQ(visible("\xE2\x82z"), "\\xe2\\x82z");
}

TEST(Visible, LinesStayLines) {
  EXPECT_EQ(visible_lines("one\n\x1btwo\r\n"), "one\n\\x1btwo\\r\n");
}

}  // namespace
}  // namespace daedalus
