// Runs as MATLAB files in the layout that Dymola and OpenModelica share ("dsres", binTrans).
#include "report/mat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/finite.hpp"

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
void write_padded(AtomicFile& file, std::string_view text, std::size_t length) {
  file.write(text);
  file.write(std::string(length - text.size(), '\0'));
}

std::string described(const solution::Variable& variable) {
  if (variable.unit.empty()) return variable.description;
  const char* blank = variable.description.empty() ? "" : " ";
  return fmt::format("{}{}[{}]", variable.description, blank, variable.unit);
}

// Which data matrix, which row of it (negative: negated), linear interpolation, what holds outside.
void write_info(AtomicFile& file, int matrix, std::size_t place, int sign, int outside) {
  write_raw(file, std::int32_t{matrix});
  write_raw(file, sign * static_cast<std::int32_t>(place + 1));
  write_raw(file, std::int32_t{0});
  write_raw(file, std::int32_t{outside});
}

void write_infos(AtomicFile& file, const solution::Table& table) {
  constexpr int undefined_outside = -1;
  constexpr int same_outside = 0;
  write_info(file, 0, 0, 1, undefined_outside);  // matrix 0: the abscissa of all the others
  for (const solution::Variable& variable : table.variables) {
    if (variable.is_constant) {
      write_info(file, 1, variable.place + 1, variable.sign, same_outside);
    } else {
      write_info(file, 2, variable.place, variable.sign, undefined_outside);
    }
  }
}

void write_constants(AtomicFile& file, const solution::Table& table) {
  for (const std::size_t row : {std::size_t{0}, table.rows() - 1}) {
    write_raw(file, table.time(row));
    for (const double constant : table.constants) write_raw(file, constant);
  }
}

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
          "write CSV, store fewer variables (--variables) or fewer points (--intervals)"};
    }
  }
  return matrices;
}

Result<std::size_t> write_mat(const std::string& path, const solution::Table& table) {
  if (table.rows() == 0)
    return Error{"report.no-rows", fmt::format("the run stored no values for `{}`", path)};
  if (const std::optional<Error> error = nonfinite_trajectory(table)) return *error;
  if (const std::optional<Error> error = nonfinite_constant(table)) return *error;
  const Result<std::vector<MatMatrix>> layout = mat_layout(mat_extent(table));
  if (!layout) return layout.error();
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();

  const std::vector<MatMatrix>& matrices = *layout;
  write_header(*file, matrices[0]);
  file->write(a_class);
  write_header(*file, matrices[1]);
  write_padded(*file, time_name, matrices[1].rows);
  for (const solution::Variable& variable : table.variables) {
    write_padded(*file, variable.name, matrices[1].rows);
  }
  write_header(*file, matrices[2]);
  write_padded(*file, time_description, matrices[2].rows);
  for (const solution::Variable& variable : table.variables) {
    write_padded(*file, described(variable), matrices[2].rows);
  }
  write_header(*file, matrices[3]);
  write_infos(*file, table);
  write_header(*file, matrices[4]);
  write_constants(*file, table);
  write_header(*file, matrices[5]);
  for (const double cell : table.cells) write_raw(*file, cell);
  return file->commit();
}

}  // namespace daedalus::report
