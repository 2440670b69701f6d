#include "daedalus/report/result_stream.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>

#include "report/finite.hpp"
#include "report/hdf5/series_file.hpp"
#include "report/line_file.hpp"
#include "report/row_file.hpp"

namespace daedalus::report {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds between_flushes(1);
constexpr std::size_t cells_to_write = std::size_t{1} << 15U;  // without waiting for a flush
constexpr std::size_t most_cells = 2 * cells_to_write;         // then the run waits
constexpr std::size_t most_characters = std::size_t{1} << 18U;

constexpr std::string_view standard_output = "-";

using Files = std::vector<std::unique_ptr<ResultFile>>;

bool is_hdf5(const std::string& path) {
  return hdf5::is_extension(std::filesystem::path(path).extension().string());
}

Error rows_have_left() {
  return {"usage.output", "rows on stdout cannot be taken up where this run is stored",
          "write them to a file"};
}

using NewFile = Result<std::unique_ptr<ResultFile>>;

NewFile created(const std::string& path) {
  if (path == standard_output) {
    GrowingFile stream = GrowingFile::on_stream(STDOUT_FILENO, "stdout");
    return NewFile(std::make_unique<RowFile>(std::move(stream), csv_rows()));
  }
  std::unique_ptr<RowFormat> format = row_format_of(path);
  if (!format && !is_hdf5(path)) {
    return Error{"usage.output", fmt::format("`{}` cannot be written row by row", path),
                 "its name must end in .csv, .mat, .h5, .hdf5 or .jsonl"};
  }
  Result<GrowingFile> file = GrowingFile::create(path);
  if (!file) return file.error();
  if (!format) return NewFile(std::make_unique<hdf5::SeriesFile>(std::move(*file)));
  return NewFile(std::make_unique<RowFile>(std::move(*file), std::move(format)));
}

template <class File>
NewFile as_result_file(Result<std::unique_ptr<File>> file) {
  if (!file) return file.error();
  return NewFile(std::move(*file));
}

NewFile taken_up(const std::string& path, const ResultMark& mark) {
  if (is_hdf5(path)) return as_result_file(hdf5::SeriesFile::take_up(path, mark));
  return as_result_file(RowFile::take_up(path, row_format_of(path), mark));
}

std::string told_as_full(const ResultFile& file) {
  return fmt::format(
      "`{}` ends at t = {:.10g}: a MATLAB file of level 4 holds no more than 2 GiB (write .h5 or "
      ".csv, or store fewer variables or points)",
      file.path(), file.last_time());
}

}  // namespace

class ResultStream::Writer {
 public:
  Writer(Files files, std::optional<LineFile> log)
      : files_(std::move(files)), log_(std::move(log)) {}

  std::optional<Error> start(const solution::Table& layout) {
    finite_.emplace(layout);
    for (const auto& file : files_) file->start(layout);
    if (std::optional<Error> error = find_error()) return error;
    if (has_files())
      thread_ = std::jthread([this](const std::stop_token& stop) { write_or_fail(stop); });
    return std::nullopt;
  }

  std::optional<Error> row(std::span<const double> cells) {
    if (std::optional<Error> error = finite_->check(cells)) return error;
    if (!has_files()) return std::nullopt;
    std::unique_lock lock(mutex_);
    wait_for_room(lock);
    if (failure_) return failure_;
    if (!files_.empty()) incoming_.rows.insert(incoming_.rows.end(), cells.begin(), cells.end());
    if (is_much()) filled_.notify_one();
    return std::nullopt;
  }

  // A log that cannot be written ends the run with the next row.
  void line(std::string_view text) {
    if (!log_) return;
    std::unique_lock lock(mutex_);
    wait_for_room(lock);
    incoming_.lines += text;
    if (is_much()) filled_.notify_one();
  }

  Result<StreamMark> mark();
  End finish();

 private:
  struct Batch {
    std::vector<double> rows;
    std::string lines;
  };

  bool has_files() const { return !files_.empty() || log_; }
  bool is_much() const {
    return incoming_.rows.size() >= cells_to_write || incoming_.lines.size() >= most_characters / 2;
  }
  // Before the first row nothing is written.
  void wait_for_room(std::unique_lock<std::mutex>& lock) {
    emptied_.wait(lock, [&] {
      const bool has_room =
          incoming_.rows.size() < most_cells && incoming_.lines.size() < most_characters;
      return has_room || failure_ || !thread_.joinable();
    });
  }
  void write_or_fail(const std::stop_token& stop);
  void write_along(const std::stop_token& stop);
  void write_incoming();
  void write(Batch& batch);
  void flush();
  std::optional<Error> find_error() const;

  Files files_;
  std::optional<LineFile> log_;
  std::optional<FiniteRows> finite_;
  std::mutex files_mutex_;  // held while writing to the files; locked before the other one
  std::mutex mutex_;
  std::condition_variable_any filled_, emptied_;
  Batch incoming_;                // what the run has added
  Batch outgoing_;                // what is being written
  std::optional<Error> failure_;  // ends the run
  std::jthread thread_;           // last: it uses the others
};

void ResultStream::Writer::write_or_fail(const std::stop_token& stop) {
  try {
    write_along(stop);
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    failure_ = Error{"memory", "out of memory while rows were written"};
    emptied_.notify_one();
  }
}

void ResultStream::Writer::write_along(const std::stop_token& stop) {
  Clock::time_point flush_at = Clock::now() + between_flushes;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    filled_.wait_until(lock, stop, flush_at, [&] { return is_much(); });
    lock.unlock();
    std::optional<Error> error;
    {
      const std::lock_guard writing(files_mutex_);
      write_incoming();
      if (Clock::now() >= flush_at) {
        flush();
        flush_at = Clock::now() + between_flushes;
      }
      error = find_error();
    }
    lock.lock();
    if (!failure_) failure_ = std::move(error);
  }
}

void ResultStream::Writer::write_incoming() {
  {
    const std::lock_guard lock(mutex_);
    std::swap(incoming_, outgoing_);
    emptied_.notify_one();
  }
  write(outgoing_);
}

Result<StreamMark> ResultStream::Writer::mark() {
  const std::lock_guard writing(files_mutex_);
  write_incoming();
  flush();
  if (std::optional<Error> error = find_error()) return *error;
  StreamMark mark;
  Archive writer;
  for (const auto& file : files_) {
    if (file->is_stream()) return rows_have_left();
    ResultMark of_file = file->mark();
    mark.paths.push_back(std::filesystem::absolute(file->path()).string());
    writer(of_file);
  }
  mark.files = writer.bytes();
  if (log_) {
    mark.log = std::filesystem::absolute(log_->path()).string();
    mark.log_mark = log_->mark();
  }
  return mark;
}

void ResultStream::Writer::write(Batch& batch) {
  for (const auto& file : files_) file->add(batch.rows);
  if (log_) log_->add(batch.lines);
  batch.rows.clear();
  batch.lines.clear();
}

void ResultStream::Writer::flush() {
  for (const auto& file : files_) file->flush();
  if (log_) log_->flush();
}

std::optional<Error> ResultStream::Writer::find_error() const {
  for (const auto& file : files_) {
    if (std::optional<Error> error = file->error()) return error;
  }
  return log_ ? log_->error() : std::nullopt;
}

ResultStream::End ResultStream::Writer::finish() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  write(incoming_);
  End end;
  for (const auto& file : files_) {
    file->finish();
    end.reader_has_left = end.reader_has_left || file->reader_has_left();
    if (file->is_full()) end.warnings.push_back(told_as_full(*file));
    if (file->has_rows() && !file->error() && !file->is_stream())
      end.written.push_back(file->path());
  }
  if (log_ && finite_) {
    log_->finish();
    if (log_->is_written()) end.written.push_back(log_->path());
  }
  end.error = find_error();
  return end;
}

Result<std::unique_ptr<ResultStream>> ResultStream::open(const std::vector<std::string>& paths,
                                                         const std::string& log) {
  Files files;
  for (const std::string& path : paths) {
    NewFile file = created(path);
    if (!file) return file.error();
    files.push_back(std::move(*file));
  }
  std::optional<LineFile> lines;
  if (!log.empty()) {
    Result<GrowingFile> file = GrowingFile::create(log);
    if (!file) return file.error();
    lines.emplace(std::move(*file));
  }
  return std::unique_ptr<ResultStream>(
      new ResultStream(std::make_unique<Writer>(std::move(files), std::move(lines))));
}

std::optional<Error> ResultStream::check_that_marks(const std::vector<std::string>& paths) {
  if (std::ranges::find(paths, standard_output) == paths.end()) return std::nullopt;
  return rows_have_left();
}

// No file is changed before all have been found.
Result<std::unique_ptr<ResultStream>> ResultStream::take_up(const StreamMark& mark) {
  Files files;
  Archive reader(mark.files);
  for (const std::string& path : mark.paths) {
    ResultMark of_file;
    reader(of_file);
    NewFile file = taken_up(path, of_file);
    if (!file) return file.error();
    files.push_back(std::move(*file));
  }
  std::optional<LineFile> lines;
  if (!mark.log.empty()) {
    Result<GrowingFile> file = GrowingFile::take_up(
        mark.log, [&](const GrowingFile& log) { return log.was_at(mark.log_mark); });
    if (!file) return file.error();
    if (std::optional<Error> error = file->go_on_after(mark.log_mark.length)) return *error;
    lines.emplace(std::move(*file));
  }
  for (const auto& file : files) {
    if (std::optional<Error> error = file->go_on()) return *error;
  }
  return std::unique_ptr<ResultStream>(
      new ResultStream(std::make_unique<Writer>(std::move(files), std::move(lines))));
}

ResultStream::ResultStream(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}
ResultStream::~ResultStream() = default;

std::optional<Error> ResultStream::start(const solution::Table& layout) {
  return writer_->start(layout);
}
std::optional<Error> ResultStream::row(std::span<const double> cells) {
  return writer_->row(cells);
}
void ResultStream::line(std::string_view text) { writer_->line(text); }
Result<StreamMark> ResultStream::mark() { return writer_->mark(); }
ResultStream::End ResultStream::finish() { return writer_->finish(); }

}  // namespace daedalus::report
