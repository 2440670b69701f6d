#include "report/mat.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/scratch.hpp"

namespace daedalus::report {
namespace {

using solution::Table;

Table small() {
  return {.variables = {{.name = "x", .unit = "m", .description = "position", .place = 1},
                        {.name = "minus_x", .unit = "m", .place = 1, .sign = -1},
                        {.name = "R", .is_constant = true, .place = 0}},
          .constants = {2.5},
          .width = 2,
          .cells = {0.0, 0.1, 0.5, -2.0}};
}

// Reads one matrix record after the other, according to the description of the format.
class Records {
 public:
  explicit Records(std::string bytes) : bytes_(std::move(bytes)) {}

  struct Record {
    std::int32_t type, rows, columns;
    std::string name, content;
  };

  Record next() {
    Record record{.type = take(), .rows = take(), .columns = take(), .name = {}, .content = {}};
    EXPECT_EQ(take(), 0);
    record.name = text(static_cast<std::size_t>(take()));
    record.name.pop_back();
    const int element = record.type == 0 ? 8 : record.type == 20 ? 4 : 1;
    record.content = text(static_cast<std::size_t>(record.rows) * record.columns * element);
    return record;
  }
  bool at_end() const { return position_ == bytes_.size(); }

 private:
  std::int32_t take() {
    std::int32_t number = 0;
    std::memcpy(&number, text(4).data(), 4);
    return number;
  }
  std::string text(std::size_t length) {
    position_ += length;
    return bytes_.substr(position_ - length, length);
  }

  std::string bytes_;
  std::size_t position_ = 0;
};

template <class Number>
std::vector<Number> numbers(const std::string& content) {
  std::vector<Number> values(content.size() / sizeof(Number));
  std::memcpy(values.data(), content.data(), content.size());
  return values;
}

TEST(WriteMat, WritesTheSixMatricesInOrder) {
  const Scratch folder;
  const std::string path = folder.file("result.mat");
  const std::size_t bytes = write_mat(path, small()).value();
  const std::string text = read_file(path).value();
  EXPECT_EQ(bytes, text.size());

  Records records(text);
  const Records::Record head = records.next();
  EXPECT_EQ(head.name, "Aclass");
  EXPECT_EQ(head.content, "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ");

  const Records::Record name = records.next();
  EXPECT_EQ(name.name, "name");
  EXPECT_EQ(name.type, 51);
  EXPECT_EQ(name.rows, 7);
  EXPECT_EQ(name.columns, 4);
  EXPECT_EQ(name.content, std::string("time\0\0\0x\0\0\0\0\0\0minus_xR\0\0\0\0\0\0", 28));

  EXPECT_NE(records.next().content.find("position [m]"), std::string::npos);
  const Records::Record info = records.next();
  EXPECT_EQ(info.name, "dataInfo");
  EXPECT_EQ(numbers<std::int32_t>(info.content),
            (std::vector<std::int32_t>{0, 1, 0, -1, 2, 2, 0, -1, 2, -2, 0, -1, 1, 2, 0, 0}));
  EXPECT_EQ(numbers<double>(records.next().content), (std::vector<double>{0.0, 2.5, 0.5, 2.5}));
  const Records::Record data = records.next();
  EXPECT_EQ(data.name, "data_2");
  EXPECT_EQ(data.rows, 2);
  EXPECT_EQ(data.columns, 2);
  EXPECT_EQ(numbers<double>(data.content), small().cells);
  EXPECT_TRUE(records.at_end());
}

TEST(WriteMat, RefusesARunWithoutValues) {
  const Scratch folder;
  EXPECT_EQ(write_mat(folder.file("result.mat"), {}).error().code, "report.no-rows");
}

TEST(WriteMat, RefusesNumbersThatAreNotFinite) {
  const Scratch folder;
  Table table = small();
  table.constants[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(write_mat(folder.file("result.mat"), table).error().message, "the constant `R` is nan");
  EXPECT_TRUE(folder.is_empty());
}

TEST(MatLayout, CountsTheBytesOfTheFile) {
  const Scratch folder;
  std::size_t bytes = 0;
  const std::vector<MatMatrix> layout = mat_layout(mat_extent(small())).value();
  for (const MatMatrix& matrix : layout) bytes += matrix.bytes();
  EXPECT_EQ(bytes, write_mat(folder.file("result.mat"), small()).value());
}

TEST(MatLayout, RefusesTwoGibibytesBeforehand) {
  const MatExtent below{
      .names = 1001, .longest_name = 10, .longest_description = 10, .width = 1001, .rows = 268'000};
  MatExtent above = below;
  above.rows = 269'000;
  EXPECT_TRUE(mat_layout(below));
  const Result<std::vector<MatMatrix>> result = mat_layout(above);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "report.mat-too-large");
  EXPECT_NE(result.error().message.find("269000 rows of 1000 variables"), std::string::npos);
}

TEST(MatLayout, DoesNotWrapAroundWhenSizesAreAbsurd) {
  const std::size_t huge = std::size_t{1} << 61U;
  EXPECT_FALSE(mat_layout({.names = 9, .width = 8, .rows = huge}));
  EXPECT_FALSE(mat_layout({.names = huge, .longest_name = 8}));
}

}  // namespace
}  // namespace daedalus::report
