#include "daedalus/report/incidence.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>

namespace daedalus::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Each equation contains the unknowns from its own to the one `width - 1` before it.
Incidence band(std::uint32_t n, std::uint32_t width) {
  Incidence incidence{.title = "Band"};
  for (std::uint32_t i = 0; i < n; ++i) {
    Incidence::Equation& equation = incidence.equations.emplace_back();
    equation.label = fmt::format("line {}", i + 1);
    equation.text = "0 = 0";
    for (std::uint32_t k = 0; k < std::min(width, i + 1); ++k) equation.unknowns.push_back(i - k);
    incidence.unknowns.push_back(fmt::format("x{}", i));
  }
  incidence.sorted_equations.resize(n);
  std::iota(incidence.sorted_equations.begin(), incidence.sorted_equations.end(), 0U);
  incidence.sorted_unknowns = incidence.sorted_equations;
  incidence.blocks.assign(n, {});
  return incidence;
}

TEST(IncidenceSvg, LabelsUpToSixtyRows) {
  EXPECT_THAT(incidence_svg(band(60, 2)), HasSubstr(">line 60</text>"));
  EXPECT_THAT(incidence_svg(band(60, 2)), HasSubstr("<style>"));
  EXPECT_THAT(incidence_svg(band(60, 2), Colours::OfPage), Not(HasSubstr("<style>")));
  EXPECT_THAT(incidence_svg(band(61, 2)), Not(HasSubstr(">line 60</text>")));
}

TEST(IncidenceSvg, TellsWhatACellIsUpToFourHundredRows) {
  EXPECT_THAT(incidence_svg(band(400, 2)), HasSubstr("<title>x399\nline 400: 0 = 0</title>"));
  EXPECT_THAT(incidence_svg(band(401, 2)), Not(HasSubstr("<title>")));
}

TEST(IncidenceSvg, DrawsCellsBesideEachOtherAsOneLine) {
  EXPECT_THAT(incidence_svg(band(500, 4)), HasSubstr("M96 99h3"));
}

TEST(IncidenceSvg, ShadesBeyondTwoThousandRowsAndSaysSo) {
  EXPECT_THAT(incidence_svg(band(2000, 2)), Not(HasSubstr("shade")));
  EXPECT_THAT(incidence_svg(band(2001, 2)), HasSubstr("k x k = 6 x 6 places"));
}

TEST(IncidenceSvg, StaysSmallWhateverItDraws) {
  constexpr std::size_t few_megabytes = 5'000'000;
  for (const auto& [n, width] : {std::pair(89U, 89U), {400U, 20U}, {1999U, 75U}, {1999U, 1999U}}) {
    EXPECT_LT(incidence_svg(band(n, width)).size(), few_megabytes) << n << " " << width;
  }
}

TEST(IncidenceSvg, MarksTearingVariablesAndResiduals) {
  Incidence loop = band(3, 3);
  loop.equations[0].unknowns = {0, 2};
  loop.blocks = {{.size = 3, .torn = 1}};
  const std::string drawing = incidence_svg(loop);
  EXPECT_THAT(drawing, HasSubstr("<rect class=\"k\" x=\"0\" y=\"0\" width=\"3\" height=\"3\"/>"));
  EXPECT_THAT(drawing, HasSubstr("<rect class=\"c p\" x=\"1.05\" y=\"1.05\""));
  EXPECT_THAT(drawing, HasSubstr("<rect class=\"c t\" x=\"2.05\" y=\"0.05\""));
  EXPECT_THAT(drawing, HasSubstr("<rect class=\"c r\" x=\"0.05\" y=\"2.05\""));
  EXPECT_THAT(drawing, HasSubstr("<rect class=\"c b\" x=\"2.05\" y=\"2.05\""));
}

TEST(IncidenceSvg, WritesAwkwardNamesAsText) {
  Incidence one = band(1, 1);
  one.title = "<script>";
  one.unknowns = {"'a<b&c>'"};
  const std::string drawing = incidence_svg(one);
  EXPECT_THAT(drawing, Not(HasSubstr("<script>")));
  EXPECT_THAT(drawing, HasSubstr("&#39;a&lt;b&amp;c&gt;&#39;"));
}

}  // namespace
}  // namespace daedalus::report
