#include "report/finite.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// The variable that owns a cell; an unnamed cell, which no file shows, has none.
const solution::Variable* owner(const solution::Table& table, std::size_t place) {
  const auto found = std::ranges::find_if(table.variables, [&](const solution::Variable& variable) {
    return !variable.is_constant && variable.place == place;
  });
  return found == table.variables.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Error> nonfinite_trajectory(const solution::Table& table) {
  for (std::size_t cell = 0; cell < table.rows() * table.width; ++cell) {
    if (std::isfinite(table.cells[cell])) continue;
    const std::size_t row = cell / table.width;
    const std::size_t place = cell % table.width;
    if (place == 0)
      return Error{code, fmt::format("the time of row {} is {}", row + 1, table.time(row))};
    const solution::Variable* variable = owner(table, place);
    if (variable != nullptr)
      return at_time(variable->name, table.value(*variable, row), table.time(row));
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
