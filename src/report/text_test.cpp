#include "report/text.hpp"

#include <gtest/gtest.h>

namespace daedalus::report {
namespace {

TEST(HtmlText, WritesMarkupAsEntities) {
  EXPECT_EQ(html_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST(JsonText, EscapesControlCharactersAndReplacesBadBytes) {
  EXPECT_EQ(json_text("\x01\n\xC3"), "\"\\u0001\\n\xEF\xBF\xBD\"");
}

TEST(KindName, IsTheWordInTheFiles) {
  EXPECT_EQ(kind_name(solution::Kind::Real), "real");
  EXPECT_EQ(kind_name(solution::Kind::Integer), "integer");
  EXPECT_EQ(kind_name(solution::Kind::Boolean), "boolean");
}

}  // namespace
}  // namespace daedalus::report
