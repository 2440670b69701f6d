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

std::size_t rows_of_chunk(std::size_t columns);

class SeriesFile final : public ResultFile {
 public:
  explicit SeriesFile(GrowingFile file) : file_(std::move(file)), image_(file_) {}

  void start(const solution::Table& layout) override;
  void add(std::span<const double> cells) override;
  void flush() override;
  void finish() override;

  Result<ResultMark> mark() const override;
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
  Image image_;
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
};

}  // namespace daedalus::report::hdf5
