// Reads results from files: our own and those of other tools.
#pragma once

#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// .csv (separated by commas, semicolons or tabs, time in the column of that name or in the first
// one), .mat (MATLAB v4 in the layout of Dymola and OpenModelica), .h5 or .hdf5 (a dataset for each
// variable, one of them `time`), .jsonl or .json (as write_jsonl() and write_json() write them),
// each also with .part. Anything else than a table of finite numbers over a time that never
// decreases is an Error, with its place.
Result<solution::Table> read_results(const std::string& path);

}  // namespace daedalus::report
