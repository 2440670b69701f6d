#include "report/row_format.hpp"

#include <filesystem>

#include "daedalus/base/file.hpp"
#include "report/finite.hpp"

namespace daedalus::report {

std::unique_ptr<RowFormat> row_format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".csv") return csv_rows();
  if (extension == ".jsonl") return jsonl_rows();
  if (extension == ".mat") return mat_rows();
  return nullptr;
}

Result<std::size_t> write_table(RowFormat& format, const std::string& path,
                                const solution::Table& table) {
  if (const std::optional<Error> error = nonfinite_trajectory(table)) return *error;
  const Result<std::string> header = format.header(table);
  if (!header) return header.error();
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(*header);
  std::string bytes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    bytes.clear();
    format.append_row(table.row(row), bytes);
    file->write(bytes);
  }
  return file->commit();
}

std::vector<const solution::Variable*> shown_variables(const solution::Table& table) {
  std::vector<const solution::Variable*> shown;
  for (const solution::Variable& variable : table.variables) {
    if (!variable.is_constant) shown.push_back(&variable);
  }
  return shown;
}

std::vector<RowCell> shown_cells(const solution::Table& table) {
  std::vector<RowCell> cells;
  for (const solution::Variable* variable : shown_variables(table))
    cells.push_back({variable->place, variable->sign, variable->kind});
  return cells;
}

}  // namespace daedalus::report
