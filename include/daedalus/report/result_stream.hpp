// Writes the rows of a run, and the lines of its log, to files while it goes on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/base/growing_file.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/solution/row_sink.hpp"

namespace daedalus::report {

// How far the files of a stream have got, so that another one can take them up there.
struct StreamMark {
  std::vector<std::string> paths;
  std::string files;  // as bytes of this build of the program
  std::string log;    // its path; empty: there is none
  FileMark log_mark;

  void archive(Archive& a) { a(paths, files, log, log_mark); }
};

// Each file grows as FILE.part, is flushed once a second by a separate thread, and gets its name at
// the end. Needs as much memory for ten million rows as for ten thousand.
class ResultStream final : public solution::RowSink {
 public:
  // Files that end in .csv, .mat, .h5, .hdf5 or .jsonl, and "-" for CSV on stdout; `log` is a file
  // for lines from the caller, or empty. They are locked from here on, so that no other run writes
  // to them; nothing is written before the first row.
  static Result<std::unique_ptr<ResultStream>> open(const std::vector<std::string>& paths,
                                                    const std::string& log = {});
  // The files of another stream, whose run has ended, as they were at the mark. start() has to be
  // called before the first row all the same.
  static Result<std::unique_ptr<ResultStream>> take_up(const StreamMark& mark);
  // Whether files of such names can be taken up.
  static std::optional<Error> check_that_marks(const std::vector<std::string>& paths);
  ~ResultStream() override;  // files that were not finished stay as FILE.part
  ResultStream(const ResultStream&) = delete;
  ResultStream& operator=(const ResultStream&) = delete;

  std::optional<Error> start(const solution::Table& layout) override;
  std::optional<Error> row(std::span<const double> cells) override;
  void line(std::string_view text);  // of the log, with its end

  // Writes everything that has been added to the disk, and returns where it ends.
  Result<StreamMark> mark();

  struct End {
    std::vector<std::string> written = {};   // files that have their name now
    std::vector<std::string> warnings = {};  // about what is not in them
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
