// Repairs result files of runs that were cut off: by kill -9, a power cut, a full disk.
#pragma once

#include <cstddef>
#include <string>

#include "daedalus/base/result.hpp"

namespace daedalus::report {

struct Repaired {
  std::size_t rows = 0;  // that are whole
  double last_time = 0.0;
  std::size_t bytes_cut = 0;  // of an incomplete row, or of what no run has written
};

// Cuts off everything after the last whole row of a file that ends in .csv, .mat, .jsonl, .h5 or
// .hdf5, with or without .part, corrects the number of rows in a .mat, and puts rows that an HDF5
// file only notes at its end into their datasets. A file without rows, of another format, that a
// run is still writing, or with text between rows that no run writes, is an Error and stays as it
// is.
Result<Repaired> repair_results(const std::string& path);

}  // namespace daedalus::report
