#include "cli/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "daedalus/base/file.hpp"

namespace daedalus::cli {
namespace {

constexpr std::string_view standard_output = "-";

constexpr std::string_view streamed_formats[] = {".csv", ".mat", ".h5", ".hdf5", ".jsonl"};
constexpr std::string_view whole_format = ".json";

bool is_streamed(const std::string& path) {
  return path == standard_output ||
         std::ranges::find(streamed_formats, extension_of(path)) != std::end(streamed_formats);
}

std::optional<Error> wrong_page_name(const std::string& path) {
  if (extension_of(path) == ".html" || extension_of(path) == ".htm") return std::nullopt;
  return Error{"usage.output", fmt::format("the report `{}` would not open in a browser", path),
               "its name must end in .html"};
}

}  // namespace

std::optional<Error> check_report(const std::string& path) {
  if (std::optional<Error> error = wrong_page_name(path)) return error;
  return check_paths({path});
}

std::string extension_of(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

std::optional<Error> check_paths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (std::ranges::count(paths, path) > 1) {
      return Error{"usage.output", fmt::format("`{}` would be written twice", path),
                   "give each file once"};
    }
    if (path == standard_output) continue;
    const Result<AtomicFile> probe = AtomicFile::create(path);
    if (!probe) return probe.error();
  }
  return std::nullopt;
}

bool ResultFiles::uses_stdout() const {
  return std::ranges::find(outputs, standard_output) != outputs.end();
}

std::optional<Error> ResultFiles::check(bool json) const {
  if (json && uses_stdout()) {
    return Error{"usage.output", "`--output -` and --json would both write to stdout",
                 "leave out one of them, or write to a file"};
  }
  for (const std::string& path : outputs) {
    if (is_streamed(path) || extension_of(path) == whole_format) continue;
    const bool page = extension_of(path) == ".html";
    return Error{"usage.output", fmt::format("cannot tell the format of `{}`", path),
                 page ? "an HTML report is written with --report"
                      : "its name must end in .csv, .mat, .h5, .hdf5, .jsonl or .json, or be `-`, "
                        "for CSV on stdout"};
  }
  if (!report.empty()) {
    if (std::optional<Error> error = wrong_page_name(report)) return error;
  }
  std::vector<std::string> paths = outputs;
  if (!report.empty()) paths.push_back(report);
  return check_paths(paths);
}

std::vector<std::string> ResultFiles::streamed() const {
  std::vector<std::string> paths;
  std::ranges::copy_if(outputs, std::back_inserter(paths), is_streamed);
  return paths;
}

std::vector<std::string> ResultFiles::whole() const {
  std::vector<std::string> paths;
  std::ranges::remove_copy_if(outputs, std::back_inserter(paths), is_streamed);
  return paths;
}

Result<std::unique_ptr<RunRows>> RunRows::open(const ResultFiles& files, const std::string& log) {
  Result<std::unique_ptr<report::ResultStream>> stream =
      report::ResultStream::open(files.streamed(), log);
  if (!stream) return stream.error();
  return std::unique_ptr<RunRows>(new RunRows(files, std::move(*stream), ""));
}

// Names of files may differ from the first run's, if the folder is another one.
Result<std::unique_ptr<RunRows>> RunRows::take_up(const ResultFiles& files,
                                                  const report::StreamMark& mark,
                                                  std::string kept) {
  Result<std::unique_ptr<report::ResultStream>> stream = report::ResultStream::take_up(mark);
  if (!stream) return stream.error();
  std::unique_ptr<RunRows> rows(new RunRows(files, std::move(*stream), std::move(kept)));
  rows->is_taken_up_ = true;
  return rows;
}

std::string RunRows::kept() {
  if (files_.report.empty()) return "";
  Archive writer;
  writer(kept_);
  return writer.bytes();
}

std::optional<Error> RunRows::start(const solution::Table& layout) {
  if (!is_taken_up_) earlier_rows_ = layout.rows();
  if (!files_.report.empty()) kept_.start(layout);
  if (!kept_before_.empty()) {
    Archive reader(kept_before_);
    reader(kept_);
  }
  return stream_->start(layout);
}

std::optional<Error> RunRows::row(std::span<const double> cells) {
  if (!files_.report.empty()) kept_.row(cells);
  return stream_->row(cells);
}

Result<std::vector<std::string>> RunRows::write_rest(report::RunDescription run,
                                                     solution::Solution& solution, bool has_table) {
  std::vector<std::string> written;
  std::vector<double>& cells = solution.table.cells;
  const std::size_t earlier = std::min(earlier_rows_ * solution.table.width, cells.size());
  if (has_table) cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(earlier));
  for (const std::string& path : files_.whole()) {
    const Result<std::size_t> bytes = report::write_json(path, solution.table);
    if (!bytes) return bytes.error();
    written.push_back(path);
  }
  if (files_.report.empty()) return written;
  run.rows = kept_.count();
  if (!has_table) solution.table = kept_.take();
  const Result<std::size_t> bytes = report::write_html(files_.report, run, solution);
  if (!bytes) return bytes.error();
  written.push_back(files_.report);
  return written;
}

}  // namespace daedalus::cli
