#include "daedalus/codegen/code_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/BLAKE3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <vector>

namespace daedalus::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "daedalus code 1\n";
constexpr std::string_view extension = ".code";  // more follows while a file is being written
constexpr std::uintmax_t most_bytes = 256 << 20;

// The code read here is executed: the user must own it, and nobody else may be able to write it.
// Links were followed before. Returns what is wrong, or nothing.
std::optional<std::string> why_foreign(const std::string& path, const struct stat& about) {
  if (about.st_uid != geteuid()) return fmt::format("`{}` belongs to another user", path);
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("others may write `{}` (chmod go-w would stop that)", path);
  return std::nullopt;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

bool read_into(int file, std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::read(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// Creates each missing folder of the path, for the user alone.
void make_folders(const fs::path& folder) {
  fs::path path;
  for (const fs::path& part : folder) {
    path /= part;
    ::mkdir(path.c_str(), S_IRWXU);
  }
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

class CodeCache::Folder {
 public:
  explicit Folder(const std::string& path) : path_(path) {}

  std::string path_of(const std::string& key) const {
    return (path_ / (key + std::string(extension))).string();
  }
  std::optional<std::string> read(const std::string& path);
  void write(const std::string& path, const std::string& key, std::string_view code);
  std::string complaint() const {
    const std::lock_guard lock(mutex_);
    return complaint_;
  }

 private:
  bool is_trusted();
  void complain(const std::string& why);
  void remove_oldest() const;

  const fs::path path_;
  mutable std::mutex mutex_;
  bool is_checked_ = false, is_trusted_ = true;
  std::string complaint_;  // the first one
};

// Checked when it exists; that may be after it was created.
bool CodeCache::Folder::is_trusted() {
  const std::lock_guard lock(mutex_);
  struct stat about{};
  if (!is_checked_ && stat(path_.c_str(), &about) == 0) {
    is_checked_ = true;
    if (const auto why = why_foreign(path_.string(), about)) {
      is_trusted_ = false;
      complaint_ = *why;
    }
  }
  return is_trusted_;
}

void CodeCache::Folder::complain(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (complaint_.empty()) complaint_ = why;
}

// The file that was opened is the one that is checked, whatever happens to its name.
std::optional<std::string> CodeCache::Folder::read(const std::string& path) {
  if (!is_trusted()) return std::nullopt;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  if (file.number() < 0 || ::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return std::nullopt;
  if (const std::optional<std::string> why = why_foreign(path, about)) {
    complain(*why);
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  if (!read_into(file.number(), text)) return std::nullopt;
  return text;
}

void CodeCache::Folder::write(const std::string& path, const std::string& key,
                              std::string_view code) {
  make_folders(path_);
  if (!is_trusted()) return;
  std::string name = path + ".XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) return;
  const bool written = write_all(file, header(key, code)) && write_all(file, code);
  const bool closed = ::close(file) == 0;
  std::error_code failure;
  if (written && closed) fs::rename(name, path, failure);
  if (!written || !closed || failure) {
    fs::remove(name, failure);
    return;
  }
  remove_oldest();
}

// Limits the size of the folder: files not used for longest are removed first.
void CodeCache::Folder::remove_oldest() const {
  struct File {
    fs::file_time_type time;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<File> files;
  std::uintmax_t total = 0;
  std::error_code failure;
  for (fs::directory_iterator at(path_, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at->path().filename().string().find(extension) == std::string::npos) continue;
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

CodeCache::CodeCache(const std::string& folder)
    : folder_(folder.empty() ? nullptr : std::make_shared<Folder>(folder)) {}

std::optional<std::string> CodeCache::find(const std::string& key) const {
  if (is_nowhere()) return std::nullopt;
  const std::string path = folder_->path_of(key);
  std::optional<std::string> text = folder_->read(path);
  if (!text) return std::nullopt;
  const std::size_t length = header(key, {}).size();
  if (text->size() < length) return std::nullopt;
  const std::string_view code = std::string_view(*text).substr(length);
  if (text->compare(0, length, header(key, code)) != 0) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // marks it as used
  text->erase(0, length);
  return text;
}

void CodeCache::store(const std::string& key, std::string_view code) const {
  if (!is_nowhere()) folder_->write(folder_->path_of(key), key, code);
}

std::optional<std::string> CodeCache::complaint() const {
  const std::string why = is_nowhere() ? "" : folder_->complaint();
  return why.empty() ? std::nullopt : std::optional("the cache was not used: " + why);
}

}  // namespace daedalus::codegen
