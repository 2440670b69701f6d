// Writes a solution to files that people and other tools read.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/timing.hpp"
#include "daedalus/solution/linear_model.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

using Properties = std::vector<std::pair<std::string, std::string>>;  // in the order shown

struct Comparison;  // daedalus/report/compare.hpp

// What the page shows about a run besides its solution.
struct RunDescription {
  std::string model = {};
  std::string description = {};  // the model's own description string
  std::string file = {};
  std::string version = {};
  std::string command = {};  // repeats the run
  Properties options = {};
  Properties sizes = {};  // equations, states, blocks, ...
  Phases phases = {};
  std::vector<std::string> warnings = {};
  std::string structure = {};  // the drawing of the equations, an SVG with the colours of the page
  std::size_t rows = 0;        // of the run, if the table holds fewer; 0: those of the table
  // A second run of the model: its distance from the first is a band around each curve.
  const solution::Table* second = nullptr;
  std::string second_name = {};
  // The page is about two results, and the solution only holds what is drawn of them.
  const Comparison* comparison = nullptr;
  double tube = 0.0;  // of the comparison
};

// Each writes under a temporary name and renames: an existing file is replaced only by a complete
// one. The result is the number of bytes written.
Result<std::size_t> write_csv(const std::string& path, const solution::Table& table);
Result<std::size_t> write_mat(const std::string& path, const solution::Table& table);
Result<std::size_t> write_hdf5(const std::string& path, const solution::Table& table);
Result<std::size_t> write_jsonl(const std::string& path, const solution::Table& table);
Result<std::size_t> write_json(const std::string& path, const solution::Table& table);
Result<std::size_t> write_html(const std::string& path, const RunDescription& run,
                               const solution::Solution& solution);
Result<std::size_t> write_linear_mat(const std::string& path, const solution::LinearModel& linear);
Result<std::size_t> write_linear_json(const std::string& path, const solution::LinearModel& linear);

// What write_linear_json writes.
std::string linear_json(const solution::LinearModel& linear);

}  // namespace daedalus::report
