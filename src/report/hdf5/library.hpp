// What results need from HDF5, without its types.
//
// A separate module implements this. It is loaded by the first run that writes or reads such a
// file: the library depends on some thirty others, which would cost every start 5 ms.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::report::hdf5 {

// Where the bytes of an HDF5 file are stored.
class Bytes {
 public:
  virtual ~Bytes() = default;

  virtual std::uint64_t size() const = 0;
  // Each returns whether it worked. Bytes beyond the end are zero.
  virtual bool read(std::uint64_t offset, std::span<char> into) = 0;
  virtual bool write(std::uint64_t offset, std::string_view bytes) = 0;
  virtual void resize(std::uint64_t size) = 0;
};

using Address = std::uint64_t;                                   // of a dataset in its file
using Texts = std::vector<std::pair<std::string, std::string>>;  // attributes: name and value

// A dataset under one of its names.
struct Dataset {
  std::string path = {};
  Address address = 0;
  bool has_numbers = false;
  std::vector<std::uint64_t> extents = {};  // none: a single number
  Texts texts = {};
};

// An open file. A name may have slashes, which make groups. Failures return false or nothing.
class File {
 public:
  virtual ~File() = default;  // closes it

  virtual std::optional<Address> add_series(const std::string& path, std::size_t rows_of_chunk,
                                            const Texts& texts) = 0;
  virtual std::optional<Address> add_number(const std::string& path, double value,
                                            const Texts& texts) = 0;
  // Another name for a dataset.
  virtual bool link(const std::string& path, Address dataset, const Texts& texts) = 0;
  // Extends a series that has so many rows.
  virtual bool append(Address series, std::uint64_t rows, std::span<const double> values) = 0;
  // What a series has; `into` is for its rows from `first` on, which must be there.
  virtual std::optional<std::uint64_t> rows(Address series) = 0;
  virtual bool read_rows(Address series, std::uint64_t first, std::span<double> into) = 0;
  // Leaves a series that has more only its first rows.
  virtual bool shorten(Address series, std::uint64_t rows) = 0;
  // Makes the bytes a complete file.
  virtual bool flush() = 0;

  // In the order in which they were added, if the file has it.
  virtual std::optional<std::vector<Dataset>> datasets() = 0;
  virtual bool read(Address dataset, std::span<double> into) = 0;  // all of it
};

enum class Access { Read, Write };

class Library {
 public:
  virtual ~Library() = default;

  // Null if the bytes are not a complete HDF5 file. They must outlive the result.
  virtual std::unique_ptr<File> create(Bytes& bytes) = 0;
  virtual std::unique_ptr<File> open(Bytes& bytes, Access access) = 0;

  // Whether work on so many bytes terminates, successfully or not: damaged bytes can make HDF5
  // crash or loop. A child process tries it, without effect on this one.
  virtual bool survives(std::uint64_t bytes, const std::function<void()>& work) = 0;
};

// Loaded once, for as long as the program runs.
Result<Library*> load();

// What the module exports under the name daedalus_hdf5_library.
using LibraryOfModule = Library*();

}  // namespace daedalus::report::hdf5
