#include "cli/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "daedalus/base/file.hpp"

namespace daedalus::cli {
namespace {

using Writer = Result<std::size_t> (*)(const std::string&, const solution::Table&);

struct Format {
  std::string_view extension;
  Writer writer;
};

constexpr std::string_view standard_output = "-";

constexpr Format formats[] = {
    {".csv", report::write_csv}, {".mat", report::write_mat}, {".json", report::write_json}};

Writer writer_for(const std::string& path) {
  const auto found = std::ranges::find(formats, extension_of(path), &Format::extension);
  return found == std::end(formats) ? nullptr : found->writer;
}

}  // namespace

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
    if (path == standard_output || writer_for(path) != nullptr) continue;
    const bool page = extension_of(path) == ".html";
    return Error{"usage.output", fmt::format("cannot tell the format of `{}`", path),
                 page ? "an HTML report is written with --report"
                      : "its name must end in .csv, .mat or .json, or be `-`, for CSV on stdout"};
  }
  if (!report.empty() && extension_of(report) != ".html" && extension_of(report) != ".htm") {
    return Error{"usage.output", fmt::format("the report `{}` would not open in a browser", report),
                 "its name must end in .html"};
  }
  std::vector<std::string> paths = outputs;
  if (!report.empty()) paths.push_back(report);
  return check_paths(paths);
}

Result<std::vector<std::string>> ResultFiles::write(const report::RunDescription& run,
                                                    const solution::Solution& solution) const {
  std::vector<std::string> written;
  for (const std::string& path : outputs) {
    if (path == standard_output) continue;
    const Result<std::size_t> bytes = writer_for(path)(path, solution.table);
    if (!bytes) return bytes.error();
    written.push_back(path);
  }
  if (!report.empty()) {
    const Result<std::size_t> bytes = report::write_html(report, run, solution);
    if (!bytes) return bytes.error();
    written.push_back(report);
  }
  if (uses_stdout()) {
    if (const std::optional<Error> error = report::print_csv(stdout, solution.table)) return *error;
  }
  return written;
}

}  // namespace daedalus::cli
