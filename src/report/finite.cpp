#include "report/finite.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace daedalus::report {
namespace {

constexpr const char* code = "report.non-finite";
constexpr const char* hint =
    "look at what the model computes there: a division by zero or a root of a "
    "negative number gives such values";

Error at_time(const std::string& name, double value, double time) {
  return {code, fmt::format("`{}` is {} at t = {}", name, value, time), hint};
}

// The variable of each place in a row; one without a name, which no file shows, has none.
std::vector<const solution::Variable*> owners(const solution::Table& table) {
  std::vector<const solution::Variable*> by_place(table.width, nullptr);
  for (const solution::Variable& variable : table.variables) {
    if (!variable.is_constant && by_place[variable.place] == nullptr)
      by_place[variable.place] = &variable;
  }
  return by_place;
}

}  // namespace

std::optional<Error> nonfinite_trajectory(const solution::Table& table) {
  const std::vector<const solution::Variable*> variables = owners(table);
  for (std::size_t cell = 0; cell < table.rows() * table.width; ++cell) {
    if (std::isfinite(table.cells[cell])) continue;
    const std::size_t row = cell / table.width;
    const std::size_t place = cell % table.width;
    if (place == 0)
      return Error{code, fmt::format("the time of row {} is {}", row + 1, table.time(row))};
    const solution::Variable* variable = variables[place];
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
