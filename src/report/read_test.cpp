#include "report/read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace daedalus::report {
namespace {

using solution::Table;

std::string why_not(const Result<Table>& table) {
  return table ? "it is one" : table.error().message;
}

TEST(ReadCsv, TakesWhatSpreadsheetsAndSimulatorsWrite) {
  for (const char* text : {"time,x,\"y[1,2]\"\n0,1,2\n0.5,-3e2,4\n",
                           "\xef\xbb\xbftime;x;\"y[1,2]\"\r\n0;1;2\r\n0.5; -300 ;+4\r\n",
                           "x\t\"Time\"\ty[1,2]\n1\t0\t2\n\n-300\t0.5\t4"}) {
    const Result<Table> table = parse_csv(text);
    ASSERT_TRUE(table) << text << why_not(table);
    ASSERT_EQ(table->variables.size(), 2U);
    EXPECT_EQ(table->variables[0].name, "x");
    EXPECT_EQ(table->variables[1].name, "y[1,2]");
    EXPECT_THAT(table->cells, testing::ElementsAre(0, 1, 2, 0.5, -300, 4));
  }
}

TEST(ReadCsv, TakesTheFirstColumnForTheTimeWhereNoneIsNamed) {
  EXPECT_THAT(parse_csv("s,x\n1,2\n").value().cells, testing::ElementsAre(1, 2));
}

TEST(ReadCsv, ReadsQuotesInsideOfNames) {
  EXPECT_EQ(parse_csv("time,\"a \"\"b\"\", c\"\n1,2\n").value().variables[0].name, "a \"b\", c");
}

TEST(ReadCsv, SaysWhereItIsNoTable) {
  EXPECT_EQ(why_not(parse_csv("\n\n")), "it is empty");
  EXPECT_EQ(why_not(parse_csv("time,x\n0,1\n\n1\n")), "line 4 has 1 values for 2 names");
  EXPECT_EQ(why_not(parse_csv("time,x\n0,one\n")), "line 2: `one` of `x` is no number");
  EXPECT_EQ(why_not(parse_csv("time,x\n0,\n")), "line 2: `` of `x` is no number");
}

TEST(ReadJson, SaysWhatIsMissing) {
  EXPECT_EQ(why_not(parse_json("{")), "it is no JSON object");
  EXPECT_EQ(why_not(parse_json(R"({"time": [0]})")), "it has no `time` and `values`");
  EXPECT_EQ(why_not(parse_json(R"({"time": [0, 1], "values": {"x": [1]}})")),
            "`x` has not as many values as `time`");
  EXPECT_EQ(why_not(parse_json(R"({"time": [0], "values": {"x": [null]}})")),
            "a value of row 1 is no number");
}

// Records of level 4.
class MatFile {
 public:
  template <class Number>
  MatFile& add(const std::string& name, int kind, int rows, const std::vector<Number>& values) {
    for (const int number :
         {kind, rows, static_cast<int>(values.size()) / rows, 0, static_cast<int>(name.size()) + 1})
      put(static_cast<std::int32_t>(number));
    bytes += name + '\0';
    for (const Number value : values) put(value);
    return *this;
  }
  // Text, one row after the other, stored by columns.
  MatFile& text(const std::string& name, const std::vector<std::string>& lines) {
    std::vector<std::uint8_t> letters;
    for (std::size_t j = 0; j < lines[0].size(); ++j) {
      for (const std::string& line : lines) letters.push_back(static_cast<std::uint8_t>(line[j]));
    }
    return add(name, 51, static_cast<int>(lines.size()), letters);
  }
  std::string bytes;

 private:
  template <class Number>
  void put(Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
};

// As Dymola writes it: rows, single precision, names as rows.
MatFile normal() {
  MatFile file;
  file.text("Aclass", {"Atrajectory", "1.1        ", "           ", "binNormal  "})
      .text("name", {"time", "a.x ", "b   ", "p   "})
      .add<std::int32_t>("dataInfo", 20, 4, {0, 2, 2, 1, 1, 2, -2, 2, 0, 0, 0, 0, -1, -1, -1, 0})
      .add<float>("data_1", 10, 2, {0, 1, 7, 7})
      .add<float>("data_2", 10, 3, {0, 0.5, 1, 3, 4, 5});
  return file;
}

TEST(ReadMat, TakesRowsOfSinglePrecision) {
  const Result<Table> table = parse_mat(normal().bytes);
  ASSERT_TRUE(table) << why_not(table);
  ASSERT_EQ(table->rows(), 3U);
  EXPECT_EQ(table->time(1), 0.5);
  const auto value = [&](const char* name) { return table->value(*table->find(name), 2); };
  EXPECT_EQ(value("a.x"), 5.0);
  EXPECT_EQ(value("b"), -5.0);
  EXPECT_EQ(value("p"), 7.0);
}

TEST(ReadMat, IsNotDeceivedByDamage) {
  const std::string whole = normal().bytes;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Result<Table> table = parse_mat(std::string_view(whole).substr(0, length));
    EXPECT_FALSE(table) << length;
  }
  EXPECT_THAT(why_not(parse_mat("time,x\n0,1\n1,2\n2,3\n4,5\n")), testing::HasSubstr("level 4"));
  MatFile far;
  far.text("Aclass", {"A", "1", " ", "b"})
      .text("name", {"time", "x   "})
      .add<double>("dataInfo", 0, 2, {0, 2, 1, 1e300})
      .add<double>("data_1", 0, 1, {0.0})
      .add<double>("data_2", 0, 1, {0.0, 1.0});
  EXPECT_EQ(why_not(parse_mat(far.bytes)), "`x` has no place in its data");
}

}  // namespace
}  // namespace daedalus::report
