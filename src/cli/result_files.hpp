// --output and --report: the files of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::cli {

// An Error when a path stands there twice or cannot be written: found before the work, not after.
std::optional<Error> check_paths(const std::vector<std::string>& paths);

// ".csv" of "results/a.csv".
std::string extension_of(const std::string& path);

struct ResultFiles {
  std::vector<std::string> outputs;  // "-" is CSV on stdout
  std::string report;

  // Whatever would go wrong with the files after the run is found before it.
  std::optional<Error> check(bool json) const;

  // Whether stdout is for the results, and not for a summary.
  bool uses_stdout() const;

  // Writes them all, stdout last, since its reader may leave; gives the names of the files.
  Result<std::vector<std::string>> write(const report::RunDescription& run,
                                         const solution::Solution& solution) const;
};

}  // namespace daedalus::cli
