// CSV according to RFC 4180, with the time first and one row for each stored row; constants are
// left out.
#include <string>

#include "daedalus/report/report.hpp"
#include "report/number.hpp"
#include "report/row_format.hpp"

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

class CsvRows final : public RowFormat {
 public:
  Result<std::string> header(const solution::Table& table) override {
    cells_ = shown_cells(table);
    std::string line = "time";
    for (const solution::Variable* variable : shown_variables(table)) {
      line += ',';
      append_name(line, variable->name);
    }
    line += '\n';
    return line;
  }

  void append_row(std::span<const double> cells, std::string& bytes) const override {
    append_number(bytes, cells[0]);
    for (const RowCell& cell : cells_) {
      bytes += ',';
      append_number(bytes, cell.value(cells), cell.kind);
    }
    bytes += '\n';
  }

 private:
  std::vector<RowCell> cells_;
};

}  // namespace

std::unique_ptr<RowFormat> csv_rows() { return std::make_unique<CsvRows>(); }

Result<std::size_t> write_csv(const std::string& path, const solution::Table& table) {
  CsvRows rows;
  return write_table(rows, path, table);
}

}  // namespace daedalus::report
