// MATLAB files of level 4 in the layout that Dymola and OpenModelica share ("dsres"), as rows
// (binNormal) or transposed (binTrans).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "report/read.hpp"

namespace daedalus::report {
namespace {

using solution::Table;

// Numbers or characters, column after column.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  double at(std::size_t row, std::size_t column) const { return values[column * rows + row]; }
};

using Matrices = std::unordered_map<std::string, Matrix>;  // never iterated over

template <class Number>
Number take(std::string_view& bytes) {
  Number number;
  std::copy_n(bytes.begin(), sizeof number, reinterpret_cast<char*>(&number));
  bytes.remove_prefix(sizeof number);
  return number;
}

// The types of the format, by the tens digit of the header's first number.
double take_value(std::string_view& bytes, int precision) {
  switch (precision) {
    case 0:
      return take<double>(bytes);
    case 1:
      return take<float>(bytes);
    case 2:
      return take<std::int32_t>(bytes);
    case 3:
      return take<std::int16_t>(bytes);
    case 4:
      return take<std::uint16_t>(bytes);
    default:
      return take<std::uint8_t>(bytes);
  }
}

std::size_t size_of(int precision) {
  constexpr std::size_t sizes[] = {8, 4, 4, 2, 2, 1};
  return sizes[precision];
}

Result<Matrices> parse_matrices(std::string_view bytes) {
  constexpr std::size_t header = 5 * sizeof(std::int32_t);
  Matrices matrices;
  while (!bytes.empty()) {
    if (bytes.size() < header) return not_a_table("a matrix is cut off");
    const auto kind = take<std::int32_t>(bytes);
    const auto rows = take<std::int32_t>(bytes), columns = take<std::int32_t>(bytes);
    const auto is_complex = take<std::int32_t>(bytes), length = take<std::int32_t>(bytes);
    const int precision = kind / 10 % 10;
    if (kind < 0 || kind >= 100 || precision > 5 || kind % 10 > 1 || rows < 0 || columns < 0 ||
        is_complex != 0 || length < 1)
      return not_a_table("it is no MATLAB file of level 4 as simulators write it");
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    const auto name_length = static_cast<std::size_t>(length);
    if (bytes.size() < name_length || (bytes.size() - name_length) / size_of(precision) < count)
      return not_a_table("a matrix is cut off");
    const std::string_view padded = bytes.substr(0, name_length);  // with zeros
    bytes.remove_prefix(name_length);
    Matrix& matrix = matrices[std::string(padded.substr(0, padded.find('\0')))];
    matrix = {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), {}};
    matrix.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) matrix.values.push_back(take_value(bytes, precision));
  }
  return matrices;
}

// The matrices of a result, with one column for each name or point in time.
struct Parts {
  Matrix names, info, constants, rows;
};

Matrix transposed(const Matrix& matrix) {
  Matrix result{matrix.columns, matrix.rows, {}};
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < matrix.columns; ++j) result.values.push_back(matrix.at(i, j));
  }
  return result;
}

Result<Parts> find_parts(const Matrices& matrices) {
  for (const char* name : {"Aclass", "name", "dataInfo", "data_1", "data_2"}) {
    if (!matrices.contains(name)) return not_a_table(fmt::format("there is no matrix `{}`", name));
  }
  const Matrix& about = matrices.at("Aclass");
  std::string form;
  for (std::size_t j = 0; about.rows == 4 && j < about.columns; ++j)
    form += static_cast<char>(about.at(3, j));
  const bool is_transposed = form.starts_with("binTrans");
  const auto part = [&](const char* name) {
    const Matrix& matrix = matrices.at(name);
    return is_transposed ? matrix : transposed(matrix);
  };
  Parts parts{part("name"), part("dataInfo"), part("data_1"), part("data_2")};
  const bool fits = parts.info.rows >= 2 && parts.info.columns == parts.names.columns &&
                    parts.rows.rows > 0 && parts.constants.columns > 0;
  if (!fits) return not_a_table("its matrices do not fit together");
  return parts;
}

std::string name_at(const Matrix& names, std::size_t column) {
  std::string name;
  for (std::size_t i = 0; i < names.rows; ++i) {
    const auto letter = static_cast<char>(names.at(i, column));
    if (letter == '\0') break;
    name += letter;
  }
  name.resize(name.find_last_not_of(' ') + 1);
  return name;
}

}  // namespace

Result<Table> parse_mat(std::string_view bytes) {
  const Result<Matrices> matrices = parse_matrices(bytes);
  if (!matrices) return matrices.error();
  const Result<Parts> found = find_parts(*matrices);
  if (!found) return found.error();
  const auto& [names, info, constants, rows] = *found;
  Table table{.variables = {}, .constants = {}, .width = rows.rows, .cells = rows.values};
  for (std::size_t i = 0; i < constants.rows; ++i) table.constants.push_back(constants.at(i, 0));
  for (std::size_t i = 1; i < names.columns; ++i) {
    const double matrix = info.at(0, i), place = info.at(1, i);  // counted from 1
    const bool is_constant = matrix == 1.0;
    const auto most = static_cast<double>(is_constant ? constants.rows : rows.rows);
    if ((!is_constant && matrix != 2.0) || !(std::abs(place) >= 1.0 && std::abs(place) <= most))
      return not_a_table(fmt::format("`{}` has no place in its data", name_at(names, i)));
    table.variables.push_back({.name = name_at(names, i),
                               .is_constant = is_constant,
                               .place = static_cast<std::size_t>(std::abs(place)) - 1,
                               .sign = place < 0.0 ? -1 : 1});
  }
  return table;
}

}  // namespace daedalus::report
