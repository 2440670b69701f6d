// Checks what every result file promises: each number in it is finite.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// Checks the rows of a table with these variables. A column without a name, which no file shows, is
// ignored.
class FiniteRows {
 public:
  explicit FiniteRows(const solution::Table& layout);

  // An error that names the time if that is not finite, or the first variable that is not.
  std::optional<Error> check(std::span<const double> cells) const;

 private:
  std::vector<const solution::Variable*> by_place_;
};

// The same for all rows of a table.
std::optional<Error> nonfinite_trajectory(const solution::Table& table);

// An error that names the first constant that is not finite.
std::optional<Error> nonfinite_constant(const solution::Table& table);

}  // namespace daedalus::report
