// The table as JSON: what each variable is, the time, and the values by name.
#include <nlohmann/json.hpp>
#include <string>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/finite.hpp"
#include "report/number.hpp"
#include "report/text.hpp"

namespace daedalus::report {
namespace {

nlohmann::ordered_json about(const solution::Variable& variable) {
  return {{"name", variable.name},
          {"unit", variable.unit},
          {"description", variable.description},
          {"kind", kind_name(variable.kind)},
          {"constant", variable.is_constant}};
}

// Numbers are appended as text, a column at a time: a tree of the whole table would take many times
// its size.
void append_value(std::string& text, const solution::Table& table,
                  const solution::Variable& variable) {
  if (variable.is_constant) return append_number(text, table.value(variable, 0), variable.kind);
  text += '[';
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (row > 0) text += ',';
    append_number(text, table.value(variable, row), variable.kind);
  }
  text += ']';
}

}  // namespace

Result<std::size_t> write_json(const std::string& path, const solution::Table& table) {
  if (const std::optional<Error> error = nonfinite_trajectory(table)) return *error;
  if (const std::optional<Error> error = nonfinite_constant(table)) return *error;
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();

  std::string text = "{\"variables\":[";
  for (const solution::Variable& variable : table.variables) {
    if (&variable != &table.variables.front()) text += ',';
    text += '\n' + json_text(about(variable));
  }
  text += "],\n\"time\":";
  append_value(text, table, {.name = "time"});
  text += ",\n\"values\":{";
  for (const solution::Variable& variable : table.variables) {
    if (&variable != &table.variables.front()) text += ',';
    text += '\n' + json_text(variable.name) + ':';
    append_value(text, table, variable);
    file->write(text);
    text.clear();
  }
  file->write(text + "}}\n");
  return file->commit();
}

}  // namespace daedalus::report
