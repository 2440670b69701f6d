#include "daedalus/report/result_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "daedalus/base/file.hpp"
#include "daedalus/report/read.hpp"
#include "daedalus/report/repair.hpp"
#include "daedalus/report/report.hpp"
#include "report/scratch.hpp"

namespace daedalus::report {
namespace {

using solution::Table;

Table sample(std::size_t rows) {
  Table table{.variables = {{.name = "x[1]", .unit = "m", .description = "position", .place = 1},
                            {.name = "minus_x", .place = 1, .sign = -1},
                            {.name = "n", .kind = solution::Kind::Integer, .place = 2},
                            {.name = "R", .is_constant = true, .place = 0}},
              .constants = {2.5},
              .width = 3};
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = 0.1 * static_cast<double>(i);
    table.cells.insert(table.cells.end(), {t, std::sin(t), static_cast<double>(i)});
  }
  return table;
}

Table without_rows(Table table) {
  table.cells.clear();
  return table;
}

// The layout must outlive the stream.
void stream(const Table& layout, const Table& table, ResultStream& into) {
  EXPECT_FALSE(into.start(layout));
  for (std::size_t row = 0; row < table.rows(); ++row) EXPECT_FALSE(into.row(table.row(row)));
}

class ResultStreams : public testing::TestWithParam<std::string> {
 protected:
  std::string file(const std::string& stem) const { return folder_.file(stem + GetParam()); }
  void write_whole(const std::string& path, const Table& table) const {
    const auto write = GetParam() == ".csv"   ? write_csv
                       : GetParam() == ".mat" ? write_mat
                                              : write_jsonl;
    ASSERT_TRUE(write(path, table));
  }
  const Scratch folder_;
};

// More rows than are written at once.
TEST_P(ResultStreams, GiveTheBytesOfAFileThatIsWrittenAtOnce) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{50'000}}) {
    const Table table = sample(rows);
    const auto streams = ResultStream::open({file("a")}).value();
    const Table layout = without_rows(table);
    stream(layout, table, *streams);
    const ResultStream::End end = streams->finish();
    EXPECT_FALSE(end.error);
    EXPECT_EQ(end.written, std::vector{file("a")});
    write_whole(file("b"), table);
    EXPECT_EQ(read_file(file("a")).value(), read_file(file("b")).value());
    EXPECT_FALSE(std::filesystem::exists(file("a") + ".part"));
  }
}

TEST_P(ResultStreams, LeaveNoFileWithoutRows) {
  const auto streams = ResultStream::open({file("a")}).value();
  EXPECT_TRUE(streams->finish().written.empty());
  EXPECT_TRUE(folder_.is_empty());
}

// What kill -9 leaves, cut at every byte of the last rows: whole rows, as if the run had ended.
TEST_P(ResultStreams, CanBeRepairedWhereverTheyAreCut) {
  const Table table = sample(20);
  {
    const auto streams = ResultStream::open({file("a")}).value();
    const Table layout = without_rows(table);
    stream(layout, table, *streams);
    EXPECT_FALSE(streams->finish().error);
  }
  const std::string all = read_file(file("a")).value();
  std::vector<std::string> whole;  // by the number of rows
  for (std::size_t rows = 1; rows <= table.rows(); ++rows) {
    write_whole(file("b"), sample(rows));
    whole.push_back(read_file(file("b")).value());
  }
  for (std::size_t bytes = whole[14].size(); bytes < all.size(); ++bytes) {
    const std::string path = file("c") + ".part";
    AtomicFile cut = AtomicFile::create(path).value();
    cut.write(all.substr(0, bytes));
    ASSERT_TRUE(cut.commit());
    const Repaired repaired = repair_results(path).value();
    ASSERT_EQ(read_file(path).value(), whole[repaired.rows - 1]) << bytes;
    ASSERT_EQ(repaired.bytes_cut, bytes - whole[repaired.rows - 1].size());
    ASSERT_EQ(repaired.last_time, table.time(repaired.rows - 1));
    ASSERT_EQ(read_results(path).value().rows(), repaired.rows);
    ASSERT_LT(repaired.rows, table.rows());
    ASSERT_LT(bytes, whole[repaired.rows].size());
  }
}

// A file system may have lengthened the file before its bytes were on the disk.
TEST_P(ResultStreams, AreRepairedWhereAPowerCutLeftZeros) {
  write_whole(file("a"), sample(20));
  const std::string all = read_file(file("a")).value();
  AtomicFile longer = AtomicFile::create(file("a")).value();
  longer.write(all + std::string(5'000, '\0'));
  ASSERT_TRUE(longer.commit());
  EXPECT_EQ(repair_results(file("a")).value().rows, 20U);
  EXPECT_EQ(read_file(file("a")).value(), all);
}

TEST_P(ResultStreams, AreRepairedWhereRowsFollowTheZeros) {
  write_whole(file("a"), sample(20));
  write_whole(file("b"), sample(12));
  std::string all = read_file(file("a")).value();
  const std::size_t whole = read_file(file("b")).value().size();
  std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(whole), 60, '\0');
  AtomicFile holed = AtomicFile::create(file("a")).value();
  holed.write(all);
  ASSERT_TRUE(holed.commit());
  EXPECT_EQ(repair_results(file("a")).value().rows, 12U);
  EXPECT_EQ(read_file(file("a")).value(), read_file(file("b")).value());
}

// For example, two runs in one file: no run was cut off between them.
TEST_P(ResultStreams, AreNotCutWhereNoRunEnded) {
  Table table = sample(20);
  table.cells[12 * table.width] = 0.05;
  write_whole(file("a"), table);
  const std::string all = read_file(file("a")).value();
  const Result<Repaired> repaired = repair_results(file("a"));
  ASSERT_FALSE(repaired);
  EXPECT_NE(repaired.error().message.find("row 13 of"), std::string::npos);
  EXPECT_EQ(read_file(file("a")).value(), all);
}

TEST_P(ResultStreams, RefuseWhatIsNoNumber) {
  const auto streams = ResultStream::open({file("a")}).value();
  const Table table = sample(3);
  const Table layout = without_rows(table);
  stream(layout, table, *streams);
  const std::vector<double> row = {0.3, std::numeric_limits<double>::infinity(), 3.0};
  EXPECT_EQ(streams->row(row)->message, "`x[1]` is inf at t = 0.3");
}

INSTANTIATE_TEST_SUITE_P(Formats, ResultStreams, testing::Values(".csv", ".mat", ".jsonl"),
                         [](const auto& about) { return about.param.substr(1); });

TEST(ResultStream, RefusesOtherFormats) {
  EXPECT_EQ(ResultStream::open({"a.json"}).error().code, "usage.output");
}

TEST(Repair, RefusesWhatIsNoResultFile) {
  const Scratch folder;
  for (const auto& [name, text] :
       {std::pair("a.csv", "time,x\n"), std::pair("a.mat", "text"), std::pair("a.jsonl", "[1]\n"),
        std::pair("a.txt", "time,x\n0,1\n"), std::pair("b.csv", "")}) {
    AtomicFile file = AtomicFile::create(folder.file(name)).value();
    file.write(text);
    ASSERT_TRUE(file.commit());
    EXPECT_FALSE(repair_results(folder.file(name))) << name;
    EXPECT_EQ(read_file(folder.file(name)).value(), text);
  }
}

TEST(Jsonl, HasAnObjectForEachRow) {
  const Scratch folder;
  ASSERT_TRUE(write_jsonl(folder.file("a.jsonl"), sample(2)));
  EXPECT_EQ(
      read_file(folder.file("a.jsonl")).value(),
      "{\"time\":0,\"x[1]\":0,\"minus_x\":0,\"n\":0}\n"
      "{\"time\":0.1,\"x[1]\":0.09983341664682815,\"minus_x\":-0.09983341664682815,\"n\":1}\n");
}

TEST(ResultStream, MarksNoRowsThatHaveLeftOnStdout) {
  const std::unique_ptr<ResultStream> stream = ResultStream::open({"-"}).value();
  const Result<StreamMark> mark = stream->mark();
  ASSERT_FALSE(mark);
  EXPECT_EQ(mark.error().code, "usage.output");
}

}  // namespace
}  // namespace daedalus::report
