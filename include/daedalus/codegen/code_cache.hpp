// Compiled code and other bytes on disk, to be found again under a key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace daedalus::codegen {

// A folder with one file for each key. Files appear by renaming, so that a reader sees all of one
// or none, whoever else writes; each carries its key and a checksum, and what does not agree with
// them counts as missing. Trouble with the folder never stops a run: the code is compiled again.
class CodeCache {
 public:
  explicit CodeCache(std::string folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, std::string_view code) const;

 private:
  std::string path_of(const std::string& key) const;
  void remove_oldest() const;

  std::string folder_;
};

// A key: the digest of everything that the code depends on, in hexadecimal digits.
std::string digest(std::string_view text);

}  // namespace daedalus::codegen
