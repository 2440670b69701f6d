// Repairs HDF5 files of runs that were cut off.
#pragma once

#include "daedalus/base/growing_file.hpp"
#include "daedalus/report/repair.hpp"

namespace daedalus::report::hdf5 {

// Completes a commit that was cut off, and passes the rows that are only noted to HDF5.
Result<Repaired> repair(GrowingFile& file);

}  // namespace daedalus::report::hdf5
