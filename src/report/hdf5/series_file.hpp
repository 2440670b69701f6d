// A run as an HDF5 file: a dataset for each variable, which grows while the run goes on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/growing_file.hpp"
#include "report/hdf5/image.hpp"
#include "report/hdf5/layout.hpp"
#include "report/result_file.hpp"

namespace daedalus::report::hdf5 {

// Whether files with such names are in this format.
bool is_extension(std::string_view extension);

// Rows on their way into the series of a file: those that do not fill a chunk yet.
class OpenSeries {
 public:
  OpenSeries(std::vector<Address> series, std::size_t rows_of_chunk, std::uint64_t rows_written);
  // Series that have so many rows, in chunks of that many. Those that do not fill a chunk are read,
  // to be written again with it. Nothing if that fails.
  static std::optional<OpenSeries> go_on(File& file, std::vector<Address> series,
                                         std::size_t rows_of_chunk, std::uint64_t rows);

  std::size_t columns() const { return series_.size(); }
  std::uint64_t rows() const { return rows_written_ + pending_; }
  std::uint64_t rows_written() const { return rows_written_; }
  bool is_chunk_full() const { return pending_ == rows_of_chunk_; }
  double last_time() const { return last_time_; }

  // Call it with a value for each series, while the chunk is not full.
  void add(std::size_t column, double value) {
    buffer_[column * rows_of_chunk_ + pending_] = value;
  }
  void end_row() { last_time_ = buffer_[pending_++]; }
  // Returns whether HDF5 has taken all rows.
  bool write_to(File& file);

  const std::vector<Address>& addresses() const { return series_; }
  // The value in each series. There is one, and the rows that were written fill chunks.
  std::vector<double> last_row() const;

  // All rows from `first` on as a note, to be read back with the addresses of the series.
  std::string noted(std::uint64_t first) const;

 private:
  std::vector<Address> series_;
  std::size_t rows_of_chunk_;
  std::uint64_t rows_written_;
  std::size_t pending_ = 0;
  double last_time_ = 0.0;
  std::vector<double> buffer_;  // column after column
};

// The contents of a note.
struct NotedRows {
  std::uint64_t first = 0;
  std::vector<Address> series = {};
  std::vector<double> cells = {};  // row after row
};
std::optional<NotedRows> parse_note(std::string_view note);

// Passes the rows of notes to HDF5, as the run would have, until there are so many in all; the
// datasets have `rows`. Returns whether they fit to each other.
bool append_notes(File& file, std::uint64_t rows, const std::vector<NotedRows>& notes,
                  std::uint64_t most_rows);

std::size_t rows_of_chunk(std::size_t columns);

// Where another run can go on: after a row that can be recognised.
struct SeriesMark {
  std::vector<Address> series = {};
  std::vector<double> last_row = {};

  void archive(Archive& a) { a(series, last_row); }
};

class SeriesFile final : public ResultFile {
 public:
  explicit SeriesFile(GrowingFile file)
      : file_(std::move(file)), image_(std::make_unique<Image>(file_)) {}
  // As an earlier run has left it; it stays like that until go_on().
  static Result<std::unique_ptr<SeriesFile>> take_up(const std::string& path,
                                                     const ResultMark& mark);

  void start(const solution::Table& layout) override;
  void add(std::span<const double> cells) override;
  void flush() override;
  void finish() override;

  ResultMark mark() const override;
  std::optional<Error> go_on() override;
  std::optional<Error> error() const override;
  const std::string& path() const override { return file_.path(); }
  bool has_rows() const override { return has_rows_; }
  double last_time() const override { return kept_until_; }

  std::size_t bytes() const { return file_.length(); }

 private:
  bool has_failed() const { return refusal_ || file_.has_failed(); }
  void refuse(std::string what);
  bool create(Library& library);
  bool write_chunk();
  void keep();

  GrowingFile file_;
  std::unique_ptr<Image> image_;
  std::unique_ptr<File> hdf5_;
  Layout layout_;
  std::vector<double> constants_;
  std::size_t width_ = 1;
  std::optional<OpenSeries> series_;
  bool has_rows_ = false;
  std::uint64_t rows_kept_ = 0;  // safely in the file
  double kept_until_ = 0.0;      // the time of the last of them
  double written_until_ = 0.0;   // of the last one that HDF5 has received
  std::optional<Error> refusal_;
  std::optional<ResultMark> taken_up_at_;
};

}  // namespace daedalus::report::hdf5
