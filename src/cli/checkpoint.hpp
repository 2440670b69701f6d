// A stored run as a file: the model, the options, and where the run was.
#pragma once

#include <optional>
#include <string>

#include "cli/simulation.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/engine/model_run.hpp"
#include "daedalus/report/result_stream.hpp"

namespace daedalus::cli {

struct Checkpoint {
  Simulation simulation;
  std::string folder = {};  // to which relative names of files refer
  std::string text;         // of the model
  engine::RunState state;
  report::StreamMark files;
  std::string kept_rows;  // for a report
  std::string cpu = {};   // that it was made on

  void archive(Archive& a);
};

// An Error names the file and says why no run can be continued from it.
Result<Checkpoint> read_checkpoint(const std::string& path);
std::optional<Error> write_checkpoint(const std::string& path, Checkpoint& checkpoint);

}  // namespace daedalus::cli
