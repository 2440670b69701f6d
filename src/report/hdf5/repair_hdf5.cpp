#include "report/hdf5/repair_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/hdf5/image.hpp"
#include "report/hdf5/series_file.hpp"

namespace daedalus::report::hdf5 {
namespace {

Error not_repaired(const GrowingFile& file, std::string_view reason) {
  return {"report.not-a-table", fmt::format("`{}` {}", file.path(), reason)};
}

// The times of a file; none: it has no time.
std::optional<std::vector<double>> times_in(File& file) {
  const std::optional<std::vector<Dataset>> datasets = file.datasets();
  if (!datasets) return std::nullopt;
  const auto time = std::ranges::find(*datasets, "time", &Dataset::path);
  if (time == datasets->end() || !time->has_numbers || time->extents.size() != 1)
    return std::nullopt;
  std::vector<double> times(time->extents[0]);
  if (!file.read(time->address, times)) return std::nullopt;
  return times;
}

// Everything except the commit, for which the image waits.
Result<Repaired> append_noted(Library& library, Image& image, const GrowingFile& file) {
  const std::unique_ptr<File> hdf5 = library.open(image, Access::Write);
  const std::optional<std::vector<double>> times = hdf5 ? times_in(*hdf5) : std::nullopt;
  if (!times) return not_repaired(file, "is damaged, and nothing can be read from it");
  const Image::Notes notes = image.notes();
  Repaired repaired{.rows = times->size(), .bytes_cut = file.length() - notes.end};
  if (!times->empty()) repaired.last_time = times->back();
  std::vector<NotedRows> rows;
  for (const std::string& note : notes.whole) {
    std::optional<NotedRows> noted = parse_note(note);
    if (!noted) return not_repaired(file, "has notes that are no rows");
    const std::size_t columns = noted->series.size();
    repaired.rows += noted->cells.size() / columns;
    repaired.last_time = noted->cells[noted->cells.size() - columns];
    rows.push_back(std::move(*noted));
  }
  if (!append_notes(*hdf5, times->size(), rows, std::numeric_limits<std::uint64_t>::max()))
    return not_repaired(file, "has rows that do not fit to its datasets");
  if (repaired.rows == 0) return not_repaired(file, "holds no whole row");
  return repaired;
}

}  // namespace

Result<Repaired> repair(GrowingFile& file) {
  const Result<Library*> library = load();
  if (!library) return library.error();
  const std::unique_ptr<Image> image = Image::recover(file);
  if (!image) return not_repaired(file, "is not laid out as our results are, or not all of it");
  const bool is_harmless =
      (*library)->survives(file.length(), [&] { (void)append_noted(**library, *image, file); });
  if (!is_harmless) return not_repaired(file, "is damaged, and nothing can be read from it");
  Result<Repaired> repaired = append_noted(**library, *image, file);
  if (!repaired) return repaired;
  image->commit();
  if (const std::optional<Error> error = file.error()) return *error;
  return repaired;
}

}  // namespace daedalus::report::hdf5
