// HDF5 files with a dataset for each variable and one for the time.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "daedalus/base/memory.hpp"
#include "report/hdf5/image.hpp"
#include "report/hdf5/layout.hpp"
#include "report/read.hpp"

namespace daedalus::report {
namespace {

using hdf5::Dataset;
using solution::Table;

class FileBytes final : public hdf5::Bytes {
 public:
  FileBytes(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override { close(descriptor_); }

  std::uint64_t size() const override { return size_; }
  bool read(std::uint64_t offset, std::span<char> into) override {
    while (!into.empty() && offset < size_) {
      const ssize_t count =
          pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      if (count == 0) break;
      offset += static_cast<std::uint64_t>(count);
      into = into.subspan(static_cast<std::size_t>(count));
    }
    std::ranges::fill(into, '\0');
    return true;
  }
  bool write(std::uint64_t, std::string_view) override { return false; }
  void resize(std::uint64_t) override {}

 private:
  int descriptor_;
  std::uint64_t size_;
};

// Null: errno says why.
std::unique_ptr<FileBytes> open_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  struct stat about{};
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode))
    return std::make_unique<FileBytes>(descriptor, static_cast<std::uint64_t>(about.st_size));
  const int number = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  close(descriptor);
  errno = number;
  return nullptr;
}

const std::string* find_text(const Dataset& dataset, std::string_view attribute) {
  const std::string own = hdf5::attribute_of(attribute, dataset.path);
  const std::string* shared = nullptr;
  for (const auto& [name, text] : dataset.texts) {
    if (name == own) return &text;
    if (name == attribute) shared = &text;
  }
  return shared;
}

std::string text_or(const Dataset& dataset, std::string_view attribute, const std::string& other) {
  const std::string* text = find_text(dataset, attribute);
  return text != nullptr && !text->empty() ? *text : other;
}

solution::Variable variable_of(const Dataset& dataset) {
  return {.name = text_or(dataset, hdf5::name_attribute, dataset.path),
          .unit = text_or(dataset, hdf5::unit_attribute, ""),
          .description = text_or(dataset, hdf5::description_attribute, "")};
}

// The datasets of the table, each once.
struct Contents {
  Table table;
  std::vector<hdf5::Address> series = {};  // by their places
  std::vector<hdf5::Address> numbers = {};
  std::uint64_t rows = 0;
};

Result<Contents> contents_of(const std::vector<Dataset>& datasets) {
  const auto time = std::ranges::find(datasets, "time", &Dataset::path);
  if (time == datasets.end() || !time->has_numbers || time->extents.size() != 1)
    return not_a_table("it has no dataset `time` with one dimension");
  Contents contents;
  contents.rows = time->extents[0];
  contents.series.push_back(time->address);
  std::map<hdf5::Address, std::size_t> places = {{time->address, 0}};
  for (const Dataset& dataset : datasets) {
    if (&dataset == &*time) continue;
    const std::vector<std::uint64_t>& extents = dataset.extents;
    const bool varies = extents.size() == 1 && extents[0] == contents.rows;
    const bool is_number = extents.empty() || (extents.size() == 1 && extents[0] == 1);
    if (!dataset.has_numbers || (!varies && !is_number))
      return not_a_table(fmt::format("`{}` has not as many numbers as `time`", dataset.path));
    std::vector<hdf5::Address>& list = varies ? contents.series : contents.numbers;
    const auto [place, is_new] = places.try_emplace(dataset.address, list.size());
    if (is_new) list.push_back(dataset.address);
    solution::Variable variable = variable_of(dataset);
    variable.is_constant = !varies;
    variable.place = place->second;
    contents.table.variables.push_back(std::move(variable));
  }
  return contents;
}

Result<Table> read_contents(hdf5::File& file, Contents contents) {
  Table& table = contents.table;
  const std::uint64_t rows = contents.rows;
  table.width = contents.series.size();
  const double bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(table.width + 1);
  if (bytes > memory_limit())
    return not_a_table(fmt::format("{} rows of {} series take {} of memory", rows, table.width,
                                   bytes_text(bytes)));
  table.cells.resize(rows * table.width);
  std::vector<double> values(rows);
  for (std::size_t place = 0; place < table.width; ++place) {
    if (!file.read(contents.series[place], values))
      return not_a_table("numbers are damaged, or compressed in a way that is not supported");
    for (std::size_t row = 0; row < rows; ++row)
      table.cells[row * table.width + place] = values[row];
  }
  table.constants.resize(contents.numbers.size());
  for (std::size_t place = 0; place < table.constants.size(); ++place) {
    if (!file.read(contents.numbers[place], {&table.constants[place], 1}))
      return not_a_table("numbers are damaged");
  }
  return std::move(table);
}

Result<Table> read_table(hdf5::Library& library, FileBytes& bytes) {
  const std::unique_ptr<hdf5::File> file = library.open(bytes, hdf5::Access::Read);
  if (!file) return not_a_table("it is no HDF5 file, or not all of one");
  const std::optional<std::vector<Dataset>> datasets = file->datasets();
  if (!datasets) return not_a_table("it is damaged");
  Result<Contents> contents = contents_of(*datasets);
  if (!contents) return contents.error();
  return read_contents(*file, std::move(*contents));
}

}  // namespace

Result<Table> read_hdf5(const std::string& path) {
  const std::unique_ptr<FileBytes> bytes = open_file(path);
  if (!bytes) return Error{"io", fmt::format("cannot read `{}`: {}", path, std::strerror(errno))};
  const Result<hdf5::Library*> library = hdf5::load();
  if (!library) return library.error();
  const auto read_at = [&](std::uint64_t offset, std::span<char> into) {
    return bytes->read(offset, into);
  };
  if (hdf5::is_unfinished(read_at, bytes->size()))
    return not_a_table("a run was cut off, or still writes it");
  const bool is_harmless =
      (*library)->survives(bytes->size(), [&] { (void)read_table(**library, *bytes); });
  return is_harmless ? read_table(**library, *bytes) : not_a_table("it is damaged");
}

}  // namespace daedalus::report
