// Writes the rows of a run, and the lines of its log, to files while it goes on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/row_sink.hpp"

namespace daedalus::report {

// Each file grows as FILE.part, is written out once a second, from a thread of its own, and gets
// its name at the end. Needs as much memory for ten million rows as for ten thousand.
class ResultStream final : public solution::RowSink {
 public:
  // Files that end in .csv, .mat, .h5, .hdf5 or .jsonl, and "-" for CSV on stdout; `log` is a file
  // of lines that the caller makes, and empty where there is none. They are locked from here on, so
  // that no other run writes to them; nothing is written before the first row.
  static Result<std::unique_ptr<ResultStream>> open(const std::vector<std::string>& paths,
                                                    const std::string& log = {});
  ~ResultStream() override;  // what was not finished stays as FILE.part
  ResultStream(const ResultStream&) = delete;
  ResultStream& operator=(const ResultStream&) = delete;

  std::optional<Error> start(const solution::Table& layout) override;
  std::optional<Error> row(std::span<const double> cells) override;
  void line(std::string_view text);  // of the log, with its end

  struct End {
    std::vector<std::string> written = {};   // files that have their name now
    std::vector<std::string> warnings = {};  // what is not in them
    std::optional<Error> error = {};         // of the first that could not be written
    bool reader_has_left = false;            // of stdout
  };
  // After the last row, once. A run without rows leaves no files.
  End finish();

 private:
  class Writer;
  explicit ResultStream(std::unique_ptr<Writer> writer);

  std::unique_ptr<Writer> writer_;
};

}  // namespace daedalus::report
