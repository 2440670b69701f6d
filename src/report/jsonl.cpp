// Lines of JSON: each row an object from the names of its variables to their values, the time
// first; constants are left out.
#include <string>

#include "daedalus/report/report.hpp"
#include "report/number.hpp"
#include "report/row_format.hpp"
#include "report/text.hpp"

namespace daedalus::report {
namespace {

class JsonlRows final : public RowFormat {
 public:
  Result<std::string> header(const solution::Table& table) override {
    cells_ = shown_cells(table);
    keys_.clear();
    for (const solution::Variable* variable : shown_variables(table))
      keys_.push_back(',' + json_text(variable->name) + ':');
    return std::string();
  }

  void append_row(std::span<const double> cells, std::string& bytes) const override {
    bytes += "{\"time\":";
    append_number(bytes, cells[0]);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      bytes += keys_[i];
      append_number(bytes, cells_[i].value(cells), cells_[i].kind);
    }
    bytes += "}\n";
  }

 private:
  std::vector<RowCell> cells_;
  std::vector<std::string> keys_;  // ,"name":
};

}  // namespace

std::unique_ptr<RowFormat> jsonl_rows() { return std::make_unique<JsonlRows>(); }

Result<std::size_t> write_jsonl(const std::string& path, const solution::Table& table) {
  JsonlRows rows;
  return write_table(rows, path, table);
}

}  // namespace daedalus::report
