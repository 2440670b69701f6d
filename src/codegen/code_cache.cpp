#include "daedalus/codegen/code_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/BLAKE3.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace daedalus::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "daedalus code 1\n";
constexpr std::uintmax_t most_bytes = 256 << 20;

std::optional<std::string> read_all(const std::string& path) {
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return std::nullopt;
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) return std::nullopt;
  return text;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string header(const std::string& key, std::string_view code) {
  return fmt::format("{}{}\n{}\n", magic, key, digest(code));
}

}  // namespace

std::string digest(std::string_view text) {
  llvm::BLAKE3 hash;
  hash.update(llvm::StringRef(text.data(), text.size()));
  std::string digits;
  for (const std::uint8_t byte : hash.final<16>()) digits += fmt::format("{:02x}", byte);
  return digits;
}

std::string CodeCache::path_of(const std::string& key) const {
  return (fs::path(folder_) / (key + ".code")).string();
}

std::optional<std::string> CodeCache::find(const std::string& key) const {
  const std::string path = path_of(key);
  std::optional<std::string> text = read_all(path);
  if (!text) return std::nullopt;
  const std::size_t length = header(key, {}).size();
  if (text->size() < length) return std::nullopt;
  const std::string_view code = std::string_view(*text).substr(length);
  if (text->compare(0, length, header(key, code)) != 0) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // it was used
  text->erase(0, length);
  return text;
}

void CodeCache::store(const std::string& key, std::string_view code) const {
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) return;
  std::string name = path_of(key) + ".XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) return;
  const bool written = write_all(file, header(key, code)) && write_all(file, code);
  const bool closed = ::close(file) == 0;
  if (written && closed) fs::rename(name, path_of(key), failure);
  if (!written || !closed || failure) {
    fs::remove(name, failure);
    return;
  }
  remove_oldest();
}

// Keeps the folder within its size: what was not used for longest goes first.
void CodeCache::remove_oldest() const {
  struct File {
    fs::file_time_type time;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<File> files;
  std::uintmax_t total = 0;
  std::error_code failure;
  for (fs::directory_iterator at(folder_, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::error_code gone;  // another process may remove it meanwhile
    const std::uintmax_t size = at->file_size(gone);
    const fs::file_time_type time = at->last_write_time(gone);
    if (gone) continue;
    files.push_back({time, size, at->path()});
    total += size;
  }
  if (total <= most_bytes) return;
  std::ranges::sort(files, {}, &File::time);
  for (const File& file : files) {
    if (total <= most_bytes) return;
    fs::remove(file.path, failure);
    total -= file.size;
  }
}

}  // namespace daedalus::codegen
