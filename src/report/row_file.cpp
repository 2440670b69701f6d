#include "report/row_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace daedalus::report {

Result<std::unique_ptr<RowFile>> RowFile::take_up(const std::string& path,
                                                  std::unique_ptr<RowFormat> format,
                                                  const ResultMark& mark) {
  Result<GrowingFile> grown =
      GrowingFile::take_up(path, [&](const GrowingFile& file) { return file.was_at(mark.file); });
  if (!grown) return grown.error();
  auto file = std::make_unique<RowFile>(std::move(*grown), std::move(format));
  file->go_on_after_ = mark.file.length;
  file->rows_ = mark.rows;
  file->is_full_ = mark.is_full;
  return file;
}

std::optional<Error> RowFile::go_on() { return file_.go_on_after(*go_on_after_); }

void RowFile::start(const solution::Table& layout) {
  width_ = layout.width;
  const Result<std::string> header = format_->header(layout);
  if (!header) {
    refusal_ = header.error();
    return;
  }
  header_ = header->size();
  if (go_on_after_) {
    tell_of_rows();
  } else if (!file_.append(*header)) {
    file_.cut(0);
  }
}

void RowFile::add(std::span<const double> cells) {
  if (refusal_ || file_.has_failed() || is_full_ || cells.empty()) return;
  std::size_t rows = cells.size() / width_;
  const std::size_t room = format_->most_rows() - rows_.count;
  is_full_ = rows > room;
  rows = std::min(rows, room);
  bytes_.clear();
  ends_.clear();
  for (std::size_t row = 0; row < rows; ++row) {
    format_->append_row(cells.subspan(row * width_, width_), bytes_);
    ends_.push_back(bytes_.size());
  }
  const std::size_t begin = file_.length();
  if (!file_.append(bytes_)) {
    const auto landed = std::ranges::upper_bound(ends_, file_.length() - begin);
    rows = static_cast<std::size_t>(landed - ends_.begin());
    file_.cut(begin + (rows == 0 ? 0 : ends_[rows - 1]));
  }
  if (rows > 0) count(cells.first(rows * width_), rows);
  is_flushed_ = false;
}

void RowFile::count(std::span<const double> cells, std::size_t rows) {
  if (rows_.count == 0) rows_.first_time = cells.front();
  rows_.count += rows;
  rows_.last_time = cells[(rows - 1) * width_];
  tell_of_rows();
}

void RowFile::tell_of_rows() {
  for (const Patch& patch : format_->patches(rows_)) file_.overwrite(patch.offset, patch.bytes);
}

ResultMark RowFile::mark() const {
  return {.file = file_.mark(header_), .rows = rows_, .is_full = is_full_, .of_format = {}};
}

void RowFile::flush() {
  if (!is_flushed_) file_.sync();
  is_flushed_ = true;
}

void RowFile::finish() {
  if (!has_rows()) file_.cut(0);
  if (has_rows() && !error()) file_.finish();
  file_.leave();
}

std::optional<Error> RowFile::error() const {
  if (refusal_) return refusal_;
  if (file_.is_broken_pipe()) return std::nullopt;
  std::optional<Error> error = file_.error();
  if (error && has_rows() && !is_stream()) {
    error->hint = fmt::format("the rows until t = {:.10g} are in `{}{}`", rows_.last_time, path(),
                              GrowingFile::suffix);
  }
  return error;
}

}  // namespace daedalus::report
