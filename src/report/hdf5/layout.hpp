// The datasets of an HDF5 file for the variables of a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"
#include "report/hdf5/library.hpp"

namespace daedalus::report::hdf5 {

// A dataset with its first name. Its values are the cells, or the constant, at a place, with a
// sign.
struct Column {
  std::string path = {};
  Texts texts = {};
  std::size_t place = 0;
  int sign = 1;
};

// Another name for a dataset, with the attributes of this name alone.
struct Alias {
  std::string path = {};
  Texts texts = {};
  std::size_t column = 0;  // of the series or of the numbers
};

struct Layout {
  std::vector<Column> series = {};  // the first is the time
  std::vector<Column> numbers = {};
  std::vector<Alias> series_aliases = {};
  std::vector<Alias> number_aliases = {};
};

// An Error names the variables that HDF5 cannot distinguish: "a/b", "a//b" and "a/./b" are the same
// to it, and "a" cannot be both a dataset and a group.
Result<Layout> layout_of(const solution::Table& table);

// Names in the file: of an attribute of an alias, and the path of a variable.
std::string attribute_of(std::string_view attribute, std::string_view path);  // "unit of a.b"
std::string path_of(std::string_view name);  // empty: there is none

constexpr std::string_view unit_attribute = "unit";
constexpr std::string_view description_attribute = "description";
constexpr std::string_view name_attribute = "name";  // where it is not the path

}  // namespace daedalus::report::hdf5
