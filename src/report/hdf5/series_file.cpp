#include "report/hdf5/series_file.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  const std::size_t size = count * sizeof(Number);
  bytes.copy(reinterpret_cast<char*>(numbers.data()), size);
  bytes.remove_prefix(size);
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

std::optional<OpenSeries> OpenSeries::go_on(File& file, std::vector<Address> series,
                                            std::size_t rows_of_chunk, std::uint64_t rows) {
  OpenSeries open(std::move(series), rows_of_chunk, rows);
  if (rows == 0) return open;
  const std::uint64_t begin_of_chunk = (rows - 1) / rows_of_chunk * rows_of_chunk;
  const std::size_t count = rows - begin_of_chunk;
  for (std::size_t column = 0; column < open.columns(); ++column) {
    const std::span<double> into(&open.buffer_[column * rows_of_chunk], count);
    if (!file.read_rows(open.series_[column], begin_of_chunk, into)) return std::nullopt;
  }
  open.last_time_ = open.buffer_[count - 1];
  if (count == rows_of_chunk) return open;
  open.rows_written_ = begin_of_chunk;
  open.pending_ = count;
  return open;
}

std::vector<double> OpenSeries::last_row() const {
  const std::size_t row = (rows() - 1) % rows_of_chunk_;
  std::vector<double> values;
  for (std::size_t column = 0; column < columns(); ++column)
    values.push_back(buffer_[column * rows_of_chunk_ + row]);
  return values;
}

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

bool append_notes(File& file, std::uint64_t rows, const std::vector<NotedRows>& notes,
                  std::uint64_t most_rows) {
  if (notes.empty()) return true;
  const std::size_t columns = notes[0].series.size();
  OpenSeries series(notes[0].series, rows_of_chunk(columns), rows);
  for (const NotedRows& note : notes) {
    if (series.rows() == most_rows) break;
    if (note.first != series.rows() || note.series != notes[0].series) return false;
    for (std::size_t i = 0; i < note.cells.size() && series.rows() < most_rows; ++i) {
      series.add(i % columns, note.cells[i]);
      if ((i + 1) % columns != 0) continue;
      series.end_row();
      if (series.is_chunk_full() && !series.write_to(file)) return false;
    }
  }
  return series.write_to(file);
}

namespace {

// A file with the rows that its run had written up to a mark, and no others, once it is committed.
struct Rewound {
  std::unique_ptr<Image> image;
  std::unique_ptr<File> hdf5;
  std::optional<OpenSeries> series;
};

bool rewind_rows(File& file, const Image::Notes& notes, const SeriesMark& mark,
                 std::uint64_t rows) {
  const std::optional<std::uint64_t> there = file.rows(mark.series[0]);
  if (!there) return false;
  if (*there > rows) {
    return std::ranges::all_of(mark.series,
                               [&](Address series) { return file.shorten(series, rows); });
  }
  std::vector<NotedRows> noted;
  for (const std::string& note : notes.whole) {
    std::optional<NotedRows> parsed = parse_note(note);
    if (!parsed || parsed->series != mark.series) return false;
    noted.push_back(std::move(*parsed));
  }
  return append_notes(file, *there, noted, rows);
}

// Nothing if this is not the file in which the mark was made.
std::optional<Rewound> rewind(Library& library, GrowingFile& file, const ResultMark& at) {
  SeriesMark mark;
  Archive(at.of_format)(mark);
  const std::uint64_t rows = at.rows.count;
  Rewound result{.image = Image::recover(file), .hdf5 = nullptr, .series = {}};
  if (!result.image || mark.series.empty()) return std::nullopt;
  result.hdf5 = library.open(*result.image, Access::Write);
  if (!result.hdf5 || !rewind_rows(*result.hdf5, result.image->notes(), mark, rows))
    return std::nullopt;
  result.series =
      OpenSeries::go_on(*result.hdf5, mark.series, rows_of_chunk(mark.series.size()), rows);
  const bool is_found = result.series && result.hdf5->rows(mark.series[0]) == rows &&
                        result.series->last_row() == mark.last_row && result.hdf5->flush();
  return is_found ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<SeriesFile>> SeriesFile::take_up(const std::string& path,
                                                        const ResultMark& mark) {
  const Result<Library*> library = load();
  if (!library) return library.error();
  const auto is_as_left = [&](GrowingFile& file) {
    if (mark.rows.count == 0) return true;
    const auto find = [&] { return rewind(**library, file, mark).has_value(); };
    return (*library)->survives(file.length(), find) && find();
  };
  Result<GrowingFile> grown = GrowingFile::take_up(path, is_as_left);
  if (!grown) return grown.error();
  auto file = std::make_unique<SeriesFile>(std::move(*grown));
  file->taken_up_at_ = mark;
  return file;
}

std::optional<Error> SeriesFile::go_on() {
  const bool is_empty = taken_up_at_->rows.count == 0;
  if (std::optional<Error> error = file_.go_on_after(is_empty ? 0 : file_.length())) return error;
  if (is_empty) {
    taken_up_at_.reset();  // it is a new file
    return std::nullopt;
  }
  std::optional<Rewound> found = rewind(**load(), file_, *taken_up_at_);
  if (!found) {
    refuse("could not read the rows again");
    return refusal_;
  }
  image_ = std::move(found->image);
  hdf5_ = std::move(found->hdf5);
  series_ = std::move(found->series);
  image_->commit();
  has_rows_ = true;
  rows_kept_ = series_->rows();
  kept_until_ = written_until_ = series_->last_time();
  return error();
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
  if (taken_up_at_) {
    if (layout_.series.size() != series_->columns()) refuse("has series of another run");
    return;
  }
  if (!create(**library)) {
    refuse("could not create the datasets");
    return;
  }
  if (!image_->commit()) file_.cut(0);
}

bool SeriesFile::create(Library& library) {
  hdf5_ = library.create(*image_);
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
    if (series_->is_chunk_full() && write_chunk() && image_->held_bytes() > most_held_bytes) keep();
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
  if (!image_->commit()) return;
  rows_kept_ = series_->rows_written();
  kept_until_ = written_until_;
}

void SeriesFile::flush() {
  if (has_failed() || !series_) return;
  if (image_->held_bytes() > 0) keep();
  if (has_failed() || series_->rows() == rows_kept_) return;
  if (!image_->note(series_->noted(rows_kept_))) return;
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

ResultMark SeriesFile::mark() const {
  ResultMark mark;
  mark.rows = {.count = series_->rows(), .last_time = series_->last_time()};
  if (mark.rows.count == 0) return mark;
  SeriesMark of_format{.series = series_->addresses(), .last_row = series_->last_row()};
  Archive writer;
  writer(of_format);
  mark.of_format = writer.bytes();
  return mark;
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
