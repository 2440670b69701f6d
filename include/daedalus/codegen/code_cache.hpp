// Keeps compiled code and other bytes on disk, under a key.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace daedalus::codegen {

// A folder with one file for each key. Files appear by renaming, so that a reader sees a whole file
// or none, whoever else writes; each contains its key and a checksum, and a file that does not
// agree with them counts as missing. Since the code is executed, only files are used that belong to
// the user and that nobody else can write: the folders that are created are private to the user,
// and others are not used. Trouble with the folder never stops a run: the code is compiled again.
class CodeCache {
 public:
  CodeCache() = default;                          // nowhere: nothing is kept, and nothing found
  explicit CodeCache(const std::string& folder);  // empty: nowhere

  bool is_nowhere() const { return folder_ == nullptr; }
  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, std::string_view code) const;

  // Why the folder or a file in it was not used, if one was not: the first reason.
  std::optional<std::string> complaint() const;

 private:
  class Folder;
  std::shared_ptr<Folder> folder_;  // copies share what they know about it, also between threads
};

// A key: the digest of everything that the code depends on, in hexadecimal digits.
std::string digest(std::string_view text);

// The CPU that code is compiled for, as LLVM calls it.
std::string host_cpu();

}  // namespace daedalus::codegen
