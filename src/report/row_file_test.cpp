#include "report/row_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "daedalus/base/file.hpp"
#include "report/scratch.hpp"

namespace daedalus::report {
namespace {

// Three letters for each row, and no room for more than a few of them.
class FewRows final : public RowFormat {
 public:
  explicit FewRows(std::size_t most) : most_(most) {}
  Result<std::string> header(const solution::Table&) override { return std::string("0:"); }
  void append_row(std::span<const double> cells, std::string& bytes) const override {
    bytes += fmt::format("t{};", cells[0]);
  }
  std::vector<Patch> patches(const RowsWritten& rows) const override {
    return {{.offset = 0, .bytes = fmt::format("{}", rows.count)}};
  }
  std::size_t most_rows() const override { return most_; }

 private:
  std::size_t most_;
};

RowFile open(const Scratch& folder, std::size_t most) {
  return {GrowingFile::create(folder.file("a")).value(), std::make_unique<FewRows>(most)};
}

TEST(RowFile, TakesNoMoreRowsThanItsFormatHolds) {
  const Scratch folder;
  RowFile file = open(folder, 5);
  file.start({.width = 2});
  file.add(std::vector{1.0, 0.0, 2.0, 0.0, 3.0, 0.0});
  EXPECT_FALSE(file.is_full());
  file.add(std::vector{4.0, 0.0, 5.0, 0.0, 6.0, 0.0, 7.0, 0.0});
  EXPECT_TRUE(file.is_full());
  EXPECT_EQ(file.last_time(), 5.0);
  file.add(std::vector{8.0, 0.0});
  file.finish();
  EXPECT_FALSE(file.error());
  EXPECT_EQ(read_file(folder.file("a")).value(), "5:t1;t2;t3;t4;t5;");
}

TEST(RowFile, IsNotFullWhereEverythingFits) {
  const Scratch folder;
  RowFile file = open(folder, 2);
  file.start({.width = 1});
  file.add(std::vector{1.0, 2.0});
  file.finish();
  EXPECT_FALSE(file.is_full());
  EXPECT_EQ(read_file(folder.file("a")).value(), "2:t1;t2;");
}

}  // namespace
}  // namespace daedalus::report
