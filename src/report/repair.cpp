#include "daedalus/report/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "daedalus/base/growing_file.hpp"
#include "report/hdf5/repair_hdf5.hpp"
#include "report/hdf5/series_file.hpp"
#include "report/mat.hpp"
#include "report/read.hpp"

namespace daedalus::report {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20U;

// The complete part of a file.
struct Whole {
  std::size_t rows = 0;
  double last_time = 0.0;
  std::size_t bytes = 0;
};

std::optional<double> leading_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

// The number of cells of a line of CSV.
std::size_t cell_count(std::string_view line) {
  std::size_t cells = 1;
  bool is_quoted = false;
  for (const char letter : line) {
    if (letter == '"') is_quoted = !is_quoted;
    if (letter == ',' && !is_quoted) ++cells;
  }
  return cells;
}

// Finds the time of a line that is a whole row.
class Lines {
 public:
  enum class Kind { Csv, Json };
  explicit Lines(Kind kind) : kind_(kind) {}

  bool has_header() const { return kind_ == Kind::Csv; }
  void read_header(std::string_view line) { cells_ = cell_count(line); }
  std::optional<double> time_of(std::string_view line) const {
    if (kind_ == Kind::Csv) return cell_count(line) == cells_ ? leading_number(line) : std::nullopt;
    constexpr std::string_view begin = "{\"time\":";
    if (!line.starts_with(begin) || !line.ends_with('}')) return std::nullopt;
    return leading_number(line.substr(begin.size()));
  }

 private:
  Kind kind_;
  std::size_t cells_ = 0;
};

// A run that was cut off leaves part of a row at the end, and a power cut also zeros, from
// somewhere after the last flush on. Anything else was not written by a run, and must not be cut
// off.
Error not_cut_off(const GrowingFile& file, std::size_t row) {
  return {"report.not-a-table",
          fmt::format("row {} of `{}` is no row of results, and no run was cut off there", row,
                      file.path()),
          "nothing has been changed; only what a run leaves unfinished is cut off"};
}

// From the start, line by line.
Result<Whole> whole_lines(const GrowingFile& file, Lines lines) {
  Whole whole;
  std::vector<char> block(block_bytes);
  std::string rest;
  bool is_header = lines.has_header();
  for (std::size_t offset = 0; offset < file.length();) {
    const std::size_t count = file.read(offset, block);
    if (count == 0) break;
    offset += count;
    rest.append(block.data(), count);
    std::size_t begin = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos;
         end = rest.find('\n', begin)) {
      const std::string_view line = std::string_view(rest).substr(begin, end - begin);
      const std::size_t bytes = line.size() + 1;
      begin = end + 1;
      if (std::exchange(is_header, false)) {
        lines.read_header(line);
        whole.bytes += bytes;
        continue;
      }
      const std::optional<double> time = lines.time_of(line);
      if (!time || (whole.rows > 0 && *time < whole.last_time)) {
        if (line.find('\0') == std::string_view::npos) return not_cut_off(file, whole.rows + 1);
        return whole;
      }
      whole = {whole.rows + 1, *time, whole.bytes + bytes};
    }
    rest.erase(0, begin);
  }
  return whole;
}

template <class Number>
Number number_at(const GrowingFile& file, std::size_t offset) {
  Number number = 0;
  char raw[sizeof number] = {};
  file.read(offset, raw);
  std::memcpy(&number, raw, sizeof number);
  return number;
}

// A matrix of the file, according to its header.
struct Record {
  std::int32_t type = 0, rows = 0, columns = 0, name_bytes = 0;
  std::size_t offset = 0;  // of the header
  std::string name = {};

  std::size_t data() const {
    return offset + 5 * sizeof(std::int32_t) + static_cast<std::size_t>(name_bytes);
  }
};

std::optional<Record> record_at(const GrowingFile& file, std::size_t offset) {
  constexpr std::int32_t longest_name = 64;
  Record record{.type = number_at<std::int32_t>(file, offset),
                .rows = number_at<std::int32_t>(file, offset + 4),
                .columns = number_at<std::int32_t>(file, offset + 8),
                .name_bytes = number_at<std::int32_t>(file, offset + 16),
                .offset = offset};
  if (record.rows < 0 || record.columns < 0 || record.name_bytes < 1 ||
      record.name_bytes > longest_name)
    return std::nullopt;
  std::string name(static_cast<std::size_t>(record.name_bytes), '\0');
  if (file.read(offset + 20, name) != name.size()) return std::nullopt;
  record.name = name.c_str();
  return record;
}

// The matrices with the constants and with the rows, the last one.
struct MatPlaces {
  Record constants, rows;
};

std::optional<MatPlaces> find_places(const GrowingFile& file) {
  MatPlaces places;
  std::size_t offset = 0;
  for (const char* name : {"Aclass", "name", "description", "dataInfo", "data_1", "data_2"}) {
    const std::optional<Record> record = record_at(file, offset);
    if (!record || record->name != name) return std::nullopt;
    places.constants = places.rows;
    places.rows = *record;
    const MatMatrix matrix{name, record->type, static_cast<std::size_t>(record->rows),
                           static_cast<std::size_t>(record->columns)};
    offset += matrix.bytes();
  }
  if (places.rows.rows < 1 || places.rows.type != type_double) return std::nullopt;
  return places;
}

Result<Whole> whole_columns(const GrowingFile& file, const MatPlaces& places) {
  const std::size_t width = static_cast<std::size_t>(places.rows.rows);
  const std::size_t row_bytes = width * sizeof(double);
  const std::size_t at_once = std::max<std::size_t>(block_bytes / row_bytes, 1);
  std::vector<double> cells(at_once * width);
  Whole whole{.bytes = places.rows.data()};
  for (;;) {
    const std::span<char> raw(reinterpret_cast<char*>(cells.data()), cells.size() * sizeof(double));
    const std::size_t rows = file.read(whole.bytes, raw) / row_bytes;
    for (std::size_t row = 0; row < rows; ++row) {
      const double time = cells[row * width];
      if (!std::isfinite(time) || (whole.rows > 0 && time < whole.last_time)) {
        if (time != 0.0) return not_cut_off(file, whole.rows + 1);
        return whole;
      }
      whole = {whole.rows + 1, time, whole.bytes + row_bytes};
    }
    if (rows < at_once) return whole;
  }
}

template <class Number>
void put(GrowingFile& file, std::size_t offset, Number number) {
  std::string bytes;
  append_raw(bytes, number);
  file.overwrite(offset, bytes);
}

Error without_rows(const std::string& path) {
  return {"report.not-a-table", fmt::format("`{}` holds no whole row", path)};
}

Result<Repaired> cut_off(GrowingFile& file, const Whole& whole) {
  const std::size_t bytes_cut = file.length() - whole.bytes;
  file.cut(whole.bytes);
  file.sync();
  if (const std::optional<Error> error = file.error()) return *error;
  return Repaired{whole.rows, whole.last_time, bytes_cut};
}

Result<Repaired> repair_lines(GrowingFile& file, Lines::Kind kind) {
  const Result<Whole> whole = whole_lines(file, Lines(kind));
  if (!whole) return whole.error();
  return whole->rows == 0 ? without_rows(file.path()) : cut_off(file, *whole);
}

Result<Repaired> repair_mat(GrowingFile& file) {
  const std::optional<MatPlaces> places = find_places(file);
  if (!places) {
    return Error{"report.not-a-table",
                 fmt::format("`{}` is not laid out as our results are", file.path())};
  }
  const Result<Whole> whole = whole_columns(file, *places);
  if (!whole) return whole.error();
  if (whole->rows == 0) return without_rows(file.path());
  const Record& constants = places->constants;
  const std::size_t column = static_cast<std::size_t>(constants.rows) * sizeof(double);
  put(file, constants.data(), number_at<double>(file, places->rows.data()));
  put(file, constants.data() + column, whole->last_time);
  put(file, places->rows.offset + offset_of_columns, static_cast<std::int32_t>(whole->rows));
  return cut_off(file, *whole);
}

}  // namespace

Result<Repaired> repair_results(const std::string& path) {
  const std::string extension = result_extension(path);
  Result<GrowingFile> file = GrowingFile::reopen(path);
  if (!file) return file.error();
  if (extension == ".csv") return repair_lines(*file, Lines::Kind::Csv);
  if (extension == ".jsonl") return repair_lines(*file, Lines::Kind::Json);
  if (extension == ".mat") return repair_mat(*file);
  if (hdf5::is_extension(extension)) return hdf5::repair(*file);
  return Error{
      "usage.input", fmt::format("cannot tell the format of `{}`", path),
      "its name must end in .csv, .mat, .h5, .hdf5 or .jsonl, or in one of these and .part"};
}

}  // namespace daedalus::report
