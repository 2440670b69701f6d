// Result files of runs that were cut off: by kill -9, a power cut, a full disk.
#pragma once

#include <cstddef>
#include <string>

#include "daedalus/base/result.hpp"

namespace daedalus::report {

struct Repaired {
  std::size_t rows = 0;  // that are whole
  double last_time = 0.0;
  std::size_t bytes_cut = 0;  // of a row that is not, or of what no run has written
};

// Cuts off whatever stands after the last whole row of a file that ends in .csv, .mat, .jsonl, .h5
// or .hdf5, with or without .part, makes a .mat say how many rows it has, and puts rows that an
// HDF5 file only notes at its end into their datasets. A file without rows, of another format, that
// a run is still writing, or in which other text than a run leaves stands between rows is an Error,
// and stays as it is.
Result<Repaired> repair_results(const std::string& path);

}  // namespace daedalus::report
