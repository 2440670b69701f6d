// --output and --report: the files of a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/report/kept_rows.hpp"
#include "daedalus/report/report.hpp"
#include "daedalus/report/result_stream.hpp"

namespace daedalus::cli {

// An Error if a path occurs twice or cannot be written: found before the work, not after.
std::optional<Error> check_paths(const std::vector<std::string>& paths);

// The same for an HTML page, which must have the right extension.
std::optional<Error> check_report(const std::string& path);

// ".csv" of "results/a.csv".
std::string extension_of(const std::string& path);

struct ResultFiles {
  std::vector<std::string> outputs;  // "-" is CSV on stdout
  std::string report;

  // Finds before the run whatever would go wrong with the files after it.
  std::optional<Error> check(bool json) const;

  // Whether stdout is for the results instead of a summary.
  bool uses_stdout() const;

  // Outputs that are written while the run goes on, and those that need its whole table.
  std::vector<std::string> streamed() const;
  std::vector<std::string> whole() const;
};

// Takes the rows of a run to its files.
class RunRows final : public solution::RowSink {
 public:
  // `log` is the file of the events; empty: none.
  static Result<std::unique_ptr<RunRows>> open(const ResultFiles& files, const std::string& log);

  // The files of another run, as they were at the mark, with what kept() returned there.
  static Result<std::unique_ptr<RunRows>> take_up(const ResultFiles& files,
                                                  const report::StreamMark& mark, std::string kept);

  std::optional<Error> start(const solution::Table& layout) override;
  std::optional<Error> row(std::span<const double> cells) override;

  std::string kept();  // of the rows, for a report

  report::ResultStream& stream() { return *stream_; }

  // After the run. Files that were written row by row get their names.
  report::ResultStream::End finish() { return stream_->finish(); }
  // Then writes the others, and returns their names. If the solution does not have the whole table,
  // its table is replaced by one that is good enough for drawings.
  Result<std::vector<std::string>> write_rest(report::RunDescription run,
                                              solution::Solution& solution, bool has_table);

 private:
  RunRows(const ResultFiles& files, std::unique_ptr<report::ResultStream> stream, std::string kept)
      : files_(files), stream_(std::move(stream)), kept_before_(std::move(kept)) {}

  const ResultFiles& files_;
  std::unique_ptr<report::ResultStream> stream_;
  std::string kept_before_;  // by an earlier run
  bool is_taken_up_ = false;
  std::size_t earlier_rows_ = 0;  // of the table, that are in the files of another run
  report::KeptRows kept_;
};

}  // namespace daedalus::cli
