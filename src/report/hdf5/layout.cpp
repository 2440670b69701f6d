#include "report/hdf5/layout.hpp"

#include <fmt/format.h>

#include <map>
#include <unordered_map>
#include <utility>

namespace daedalus::report::hdf5 {
namespace {

using solution::Variable;

// All attributes that a name can have; empty: none.
Texts texts_of(const Variable& variable, const std::string& path) {
  return {{std::string(unit_attribute), variable.unit},
          {std::string(description_attribute), variable.description},
          {std::string(name_attribute), path == variable.name ? "" : variable.name}};
}

Texts without_empty(Texts texts) {
  std::erase_if(texts, [](const auto& text) { return text.second.empty(); });
  return texts;
}

// The attributes of another name of the dataset that differ from those of the dataset.
Texts differences(const Texts& first, const Texts& other, const std::string& path) {
  Texts result;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].second != other[i].second)
      result.emplace_back(attribute_of(other[i].first, path), other[i].second);
  }
  return result;
}

// The paths that are in use, by datasets and by the groups that contain them.
class Paths {
 public:
  std::optional<Error> take(const std::string& path, const std::string& name) {
    if (path.empty() || name.find('\0') != std::string::npos)
      return Error{"report.hdf5-name", fmt::format("`{}` cannot be the name of a dataset", name),
                   hint};
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
      const auto [place, is_new] = owners_.try_emplace(path.substr(0, end), name, Kind::Group);
      if (!is_new && place->second.second == Kind::Dataset) return clash(name, place->second.first);
    }
    const auto [place, is_new] = owners_.try_emplace(path, name, Kind::Dataset);
    return is_new ? std::nullopt : std::optional(clash(name, place->second.first));
  }

 private:
  static constexpr const char* hint = "leave it out (--variables), or use another format";
  enum class Kind { Dataset, Group };

  static Error clash(const std::string& name, const std::string& other) {
    return {"report.hdf5-name",
            fmt::format("an HDF5 file cannot have both `{}` and `{}`", other, name), hint};
  }

  std::unordered_map<std::string, std::pair<std::string, Kind>> owners_;  // never iterated over
};

// The datasets of one kind, and which one has the values of a place with a sign.
class Columns {
 public:
  Columns(std::vector<Column>& columns, std::vector<Alias>& aliases)
      : columns_(columns), aliases_(aliases) {}

  void add(const Variable& variable, const std::string& path) {
    Texts texts = texts_of(variable, path);
    const auto [place, is_new] =
        numbers_.try_emplace({variable.place, variable.sign}, columns_.size());
    if (is_new) {
      columns_.push_back({path, without_empty(texts), variable.place, variable.sign});
      texts_.push_back(std::move(texts));
    } else {
      const Texts& first = texts_[place->second];
      aliases_.push_back({path, differences(first, texts, path), place->second});
    }
  }

 private:
  std::vector<Column>& columns_;
  std::vector<Alias>& aliases_;
  std::vector<Texts> texts_;  // with the empty ones
  std::map<std::pair<std::size_t, int>, std::size_t> numbers_;
};

}  // namespace

std::string attribute_of(std::string_view attribute, std::string_view path) {
  return fmt::format("{} of {}", attribute, path);
}

// In HDF5, neither several slashes in a row nor a single dot are part of a path.
std::string path_of(std::string_view name) {
  std::string path;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

Result<Layout> layout_of(const solution::Table& table) {
  Layout layout;
  Paths paths;
  Columns series(layout.series, layout.series_aliases);
  Columns numbers(layout.numbers, layout.number_aliases);
  const Variable time{.name = "time", .unit = "s", .description = "Simulation time"};
  (void)paths.take(time.name, time.name);
  series.add(time, time.name);
  for (const Variable& variable : table.variables) {
    const std::string path = path_of(variable.name);
    if (const std::optional<Error> error = paths.take(path, variable.name)) return *error;
    (variable.is_constant ? numbers : series).add(variable, path);
  }
  return layout;
}

}  // namespace daedalus::report::hdf5
