// Receives the rows of a run while it goes on.
#pragma once

#include <optional>
#include <span>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::solution {

class RowSink {
 public:
  virtual ~RowSink() = default;
  // Called before the first row, to say what the cells of each row will be. The table has no rows
  // yet, and lives as long as the run. An Error of either function ends the run.
  virtual std::optional<Error> start(const Table& layout) = 0;
  virtual std::optional<Error> row(std::span<const double> cells) = 0;  // the first is the time
};

}  // namespace daedalus::solution
