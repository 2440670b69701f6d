#include "report/hdf5/series_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "daedalus/report/report.hpp"
#include "report/finite.hpp"

namespace daedalus::report::hdf5 {
namespace {

constexpr std::size_t cells_of_chunks = std::size_t{1} << 22U;  // of all series together
constexpr std::size_t most_held_bytes = std::size_t{1} << 25U;  // before they are committed

void put(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

template <class Number>
std::vector<Number> take(std::string_view& bytes, std::size_t count) {
  std::vector<Number> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), count * sizeof(Number));
  bytes.remove_prefix(count * sizeof(Number));
  return numbers;
}

}  // namespace

bool is_extension(std::string_view extension) { return extension == ".h5" || extension == ".hdf5"; }

// Few long chunks are best for reading and compression, but until a chunk is full, all series are
// kept in memory.
std::size_t rows_of_chunk(std::size_t columns) {
  return std::clamp(cells_of_chunks / columns, std::size_t{256}, std::size_t{4096});
}

OpenSeries::OpenSeries(std::vector<Address> series, std::size_t rows_of_chunk,
                       std::uint64_t rows_written)
    : series_(std::move(series)),
      rows_of_chunk_(rows_of_chunk),
      rows_written_(rows_written),
      buffer_(series_.size() * rows_of_chunk) {}

bool OpenSeries::write_to(File& file) {
  for (std::size_t column = 0; pending_ > 0 && column < series_.size(); ++column) {
    const std::span<const double> values(&buffer_[column * rows_of_chunk_], pending_);
    if (!file.append(series_[column], rows_written_, values)) return false;
  }
  rows_written_ += std::exchange(pending_, 0);
  return file.flush();
}

std::string OpenSeries::noted(std::uint64_t first) const {
  std::string note;
  const std::uint64_t columns = series_.size();
  put(note, &first, sizeof first);
  put(note, &columns, sizeof columns);
  put(note, series_.data(), columns * sizeof(Address));
  for (std::size_t row = first - rows_written_; row < pending_; ++row) {
    for (std::size_t column = 0; column < columns; ++column)
      put(note, &buffer_[column * rows_of_chunk_ + row], sizeof(double));
  }
  return note;
}

std::optional<NotedRows> parse_note(std::string_view note) {
  if (note.size() < 2 * sizeof(std::uint64_t)) return std::nullopt;
  const std::uint64_t first = take<std::uint64_t>(note, 1)[0];
  const std::uint64_t columns = take<std::uint64_t>(note, 1)[0];
  if (columns == 0 || columns > note.size() / sizeof(Address)) return std::nullopt;
  NotedRows rows{.first = first, .series = take<Address>(note, columns)};
  if (note.size() % (columns * sizeof(double)) != 0) return std::nullopt;
  rows.cells = take<double>(note, note.size() / sizeof(double));
  return rows;
}

void SeriesFile::refuse(std::string what) {
  refusal_ = Error{"report.hdf5", fmt::format("`{}`: HDF5 {}", path(), what)};
}

void SeriesFile::start(const solution::Table& layout) {
  width_ = layout.width;
  constants_ = layout.constants;
  refusal_ = nonfinite_constant(layout);
  if (refusal_) return;
  Result<Layout> planned = layout_of(layout);
  const Result<Library*> library = load();
  if (!planned || !library) {
    refusal_ = planned ? library.error() : planned.error();
    return;
  }
  layout_ = std::move(*planned);
  if (!create(**library)) {
    refuse("could not create the datasets");
    return;
  }
  if (!image_.commit()) file_.cut(0);
}

bool SeriesFile::create(Library& library) {
  hdf5_ = library.create(image_);
  if (!hdf5_) return false;
  const std::size_t rows = rows_of_chunk(layout_.series.size());
  std::vector<Address> series, numbers;
  for (const Column& column : layout_.series) {
    const std::optional<Address> address = hdf5_->add_series(column.path, rows, column.texts);
    if (!address) return false;
    series.push_back(*address);
  }
  for (const Column& column : layout_.numbers) {
    const double value = column.sign * constants_[column.place];
    const std::optional<Address> address = hdf5_->add_number(column.path, value, column.texts);
    if (!address) return false;
    numbers.push_back(*address);
  }
  const auto link_to = [&](const std::vector<Address>& targets) {
    return [&](const Alias& alias) {
      return hdf5_->link(alias.path, targets[alias.column], alias.texts);
    };
  };
  series_.emplace(series, rows, 0);
  return std::ranges::all_of(layout_.series_aliases, link_to(series)) &&
         std::ranges::all_of(layout_.number_aliases, link_to(numbers)) && hdf5_->flush();
}

void SeriesFile::add(std::span<const double> cells) {
  for (; !cells.empty() && !has_failed(); cells = cells.subspan(width_)) {
    for (std::size_t column = 0; column < layout_.series.size(); ++column) {
      const auto& [path, texts, place, sign] = layout_.series[column];
      series_->add(column, sign * cells[place]);
    }
    series_->end_row();
    has_rows_ = true;
    if (series_->is_chunk_full() && write_chunk() && image_.held_bytes() > most_held_bytes) keep();
  }
}

bool SeriesFile::write_chunk() {
  if (series_->write_to(*hdf5_)) {
    written_until_ = series_->last_time();
    return true;
  }
  refuse("could not take the rows");
  return false;
}

// Commits what HDF5 has received; its image replaces all notes up to there.
void SeriesFile::keep() {
  if (!image_.commit()) return;
  rows_kept_ = series_->rows_written();
  kept_until_ = written_until_;
}

void SeriesFile::flush() {
  if (has_failed() || !series_) return;
  if (image_.held_bytes() > 0) keep();
  if (has_failed() || series_->rows() == rows_kept_) return;
  if (!image_.note(series_->noted(rows_kept_))) return;
  rows_kept_ = series_->rows();
  kept_until_ = series_->last_time();
}

void SeriesFile::finish() {
  if (has_rows_ && !has_failed() && write_chunk()) {
    hdf5_.reset();
    keep();
  }
  hdf5_.reset();
  if (!has_rows_) file_.cut(0);
  if (has_rows_ && !has_failed()) file_.finish();
  file_.leave();
}

Result<ResultMark> SeriesFile::mark() const {
  return Error{"usage.output", fmt::format("`{}` cannot be taken up by another run", path()),
               "write .csv, .mat or .jsonl where a run is stored on the way"};
}

std::optional<Error> SeriesFile::error() const {
  if (refusal_) return refusal_;
  std::optional<Error> error = file_.error();
  if (error && rows_kept_ > 0) {
    const std::string part = path() + std::string(GrowingFile::suffix);
    error->hint = fmt::format(
        "the rows until t = {:.10g} are in `{}`, which `daedalus repair {}` makes readable",
        kept_until_, part, part);
  }
  return error;
}

}  // namespace daedalus::report::hdf5

namespace daedalus::report {

Result<std::size_t> write_hdf5(const std::string& path, const solution::Table& table) {
  if (table.rows() == 0)
    return Error{"report.no-rows", fmt::format("the run stored no values for `{}`", path)};
  if (const std::optional<Error> error = nonfinite_trajectory(table)) return *error;
  Result<GrowingFile> growing = GrowingFile::create(path);
  if (!growing) return growing.error();
  hdf5::SeriesFile file(std::move(*growing));
  file.start(table);
  file.add(table.cells);
  file.finish();
  if (const std::optional<Error> error = file.error()) return *error;
  return file.bytes();
}

}  // namespace daedalus::report
