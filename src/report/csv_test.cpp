#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/scratch.hpp"

namespace daedalus::report {
namespace {

using solution::Kind;
using solution::Table;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string csv(const Table& table) {
  const Scratch folder;
  const std::string path = folder.file("result.csv");
  const std::size_t bytes = write_csv(path, table).value();
  std::string text = read_file(path).value();
  EXPECT_EQ(bytes, text.size());
  return text;
}

TEST(WriteCsv, PutsTimeFirstAndAppliesTheSignOfAliases) {
  const Table table{
      .variables = {{.name = "x", .place = 1}, {.name = "minus_x", .place = 1, .sign = -1}},
      .width = 2,
      .cells = {0.0, 0.1, 0.5, -2.0}};
  EXPECT_EQ(csv(table), "time,x,minus_x\n0,0.1,-0.1\n0.5,-2,2\n");
}

TEST(WriteCsv, QuotesNamesThatAReaderCouldSplit) {
  const Table table{.variables = {{.name = "a[1,2]", .place = 1},
                                  {.name = "der(x)", .place = 1},
                                  {.name = "'say \"hi\"\n'", .place = 1},
                                  {.name = "pipe.m_flow", .place = 1}},
                    .width = 2};
  EXPECT_EQ(csv(table), "time,\"a[1,2]\",\"der(x)\",\"'say \"\"hi\"\"\n'\",pipe.m_flow\n");
}

TEST(WriteCsv, LeavesConstantsOut) {
  const Table table{
      .variables = {{.name = "R", .is_constant = true, .place = 0}, {.name = "x", .place = 1}},
      .constants = {nan},
      .width = 2,
      .cells = {0.0, 1.0}};
  EXPECT_EQ(csv(table), "time,x\n0,1\n");
}

TEST(WriteCsv, WritesIntegersAndBooleansAsWholeNumbers) {
  const Table table{.variables = {{.name = "n", .kind = Kind::Integer, .place = 1},
                                  {.name = "on", .kind = Kind::Boolean, .place = 2}},
                    .width = 3,
                    .cells = {0.0, 1e6, 1.0}};
  EXPECT_EQ(csv(table), "time,n,on\n0,1000000,1\n");
}

TEST(WriteCsv, KeepsBothRowsOfAnEvent) {
  const Table table{
      .variables = {{.name = "v", .place = 1}}, .width = 2, .cells = {1.0, -3.0, 1.0, 2.4}};
  EXPECT_EQ(csv(table), "time,v\n1,-3\n1,2.4\n");
}

TEST(WriteCsv, WritesTheHeaderOfAnEmptyRun) {
  EXPECT_EQ(csv({.variables = {{.name = "x", .place = 1}}, .width = 2}), "time,x\n");
}

TEST(WriteCsv, RefusesNumbersThatAreNotFinite) {
  const Scratch folder;
  Table table{.variables = {{.name = "x", .place = 1}, {.name = "drum.p", .place = 2}},
              .width = 3,
              .cells = {0.0, 1.0, 1.0, 0.25, 1.0, infinity}};
  const Result<std::size_t> result = write_csv(folder.file("result.csv"), table);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "report.non-finite");
  EXPECT_EQ(result.error().message, "`drum.p` is inf at t = 0.25");
  EXPECT_TRUE(folder.is_empty());

  table.cells = {nan, 1.0, 1.0};
  EXPECT_EQ(write_csv(folder.file("result.csv"), table).error().message,
            "the time of a row is nan");
}

TEST(WriteCsv, SaysWhyAFolderCannotBeWritten) {
  const Scratch folder;
  const Result<std::size_t> result = write_csv(folder.file("missing/result.csv"), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "io");
  EXPECT_THAT(result.error().message, HasSubstr("its folder does not exist"));
  EXPECT_THAT(write_csv("/proc/result.csv", {}).error().message,
              StartsWith("cannot write `/proc/result.csv`"));
}

TEST(WriteCsv, KeepsTheOldFileWhenItFails) {
  const Scratch folder;
  const std::string path = folder.file("result.csv");
  const Table good{.variables = {{.name = "x", .place = 1}}, .width = 2, .cells = {0.0, 1.0}};
  Table bad = good;
  bad.cells[1] = nan;
  ASSERT_TRUE(write_csv(path, good));
  ASSERT_FALSE(write_csv(path, bad));
  EXPECT_EQ(read_file(path).value(), "time,x\n0,1\n");
}

}  // namespace
}  // namespace daedalus::report
