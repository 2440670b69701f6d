// The sizes of a result file in MATLAB's format of level 4, known before a byte of it is written.
#pragma once

#include <cstddef>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"
#include "report/mat_records.hpp"

namespace daedalus::report {

// What determines the size of the file.
struct MatExtent {
  std::size_t names = 0;  // with time
  std::size_t longest_name = 0;
  std::size_t longest_description = 0;
  std::size_t constants = 0;
  std::size_t width = 1;
  std::size_t rows = 0;
};

// The extent that the table has in the file.
MatExtent mat_extent(const solution::Table& table);

// The matrices in the order of the file, or an error if the file would exceed the 2 GiB that its
// readers can handle.
Result<std::vector<MatMatrix>> mat_layout(const MatExtent& extent);

}  // namespace daedalus::report
