// --output and --report: the files of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::cli {

struct ResultFiles {
  std::vector<std::string> outputs;
  std::string report;

  // Whatever would go wrong with the files after the run is found before it.
  std::optional<Error> check() const;

  // Writes them all and gives their names.
  Result<std::vector<std::string>> write(const report::RunDescription& run,
                                         const solution::Solution& solution) const;
};

}  // namespace daedalus::cli
