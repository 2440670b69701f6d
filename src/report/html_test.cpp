#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/page.hpp"
#include "report/scratch.hpp"

namespace daedalus::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string html(const RunDescription& run, const solution::Solution& solution = {}) {
  const Scratch folder;
  const std::string path = folder.file("report.html");
  const std::size_t bytes = write_html(path, run, solution).value();
  std::string text = read_file(path).value();
  EXPECT_EQ(bytes, text.size());
  return text;
}

TEST(WriteHtml, FillsInTitleAndData) {
  const std::string page = html({.model = "Boiler", .command = "daedalus simulate boiler.mo"});
  EXPECT_THAT(page, HasSubstr("<title>Boiler</title>"));
  EXPECT_THAT(page, HasSubstr("\"command\":\"daedalus simulate boiler.mo\""));
  EXPECT_THAT(page, Not(HasSubstr("@TITLE@")));
  EXPECT_THAT(page, Not(HasSubstr("@DATA@")));
}

TEST(WriteHtml, EscapesTheTitle) {
  EXPECT_THAT(html({.model = "</title><b>\"&'"}),
              HasSubstr("<title>&lt;/title&gt;&lt;b&gt;&quot;&amp;&#39;</title>"));
}

TEST(WriteHtml, DoesNotTakeANameForAMark) {
  EXPECT_THAT(html({.model = "@DATA@", .file = "@TITLE@"}), HasSubstr("<title>@DATA@</title>"));
}

TEST(WriteHtml, SaysWhyAFolderCannotBeWritten) {
  const Result<std::size_t> result = write_html("/proc/report.html", {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "io");
}

TEST(PageTemplate, AllowsNothingButItsOwnScriptAndStyle) {
  const std::string_view page = page_template();
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("style-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"")));
}

}  // namespace
}  // namespace daedalus::report
