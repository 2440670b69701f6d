// A linear model as MATLAB matrices and as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/mat_records.hpp"
#include "report/number.hpp"
#include "report/text.hpp"

namespace daedalus::report {
namespace {

using solution::LinearModel;
using solution::Matrix;
using solution::MatrixEntry;

void append_dense(std::string& bytes, const char* name, const Matrix& matrix) {
  append_header(bytes, {name, type_double, matrix.rows, matrix.columns});
  for (const double value : matrix.dense()) append_raw(bytes, value);
}

void append_sparse(std::string& bytes, const char* name, const Matrix& matrix) {
  append_header(bytes, {name, type_sparse, matrix.entries.size() + 1, 3});
  for (const MatrixEntry& entry : matrix.entries) {
    append_raw(bytes, static_cast<double>(entry.row + 1));
  }
  append_raw(bytes, static_cast<double>(matrix.rows));
  for (const MatrixEntry& entry : matrix.entries) {
    append_raw(bytes, static_cast<double>(entry.column + 1));
  }
  append_raw(bytes, static_cast<double>(matrix.columns));
  for (const MatrixEntry& entry : matrix.entries) append_raw(bytes, entry.value);
  append_raw(bytes, 0.0);
}

void append_column(std::string& bytes, const char* name, const std::vector<double>& values) {
  append_header(bytes, {name, type_double, values.size(), 1});
  for (const double value : values) append_raw(bytes, value);
}

// A name in each row, padded with blanks, like MATLAB's own character matrices.
void append_names(std::string& bytes, const char* name, const std::vector<std::string>& names) {
  std::size_t longest = 0;
  for (const std::string& text : names) longest = std::max(longest, text.size());
  append_header(bytes, {name, type_text, names.size(), longest});
  std::string column(names.size(), ' ');
  for (std::size_t k = 0; k < longest; ++k) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      column[i] = k < names[i].size() ? names[i][k] : ' ';
    }
    bytes += column;
  }
}

void append_list(std::string& text, const std::vector<double>& values) {
  text += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    append_number(text, values[i]);
  }
  text += ']';
}

void append_rows(std::string& text, const Matrix& matrix) {
  text += '[';
  auto entry = matrix.entries.begin();
  std::vector<double> row(matrix.columns);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::ranges::fill(row, 0.0);
    for (; entry != matrix.entries.end() && entry->row == i; ++entry) {
      row[entry->column] = entry->value;
    }
    text += i == 0 ? "\n    " : ",\n    ";
    append_list(text, row);
  }
  text += ']';
}

void append_entries(std::string& text, const Matrix& matrix) {
  text += "{\"rows\": " + std::to_string(matrix.rows) +
          ", \"columns\": " + std::to_string(matrix.columns) + ", \"entries\": [";
  for (const MatrixEntry& entry : matrix.entries) {
    text += &entry == &matrix.entries.front() ? "\n    [" : ",\n    [";
    text += std::to_string(entry.row) + ", " + std::to_string(entry.column) + ", ";
    append_number(text, entry.value);
    text += ']';
  }
  text += "]}";
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json mode_json(const LinearModel& linear, const solution::Mode& mode) {
  nlohmann::ordered_json dominant = nlohmann::ordered_json::array();
  for (const solution::Participation& participation : mode.dominant) {
    dominant.push_back(
        {{"state", linear.states[participation.state]}, {"share", participation.share}});
  }
  return {{"real", mode.eigenvalue.real()},
          {"imag", mode.eigenvalue.imag()},
          {"damping_ratio", number_or_null(mode.damping_ratio())},
          {"natural_frequency", mode.natural_frequency()},
          {"time_constant", number_or_null(mode.time_constant())},
          {"dominant", dominant}};
}

void append_modes(std::string& text, const LinearModel& linear) {
  if (!linear.modes) {
    text += "null";
    return;
  }
  text += '[';
  for (const solution::Mode& mode : *linear.modes) {
    text += &mode == &linear.modes->front() ? "\n    " : ",\n    ";
    text += json_text(mode_json(linear, mode));
  }
  text += ']';
}

}  // namespace

std::string linear_json(const LinearModel& linear) {
  std::string text = "{\n  \"status\": \"finished\"";
  const auto field = [&](const char* name) { text += std::string(",\n  \"") + name + "\": "; };
  field("model");
  text += json_text(linear.model);
  field("time");
  append_number(text, linear.time);
  for (const auto& [name, names] :
       {std::pair("states", &linear.states), std::pair("inputs", &linear.inputs),
        std::pair("outputs", &linear.outputs), std::pair("notes", &linear.notes)}) {
    field(name);
    text += json_text(*names);
  }
  for (const auto& [name, values] :
       {std::pair("x0", &linear.x0), std::pair("u0", &linear.u0), std::pair("y0", &linear.y0),
        std::pair("derivatives", &linear.derivatives)}) {
    field(name);
    append_list(text, *values);
  }
  for (const auto& [name, matrix] : {std::pair("A", &linear.A), std::pair("B", &linear.B),
                                     std::pair("C", &linear.C), std::pair("D", &linear.D)}) {
    field(name);
    linear.is_large() ? append_entries(text, *matrix) : append_rows(text, *matrix);
  }
  field("eigenvalues");
  append_modes(text, linear);
  if (!linear.modes) {
    field("why_no_eigenvalues");
    text += json_text(linear.why_no_modes);
  }
  return text + "\n}\n";
}

Result<std::size_t> write_linear_json(const std::string& path, const LinearModel& linear) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(linear_json(linear));
  return file->commit();
}

Result<std::size_t> write_linear_mat(const std::string& path, const LinearModel& linear) {
  std::string bytes;
  for (const auto& [name, matrix] : {std::pair("A", &linear.A), std::pair("B", &linear.B),
                                     std::pair("C", &linear.C), std::pair("D", &linear.D)}) {
    linear.is_large() ? append_sparse(bytes, name, *matrix) : append_dense(bytes, name, *matrix);
  }
  append_column(bytes, "t0", {linear.time});
  append_column(bytes, "x0", linear.x0);
  append_column(bytes, "u0", linear.u0);
  append_column(bytes, "y0", linear.y0);
  append_column(bytes, "dx0", linear.derivatives);
  append_names(bytes, "xNames", linear.states);
  append_names(bytes, "uNames", linear.inputs);
  append_names(bytes, "yNames", linear.outputs);
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(bytes);
  return file->commit();
}

}  // namespace daedalus::report
