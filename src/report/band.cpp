#include "report/band.hpp"

#include <cmath>
#include <limits>

namespace daedalus::report {
namespace {

// The end of the rows with the same time as this one: those of an event.
std::size_t end_of_instant(const solution::Table& table, std::size_t row) {
  std::size_t end = row + 1;
  while (end < table.rows() && table.time(end) == table.time(row)) ++end;
  return end;
}

}  // namespace

// At an event, first rows are before it and last rows after it.
Band::Band(const solution::Table& first, const solution::Table& second)
    : first_(first), second_(second), rows_(first.rows(), none) {
  for (std::size_t i = 0, j = 0; i < first.rows() && j < second.rows();) {
    const std::size_t i_end = end_of_instant(first, i), j_end = end_of_instant(second, j);
    const double a = first.time(i), b = second.time(j);
    if (a == b) {
      rows_[i] = j;
      rows_[i_end - 1] = j_end - 1;
    }
    if (a <= b) i = i_end;
    if (b <= a) j = j_end;
  }
  for (const solution::Variable& variable : second.variables)
    variables_.emplace(variable.name, &variable);
}

std::vector<double> Band::of(const solution::Variable& variable) const {
  std::vector<double> difference(rows_.size(), std::numeric_limits<double>::quiet_NaN());
  const auto other = variables_.find(variable.name);
  if (other == variables_.end()) return difference;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row] == none) continue;
    difference[row] =
        std::abs(first_.value(variable, row) - second_.value(*other->second, rows_[row]));
  }
  return difference;
}

}  // namespace daedalus::report
