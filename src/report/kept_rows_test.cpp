#include "daedalus/report/kept_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedalus::report {
namespace {

solution::Table layout() {
  return {.variables = {{.name = "x", .place = 1}, {.name = "y", .place = 2}}, .width = 3};
}

// Spikes in x at rows that no fixed stride would hit.
std::vector<double> row_at(std::size_t i) {
  const double t = static_cast<double>(i);
  return {t, i % 9973 == 17 ? 5.0 : std::sin(1e-3 * t), -t};
}

TEST(KeptRows, KeepFewRowsAsTheyAre) {
  KeptRows kept(300, 1);
  kept.start(layout());
  std::vector<double> all;
  for (std::size_t i = 0; i < 95; ++i) {
    const std::vector<double> row = row_at(i);
    kept.row(row);
    all.insert(all.end(), row.begin(), row.end());
  }
  EXPECT_EQ(kept.take().cells, all);
  EXPECT_EQ(kept.count(), 95U);
}

class KeptRowsOfAnyLength : public testing::TestWithParam<std::size_t> {};

TEST_P(KeptRowsOfAnyLength, ShowEveryExtremeInBoundedMemoryEvenly) {
  KeptRows kept(3000, 1);  // 1,000 rows
  kept.start(layout());
  const std::size_t count = GetParam();
  for (std::size_t i = 0; i < count; ++i) kept.row(row_at(i));
  const solution::Table table = kept.take();
  EXPECT_EQ(kept.count(), count);
  EXPECT_LE(table.rows(), 1004U);
  EXPECT_GE(table.rows(), 496U);
  EXPECT_EQ(table.time(0), 0.0);
  EXPECT_EQ(table.time(table.rows() - 1), static_cast<double>(count - 1));
  EXPECT_EQ(table.cells[table.cells.size() - 1], -static_cast<double>(count - 1));

  const double spacing = static_cast<double>(count) / static_cast<double>(table.rows());
  std::size_t spikes = 0;
  for (std::size_t row = 1; row < table.rows(); ++row) {
    EXPECT_GE(table.time(row), table.time(row - 1));
    EXPECT_LE(table.time(row) - table.time(row - 1), 6.0 * spacing);
    spikes += table.row(row)[1] == 5.0 ? 1 : 0;
    EXPECT_NEAR(table.row(row)[2], -table.time(row), 12.0 * spacing);
  }
  EXPECT_GE(spikes, std::min<std::size_t>((count - 18) / 9973 + 1, 60));
}

INSTANTIATE_TEST_SUITE_P(Counts, KeptRowsOfAnyLength,
                         testing::Values(1000, 1001, 4321, 65'537, 500'000));

}  // namespace
}  // namespace daedalus::report
