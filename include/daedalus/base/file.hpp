// Reads whole files, and writes them so that nothing half-written appears under the final name.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus {

// Regular files and pipes; a folder, a missing or an oversized file is an Error that says which.
Result<std::string> read_file(const std::string& path);

// A file that appears under its name only when it is complete: written next to it under a unique
// name, then synchronised and renamed by commit(). Without commit() nothing remains.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);  // an error is kept until commit()
  Result<std::size_t> commit();        // the number of bytes written

 private:
  AtomicFile(std::string path, std::string temporary, int descriptor);
  void flush();

  std::string path_;
  std::string temporary_;
  std::string buffer_;
  std::size_t written_ = 0;
  int descriptor_ = -1;
  int error_ = 0;
};

}  // namespace daedalus
