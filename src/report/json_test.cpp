#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/scratch.hpp"

namespace daedalus::report {
namespace {

using nlohmann::json;
using solution::Kind;
using solution::Table;

json written(const Table& table) {
  const Scratch folder;
  const std::string path = folder.file("result.json");
  const std::size_t bytes = write_json(path, table).value();
  const std::string text = read_file(path).value();
  EXPECT_EQ(bytes, text.size());
  return json::parse(text);
}

TEST(WriteJson, GivesTimeAndValuesByName) {
  const Table table{.variables = {{.name = "x", .unit = "m", .description = "position", .place = 1},
                                  {.name = "minus_x", .place = 1, .sign = -1},
                                  {.name = "on", .kind = Kind::Boolean, .place = 2},
                                  {.name = "R", .is_constant = true, .place = 0}},
                    .constants = {1.0 / 3.0},
                    .width = 3,
                    .cells = {0.0, 0.1, 1.0, 0.5, -2.0, 0.0}};
  const json result = written(table);
  EXPECT_EQ(result["time"], json({0.0, 0.5}));
  EXPECT_EQ(result["values"]["x"], json({0.1, -2.0}));
  EXPECT_EQ(result["values"]["minus_x"], json({-0.1, 2.0}));
  EXPECT_EQ(result["values"]["on"], json({1, 0}));
  EXPECT_EQ(result["values"]["R"], 1.0 / 3.0);
  EXPECT_EQ(result["variables"][0], json({{"name", "x"},
                                          {"unit", "m"},
                                          {"description", "position"},
                                          {"kind", "real"},
                                          {"constant", false}}));
  EXPECT_EQ(result["variables"][2]["kind"], "boolean");
}

TEST(WriteJson, EscapesNamesAndReplacesBytesThatAreNotText) {
  const Table table{
      .variables = {{.name = "a\"b\\\n\xFF", .place = 1}}, .width = 2, .cells = {0.0, 1.0}};
  EXPECT_EQ(written(table)["variables"][0]["name"], "a\"b\\\n\xEF\xBF\xBD");
}

TEST(WriteJson, IsWholeForAnEmptyRun) {
  const json result = written({});
  EXPECT_EQ(result["time"], json::array());
  EXPECT_EQ(result["values"], json::object());
}

TEST(WriteJson, RefusesConstantsThatAreNotFinite) {
  const Scratch folder;
  const Table table{.variables = {{.name = "R", .is_constant = true, .place = 0, .sign = -1}},
                    .constants = {std::numeric_limits<double>::infinity()}};
  const Result<std::size_t> result = write_json(folder.file("result.json"), table);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "report.non-finite");
  EXPECT_EQ(result.error().message, "the constant `R` is -inf");
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace daedalus::report
