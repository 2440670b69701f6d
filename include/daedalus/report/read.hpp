// Reads results from files: our own and those of other tools.
#pragma once

#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// .csv (separated by commas, semicolons or tabs, time in the column of that name or in the first
// one), .mat (MATLAB v4 in the layout of Dymola and OpenModelica) or .json (as write_json() has
// it). What is no table of finite numbers over a time that never goes back is an Error, with its
// place.
Result<solution::Table> read_results(const std::string& path);

}  // namespace daedalus::report
