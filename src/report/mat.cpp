// Runs as MATLAB files in the layout that Dymola and OpenModelica share ("dsres", binTrans).
#include "report/mat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "daedalus/report/report.hpp"
#include "report/finite.hpp"
#include "report/row_format.hpp"

namespace daedalus::report {
namespace {

constexpr std::size_t largest_file = std::numeric_limits<std::int32_t>::max();

// "Atrajectory", "1.1", "", "binTrans": four rows, stored by columns, padded with blanks.
constexpr std::string_view a_class = "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ";
constexpr std::size_t a_class_rows = 4;

constexpr std::string_view time_name = "time";
constexpr std::string_view time_description = "Simulation time [s]";

// A column of a text matrix; zeros pad it, as in OpenModelica's files, so that C readers find its
// end.
void append_padded(std::string& bytes, std::string_view text, std::size_t length) {
  bytes += text;
  bytes.append(length - text.size(), '\0');
}

std::string described(const solution::Variable& variable) {
  if (variable.unit.empty()) return variable.description;
  const char* blank = variable.description.empty() ? "" : " ";
  return fmt::format("{}{}[{}]", variable.description, blank, variable.unit);
}

// Which data matrix, which row of it (negative: negated), linear interpolation, value outside.
void append_info(std::string& bytes, int matrix, std::size_t place, int sign, int outside) {
  append_raw(bytes, std::int32_t{matrix});
  append_raw(bytes, sign * static_cast<std::int32_t>(place + 1));
  append_raw(bytes, std::int32_t{0});
  append_raw(bytes, std::int32_t{outside});
}

void append_infos(std::string& bytes, const solution::Table& table) {
  constexpr int undefined_outside = -1;
  constexpr int same_outside = 0;
  append_info(bytes, 0, 0, 1, undefined_outside);  // matrix 0: the abscissa of all the others
  for (const solution::Variable& variable : table.variables) {
    if (variable.is_constant) {
      append_info(bytes, 1, variable.place + 1, variable.sign, same_outside);
    } else {
      append_info(bytes, 2, variable.place, variable.sign, undefined_outside);
    }
  }
}

// At the first and at the last time.
void append_constants(std::string& bytes, const solution::Table& table) {
  const std::size_t rows = table.rows();
  for (const std::size_t row : {std::size_t{0}, rows - 1}) {
    append_raw(bytes, rows > 0 ? table.time(row) : 0.0);
    for (const double constant : table.constants) append_raw(bytes, constant);
  }
}

template <class Number>
Patch patch_at(std::size_t offset, Number number) {
  Patch patch{.offset = offset};
  append_raw(patch.bytes, number);
  return patch;
}

// The last matrix grows by a column with each row.
class MatRows final : public RowFormat {
 public:
  Result<std::string> header(const solution::Table& table) override {
    if (const std::optional<Error> error = nonfinite_constant(table)) return *error;
    const Result<std::vector<MatMatrix>> layout = mat_layout(mat_extent(table));
    if (!layout) return layout.error();
    const std::vector<MatMatrix>& matrices = *layout;
    std::string bytes;
    append_header(bytes, matrices[0]);
    bytes += a_class;
    append_header(bytes, matrices[1]);
    append_padded(bytes, time_name, matrices[1].rows);
    for (const solution::Variable& variable : table.variables)
      append_padded(bytes, variable.name, matrices[1].rows);
    append_header(bytes, matrices[2]);
    append_padded(bytes, time_description, matrices[2].rows);
    for (const solution::Variable& variable : table.variables)
      append_padded(bytes, described(variable), matrices[2].rows);
    append_header(bytes, matrices[3]);
    append_infos(bytes, table);
    append_header(bytes, matrices[4]);
    places_.first_time = bytes.size();
    append_constants(bytes, table);
    places_.last_time = places_.first_time + (bytes.size() - places_.first_time) / 2;
    places_.columns = bytes.size() + offset_of_columns;
    append_header(bytes, matrices[5]);
    most_rows_ = (largest_file - bytes.size()) / (table.width * sizeof(double));
    return bytes;
  }

  void append_row(std::span<const double> cells, std::string& bytes) const override {
    for (const double cell : cells) append_raw(bytes, cell);
  }

  std::vector<Patch> patches(const RowsWritten& rows) const override {
    return {patch_at(places_.first_time, rows.first_time),
            patch_at(places_.last_time, rows.last_time),
            patch_at(places_.columns, static_cast<std::int32_t>(rows.count))};
  }

  std::size_t most_rows() const override { return most_rows_; }

 private:
  struct {
    std::size_t first_time = 0, last_time = 0, columns = 0;
  } places_;
  std::size_t most_rows_ = 0;
};

}  // namespace

MatExtent mat_extent(const solution::Table& table) {
  MatExtent extent{.names = table.variables.size() + 1,
                   .longest_name = time_name.size(),
                   .longest_description = time_description.size(),
                   .constants = table.constants.size(),
                   .width = table.width,
                   .rows = table.rows()};
  for (const solution::Variable& variable : table.variables) {
    extent.longest_name = std::max(extent.longest_name, variable.name.size());
    extent.longest_description = std::max(extent.longest_description, described(variable).size());
  }
  return extent;
}

Result<std::vector<MatMatrix>> mat_layout(const MatExtent& extent) {
  const std::vector<MatMatrix> matrices = {
      {"Aclass", type_text, a_class_rows, a_class.size() / a_class_rows},
      {"name", type_text, extent.longest_name, extent.names},
      {"description", type_text, extent.longest_description, extent.names},
      {"dataInfo", type_int32, 4, extent.names},
      {"data_1", type_double, extent.constants + 1, 2},
      {"data_2", type_double, extent.width, extent.rows},
  };
  std::size_t bytes = 0;
  for (const MatMatrix& matrix : matrices) {
    const bool fits = matrix.rows <= largest_file && matrix.columns <= largest_file &&
                      matrix.rows <= largest_file / std::max<std::size_t>(matrix.columns, 1);
    bytes = fits ? bytes + matrix.bytes() : largest_file + 1;
    if (bytes > largest_file) {
      return Error{
          "report.mat-too-large",
          fmt::format(
              "{} rows of {} variables pass the 2 GiB that a MATLAB file of level 4 can hold",
              extent.rows, extent.names - 1),
          "write HDF5 (.h5), store fewer variables (--variables) or fewer points (--intervals)"};
    }
  }
  return matrices;
}

std::unique_ptr<RowFormat> mat_rows() { return std::make_unique<MatRows>(); }

Result<std::size_t> write_mat(const std::string& path, const solution::Table& table) {
  if (table.rows() == 0)
    return Error{"report.no-rows", fmt::format("the run stored no values for `{}`", path)};
  MatRows rows;
  return write_table(rows, path, table);
}

}  // namespace daedalus::report
