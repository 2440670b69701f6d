#include "report/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "daedalus/base/file.hpp"
#include "daedalus/base/growing_file.hpp"
#include "report/hdf5/series_file.hpp"

namespace daedalus::report {
namespace {

using solution::Table;

struct Format {
  std::string_view extension;
  Result<Table> (*parse)(std::string_view);
};

constexpr Format formats[] = {
    {".csv", parse_csv}, {".mat", parse_mat}, {".jsonl", parse_jsonl}, {".json", parse_json}};

Result<Table> read_whole(const std::string& path, Result<Table> (*parse)(std::string_view)) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  return parse(*bytes);
}

std::optional<Error> check(const Table& table) {
  if (table.rows() == 0) return not_a_table("there are no rows");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < table.width; ++i) {
      if (!std::isfinite(table.cells[row * table.width + i]))
        return not_a_table(fmt::format("a value of row {} is not finite", row + 1));
    }
    if (row > 0 && table.time(row) < table.time(row - 1)) {
      return not_a_table(fmt::format("time goes back from {:.10g} to {:.10g}", table.time(row - 1),
                                     table.time(row)));
    }
  }
  return std::nullopt;
}

}  // namespace

Error not_a_table(std::string message) { return {"report.not-a-table", std::move(message)}; }

Result<Table> parse_json(std::string_view text) {
  const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object()) return not_a_table("it is no JSON object");
  const auto time = document.find("time"), values = document.find("values");
  if (time == document.end() || !time->is_array() || values == document.end() ||
      !values->is_object())
    return not_a_table("it has no `time` and `values`");
  Table table{.variables = {}, .constants = {}, .width = 1};
  std::vector<const nlohmann::ordered_json*> columns = {&*time};
  for (const auto& [name, value] : values->items()) {
    if (value.is_number()) {
      table.variables.push_back(
          {.name = name, .is_constant = true, .place = table.constants.size()});
      table.constants.push_back(value.get<double>());
    } else if (value.is_array() && value.size() == time->size()) {
      table.variables.push_back({.name = name, .place = columns.size()});
      columns.push_back(&value);
    } else {
      return not_a_table(fmt::format("`{}` has not as many values as `time`", name));
    }
  }
  table.width = columns.size();
  for (std::size_t row = 0; row < time->size(); ++row) {
    for (const nlohmann::ordered_json* column : columns) {
      if (!(*column)[row].is_number())
        return not_a_table(fmt::format("a value of row {} is no number", row + 1));
      table.cells.push_back((*column)[row].get<double>());
    }
  }
  return table;
}

// The first line names the variables; all lines have the same.
Result<Table> parse_jsonl(std::string_view text) {
  Table table;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto object = nlohmann::ordered_json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (object.is_discarded() || !object.is_object() || object.empty() ||
        object.begin().key() != "time")
      return not_a_table(fmt::format("line {} is no JSON object that begins with `time`", number));
    if (number == 1) {
      table.width = object.size();
      for (const auto& [name, value] : object.items()) {
        if (name != "time")
          table.variables.push_back({.name = name, .place = table.variables.size() + 1});
      }
    }
    std::size_t place = 0;
    for (const auto& [name, value] : object.items()) {
      const bool is_known = place == 0 || (place <= table.variables.size() &&
                                           table.variables[place - 1].name == name);
      if (!is_known || !value.is_number())
        return not_a_table(
            fmt::format("line {}: `{}` is no number of the first line's variables", number, name));
      table.cells.push_back(value.get<double>());
      ++place;
    }
    if (place != table.width)
      return not_a_table(
          fmt::format("line {} has {} values, the first one {}", number, place, table.width));
  }
  return table;
}

std::string result_extension(const std::string& path) {
  std::filesystem::path name = path;
  if (name.extension() == GrowingFile::suffix) name = name.stem();
  return name.extension().string();
}

Result<Table> read_results(const std::string& path) {
  const std::string extension = result_extension(path);
  const auto format = std::ranges::find(formats, extension, &Format::extension);
  const bool is_hdf5 = hdf5::is_extension(extension);
  if (format == std::end(formats) && !is_hdf5) {
    return Error{"usage.input", fmt::format("cannot tell the format of `{}`", path),
                 "its name must end in .csv, .mat, .h5, .hdf5, .jsonl or .json"};
  }
  Result<Table> table = is_hdf5 ? read_hdf5(path) : read_whole(path, format->parse);
  if (!table && table.error().code != "report.not-a-table") return table;
  std::optional<Error> error = table ? check(*table) : std::optional(table.error());
  if (!error) return table;
  error->message = fmt::format("`{}` holds no results: {}", path, error->message);
  if (path.ends_with(GrowingFile::suffix))
    error->hint = fmt::format("`daedalus repair {}` keeps what is whole in it", path);
  return *error;
}

}  // namespace daedalus::report
