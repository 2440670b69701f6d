#include "report/hdf5/series_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "daedalus/base/file.hpp"
#include "daedalus/report/read.hpp"
#include "daedalus/report/repair.hpp"
#include "daedalus/report/report.hpp"
#include "report/scratch.hpp"

namespace daedalus::report::hdf5 {
namespace {

using solution::Table;

Table sample(std::size_t rows) {
  Table table{
      .variables = {{.name = "x[1]", .unit = "m", .description = "Lage \xC3\xA4", .place = 1},
                    {.name = "minus_x", .place = 1, .sign = -1},
                    {.name = "same_x", .unit = "cm", .place = 1},
                    {.name = "also_minus_x", .description = "as well", .place = 1, .sign = -1},
                    {.name = "'a/b'.c", .unit = "V", .place = 2},
                    {.name = "'d//e/./f'", .place = 2},
                    {.name = "clock", .place = 0},
                    {.name = "R", .unit = "Ohm", .is_constant = true, .place = 0},
                    {.name = "G", .is_constant = true, .place = 0},
                    {.name = "minus_R", .is_constant = true, .place = 0, .sign = -1}},
      .constants = {2.5},
      .width = 3};
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = 0.1 * static_cast<double>(i);
    table.cells.insert(table.cells.end(), {t, std::sin(t), 1.0 / (t + 3.0)});
  }
  return table;
}

std::span<const double> rows_of(const Table& table, std::size_t begin, std::size_t end) {
  return std::span(table.cells).subspan(begin * table.width, (end - begin) * table.width);
}

void put_file(const std::string& path, std::string_view bytes) {
  AtomicFile file = AtomicFile::create(path).value();
  file.write(bytes);
  ASSERT_TRUE(file.commit());
}

void expect_equal(const Table& read, const Table& written) {
  ASSERT_EQ(read.rows(), written.rows());
  ASSERT_EQ(read.variables.size(), written.variables.size());
  for (const solution::Variable& variable : written.variables) {
    const solution::Variable* const found = read.find(variable.name);
    ASSERT_NE(found, nullptr) << variable.name;
    EXPECT_EQ(found->unit, variable.unit) << variable.name;
    EXPECT_EQ(found->description, variable.description) << variable.name;
    EXPECT_EQ(found->is_constant, variable.is_constant) << variable.name;
    for (std::size_t row = 0; row < written.rows(); ++row) {
      ASSERT_EQ(read.time(row), written.time(row));
      ASSERT_EQ(read.value(*found, row), written.value(variable, row)) << variable.name;
    }
  }
}

// The series of a file wait for 4096 rows.
TEST(WriteHdf5, KeepsEveryBitOfAnyNumberOfRows) {
  const Scratch folder;
  for (const std::size_t rows : {1, 7, 4'095, 4'096, 4'097, 40'000}) {
    const std::string path = folder.file("a.h5");
    const std::size_t bytes = write_hdf5(path, sample(rows)).value();
    EXPECT_EQ(bytes, std::filesystem::file_size(path));
    expect_equal(read_results(path).value(), sample(rows));
  }
}

TEST(WriteHdf5, GivesAliasesOfTheSameSignOneDataset) {
  const Scratch folder;
  ASSERT_TRUE(write_hdf5(folder.file("a.hdf5"), sample(5)));
  const Table table = read_results(folder.file("a.hdf5")).value();
  const auto place = [&](const char* name) { return table.find(name)->place; };
  EXPECT_EQ(table.width, 4U);  // the time, x, -x, and the variable with slashes
  EXPECT_EQ(place("x[1]"), place("same_x"));
  EXPECT_EQ(place("minus_x"), place("also_minus_x"));
  EXPECT_EQ(place("'a/b'.c"), place("'d//e/./f'"));
  EXPECT_EQ(place("clock"), 0U);
  EXPECT_EQ(place("R"), place("G"));
}

TEST(WriteHdf5, RefusesNamesThatHdf5CannotTellApart) {
  const Scratch folder;
  for (const char* name : {"x/y", "x//y", "x", "x/y/z", "time", "/", ""}) {
    Table table = sample(2);
    table.variables = {{.name = "x/y", .place = 1}, {.name = name, .place = 2}};
    const Result<std::size_t> written = write_hdf5(folder.file("a.h5"), table);
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().code, "report.hdf5-name");
    EXPECT_TRUE(folder.is_empty());
  }
}

TEST(WriteHdf5, RefusesRunsWithoutValuesAndNumbersThatAreNotFinite) {
  const Scratch folder;
  EXPECT_EQ(write_hdf5(folder.file("a.h5"), sample(0)).error().code, "report.no-rows");
  Table table = sample(2);
  table.constants[0] = std::nan("");
  EXPECT_EQ(write_hdf5(folder.file("a.h5"), table).error().message, "the constant `R` is nan");
  EXPECT_TRUE(folder.is_empty());
}

// The bytes do not depend on how often it is flushed.
TEST(SeriesFile, GivesTheBytesOfAFileThatIsWrittenAtOnce) {
  const Scratch folder;
  const Table table = sample(10'000);
  SeriesFile file(GrowingFile::create(folder.file("a.h5")).value());
  file.start(table);
  for (std::size_t row = 0; row < table.rows(); row += 100) {
    file.add(rows_of(table, row, row + 100));
    if (row % 700 == 0) file.flush();
  }
  file.finish();
  EXPECT_FALSE(file.error());
  ASSERT_TRUE(write_hdf5(folder.file("b.h5"), table));
  EXPECT_TRUE(read_file(folder.file("a.h5")).value() == read_file(folder.file("b.h5")).value());
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.h5.part")));
}

TEST(SeriesFile, LeavesNoFileWithoutRows) {
  const Scratch folder;
  SeriesFile file(GrowingFile::create(folder.file("a.h5")).value());
  file.start(sample(0));
  file.finish();
  EXPECT_TRUE(folder.is_empty());
}

// What kill -9 leaves after a flush has all rows that were added before it.
TEST(SeriesFile, CanBeRepairedAfterAnyFlush) {
  const Scratch folder;
  const Table table = sample(10'000);
  SeriesFile file(GrowingFile::create(folder.file("a.h5")).value());
  file.start(table);
  std::size_t end = 0;
  for (const std::size_t count : {1, 50, 4'000, 45, 1, 5'000, 903}) {
    file.add(rows_of(table, end, end + count));
    end += count;
    file.flush();
    const std::string path = folder.file("b.h5.part");
    put_file(path, read_file(folder.file("a.h5.part")).value());
    const Repaired repaired = repair_results(path).value();
    EXPECT_EQ(repaired.rows, end);
    EXPECT_EQ(repaired.last_time, table.time(end - 1));
    EXPECT_EQ(repaired.bytes_cut, 0U);
    expect_equal(read_results(path).value(), sample(end));
    const std::string once = read_file(path).value();
    EXPECT_EQ(repair_results(path).value().rows, end);
    EXPECT_TRUE(read_file(path).value() == once);
  }
}

// As a run that is stored after `marked` rows, and ends somehow after `rows` or more.
ResultMark write_beyond_mark(const std::string& path, const Table& table, std::size_t marked,
                             std::size_t rows) {
  SeriesFile file(GrowingFile::create(path).value());
  file.start(table);
  file.add(rows_of(table, 0, marked));
  file.flush();
  const ResultMark mark = file.mark();
  for (std::size_t row = marked; row < rows; row = std::min(row + 500, rows)) {
    file.add(rows_of(table, row, std::min(row + 500, rows)));
    file.flush();
  }
  if (rows == table.rows()) file.finish();
  return mark;
}

// Wherever the mark is between the chunks, and wherever the file ends: among notes, with chunks, or
// finished.
TEST(SeriesFile, IsTakenUpAtAMarkAndGivesTheSameRows) {
  const Scratch folder;
  const Table table = sample(10'000);
  const std::string path = folder.file("a.h5");
  for (const std::size_t marked : {0, 1, 700, 4'096, 4'097, 8'191, 8'192, 9'999}) {
    for (const std::size_t rows : {marked, std::min<std::size_t>(marked + 5'000, 9'999),
                                   std::size_t{9'999}, std::size_t{10'000}}) {
      const ResultMark mark = write_beyond_mark(path, table, marked, rows);
      std::unique_ptr<SeriesFile> file = SeriesFile::take_up(path, mark).value();
      ASSERT_FALSE(file->go_on());
      file->start(table);
      file->add(rows_of(table, marked, 9'999));
      file->flush();
      const std::string left = folder.file("b.h5.part");
      put_file(left, read_file(path + ".part").value());
      ASSERT_EQ(repair_results(left).value().rows, 9'999U) << marked << ' ' << rows;
      file->add(rows_of(table, 9'999, 10'000));
      file->finish();
      ASSERT_FALSE(file->error());
      ASSERT_FALSE(std::filesystem::exists(path + ".part"));
      expect_equal(read_results(path).value(), table);
    }
  }
}

// Runs can be killed and resumed any number of times.
TEST(SeriesFile, IsTakenUpAgainAndAgain) {
  const Scratch folder;
  const Table table = sample(10'000);
  const std::string path = folder.file("a.h5");
  ResultMark mark = write_beyond_mark(path, table, 100, 900);
  for (std::size_t row = 100; row < 9'900; row += 350) {
    std::unique_ptr<SeriesFile> file = SeriesFile::take_up(path, mark).value();
    ASSERT_FALSE(file->go_on());
    file->start(table);
    file->add(rows_of(table, row, row + 350));
    file->flush();
    mark = file->mark();
    file->add(rows_of(table, row + 350, std::min<std::size_t>(row + 5'000, 9'999)));
    file->flush();
  }
  std::unique_ptr<SeriesFile> file = SeriesFile::take_up(path, mark).value();
  ASSERT_FALSE(file->go_on());
  file->start(table);
  file->add(rows_of(table, mark.rows.count, table.rows()));
  file->finish();
  expect_equal(read_results(path).value(), table);
}

TEST(SeriesFile, IsNotTakenUpIfItIsAnother) {
  const Scratch folder;
  const std::string path = folder.file("a.h5");
  const ResultMark mark = write_beyond_mark(path, sample(10'000), 5'000, 9'000);
  Table other = sample(10'000);
  other.cells[4'999 * other.width + 1] += 1e-12;  // in the last row before the mark
  write_beyond_mark(path, other, 5'000, 9'000);
  const std::string before = read_file(path + ".part").value();
  EXPECT_EQ(SeriesFile::take_up(path, mark).error().message,
            "`" + path + "` is not as the run had left it");
  EXPECT_TRUE(read_file(path + ".part").value() == before);
  write_beyond_mark(path, sample(10'000), 4'000, 4'500);  // too few rows
  EXPECT_FALSE(SeriesFile::take_up(path, mark));
  put_file(path + ".part", "no HDF5 file");
  EXPECT_FALSE(SeriesFile::take_up(path, mark));
}

// Notes are kept or lost as a whole; a file that is cut inside the image is an error, and stays as
// it is.
TEST(SeriesFile, CanBeRepairedWhereverItsNotesAreCut) {
  const Scratch folder;
  const Table table = sample(30);
  SeriesFile file(GrowingFile::create(folder.file("a.h5")).value());
  file.start(table);
  const std::size_t image = std::filesystem::file_size(folder.file("a.h5.part"));
  for (std::size_t row = 0; row < 30; row += 10) {
    file.add(rows_of(table, row, row + 10));
    file.flush();
  }
  const std::string all = read_file(folder.file("a.h5.part")).value();
  const std::size_t note = (all.size() - image) / 3;
  const std::string path = folder.file("b.h5.part");
  for (std::size_t length = image; length < all.size(); length += 61) {
    put_file(path, std::string_view(all).substr(0, length));
    const Result<Repaired> repaired = repair_results(path);
    const std::size_t whole = (length - image) / note;
    ASSERT_EQ(repaired.has_value(), whole > 0) << length;
    if (!repaired) continue;
    ASSERT_EQ(repaired->rows, 10 * whole);
    ASSERT_EQ(repaired->bytes_cut, length - image - whole * note);
    expect_equal(read_results(path).value(), sample(10 * whole));
  }
  for (std::size_t length = 0; length < image; length += 501) {
    put_file(path, std::string_view(all).substr(0, length));
    ASSERT_FALSE(repair_results(path));
    ASSERT_EQ(std::filesystem::file_size(path), length);
  }
}

TEST(ReadHdf5, SaysThatAPartNeedsRepair) {
  const Scratch folder;
  const Table table = sample(3);
  SeriesFile file(GrowingFile::create(folder.file("a.h5")).value());
  file.start(table);
  file.add(table.cells);
  file.flush();
  const Result<Table> read = read_results(folder.file("a.h5.part"));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("a run was cut off, or still writes it"), std::string::npos);
  EXPECT_NE(read.error().hint.find("daedalus repair"), std::string::npos);
}

// HDF5 crashes on some of these, so another process tries them.
TEST(ReadHdf5, IsNotDeceivedByDamage) {
  const Scratch folder;
  ASSERT_TRUE(write_hdf5(folder.file("a.h5"), sample(5)));
  const std::string whole = read_file(folder.file("a.h5")).value();
  const std::string path = folder.file("b.h5");
  for (std::size_t length = 0; length < whole.size(); length += 499) {
    put_file(path, std::string_view(whole).substr(0, length));
    const Result<Table> read = read_results(path);
    ASSERT_FALSE(read) << length;
    ASSERT_NE(read.error().message.find("b.h5` holds no results"), std::string::npos);
  }
  for (std::size_t offset = 0; offset < whole.size(); offset += 499) {
    std::string damaged = whole;
    damaged.replace(offset, 16, 16, '\x55');
    put_file(path, damaged);
    const Result<Table> read = read_results(path);
    ASSERT_TRUE(read || read.error().code == "report.not-a-table") << offset;
  }
}

}  // namespace
}  // namespace daedalus::report::hdf5
