// What every result file promises: each number in it is finite.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// Looks at the rows of a table with these variables. One without a name, which no file shows, does
// not count.
class FiniteRows {
 public:
  explicit FiniteRows(const solution::Table& layout);

  // The error that names the time where that is not finite, or the first variable that is not.
  std::optional<Error> check(std::span<const double> cells) const;

 private:
  std::vector<const solution::Variable*> by_place_;
};

// The same for all rows of a table.
std::optional<Error> nonfinite_trajectory(const solution::Table& table);

// The error that names the first constant that is not finite.
std::optional<Error> nonfinite_constant(const solution::Table& table);

}  // namespace daedalus::report
