#include "report/finite.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedalus::report {
namespace {

constexpr const char* code = "report.non-finite";
constexpr const char* hint =
    "look at what the model computes there: a division by zero or a root of a "
    "negative number gives such values";

Error at_time(const std::string& name, double value, double time) {
  return {code, fmt::format("`{}` is {} at t = {}", name, value, time), hint};
}

}  // namespace

FiniteRows::FiniteRows(const solution::Table& layout) : by_place_(layout.width, nullptr) {
  for (const solution::Variable& variable : layout.variables) {
    if (!variable.is_constant && by_place_[variable.place] == nullptr)
      by_place_[variable.place] = &variable;
  }
}

std::optional<Error> FiniteRows::check(std::span<const double> cells) const {
  for (std::size_t place = 0; place < cells.size(); ++place) {
    if (std::isfinite(cells[place])) continue;
    if (place == 0) return Error{code, fmt::format("the time of a row is {}", cells[0])};
    const solution::Variable* variable = by_place_[place];
    if (variable != nullptr)
      return at_time(variable->name, variable->sign * cells[place], cells[0]);
  }
  return std::nullopt;
}

std::optional<Error> nonfinite_trajectory(const solution::Table& table) {
  const FiniteRows rows(table);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (std::optional<Error> error = rows.check(table.row(row))) return error;
  }
  return std::nullopt;
}

std::optional<Error> nonfinite_constant(const solution::Table& table) {
  for (const solution::Variable& variable : table.variables) {
    if (!variable.is_constant || std::isfinite(table.constants[variable.place])) continue;
    return Error{code,
                 fmt::format("the constant `{}` is {}", variable.name, table.value(variable, 0)),
                 hint};
  }
  return std::nullopt;
}

}  // namespace daedalus::report
