// CSV as RFC 4180 has it, with the time first and one row for each stored row; constants are left
// out.
#include <functional>
#include <string>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/finite.hpp"
#include "report/number.hpp"

namespace daedalus::report {
namespace {

// Brackets need no quotes in RFC 4180, but spreadsheets and result readers expect them around
// `x[1,2]`.
bool needs_quotes(std::string_view name) {
  return name.empty() || name.find_first_of(",;\"\r\n\t []{}()'") != std::string_view::npos;
}

void append_name(std::string& line, std::string_view name) {
  if (!needs_quotes(name)) {
    line += name;
    return;
  }
  line += '"';
  for (const char letter : name) {
    if (letter == '"') line += '"';
    line += letter;
  }
  line += '"';
}

// Line by line.
void put_rows(const solution::Table& table, const std::function<void(std::string_view)>& put) {
  std::vector<const solution::Variable*> columns;
  for (const solution::Variable& variable : table.variables) {
    if (!variable.is_constant) columns.push_back(&variable);
  }

  std::string line = "time";
  for (const solution::Variable* variable : columns) {
    line += ',';
    append_name(line, variable->name);
  }
  line += '\n';
  put(line);

  for (std::size_t row = 0; row < table.rows(); ++row) {
    line.clear();
    append_number(line, table.time(row));
    for (const solution::Variable* variable : columns) {
      line += ',';
      append_number(line, table.value(*variable, row), variable->kind);
    }
    line += '\n';
    put(line);
  }
}

}  // namespace

Result<std::size_t> write_csv(const std::string& path, const solution::Table& table) {
  if (const std::optional<Error> error = nonfinite_trajectory(table)) return *error;
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  put_rows(table, [&](std::string_view line) { file->write(line); });
  return file->commit();
}

std::optional<Error> print_csv(std::FILE* stream, const solution::Table& table) {
  if (std::optional<Error> error = nonfinite_trajectory(table)) return error;
  put_rows(table, [&](std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stream);  // the stream remembers what goes wrong
  });
  return std::nullopt;
}

}  // namespace daedalus::report
