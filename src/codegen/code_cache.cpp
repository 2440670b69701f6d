#include "daedalus/codegen/code_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/BLAKE3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

namespace daedalus::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "daedalus code 1\n";
constexpr std::string_view extension = ".code";  // more follows while a file is being written
constexpr std::uintmax_t most_bytes = 256 << 20;

// What is read here is run: it must be the user's own, and nobody else may have written it. Links
// were followed before. Why it is not, or nothing.
std::optional<std::string> why_foreign(const std::string& path, const struct stat& about) {
  if (about.st_uid != geteuid()) return fmt::format("`{}` belongs to another user", path);
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("others may write `{}` (chmod go-w would stop that)", path);
  return std::nullopt;
}

// What this process knows of the folders that it was given.
class KnownFolders {
 public:
  static KnownFolders& all() {
    static KnownFolders folders;
    return folders;
  }

  // Looked at when it is there; that may be after it was made.
  bool is_trusted(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    Folder& known = folders_[folder];
    struct stat about{};
    if (!known.is_checked && stat(folder.c_str(), &about) == 0) {
      known.is_checked = true;
      if (const auto why = why_foreign(folder, about)) {
        known.is_trusted = false;
        known.complaint = *why;
      }
    }
    return known.is_trusted;
  }

  void complain(const std::string& folder, const std::string& why) {
    const std::lock_guard lock(mutex_);
    Folder& known = folders_[folder];
    if (known.complaint.empty()) known.complaint = why;
  }

  std::string complaint(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    return folders_[folder].complaint;
  }

 private:
  struct Folder {
    bool is_checked = false, is_trusted = true;
    std::string complaint = {};  // the first one
  };
  std::mutex mutex_;
  std::map<std::string, Folder> folders_;
};

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

// Each missing folder of the path, for the user alone.
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

std::string CodeCache::path_of(const std::string& key) const {
  return (fs::path(folder_) / (key + std::string(extension))).string();
}

// The file that was opened is the one that is looked at, whatever happens to its name.
std::optional<std::string> CodeCache::read(const std::string& path) const {
  if (!KnownFolders::all().is_trusted(folder_)) return std::nullopt;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  if (file.number() < 0 || ::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return std::nullopt;
  if (const std::optional<std::string> why = why_foreign(path, about)) {
    KnownFolders::all().complain(folder_, *why);
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  if (!read_into(file.number(), text)) return std::nullopt;
  return text;
}

std::optional<std::string> CodeCache::find(const std::string& key) const {
  const std::string path = path_of(key);
  std::optional<std::string> text = read(path);
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
  make_folders(folder_);
  if (!KnownFolders::all().is_trusted(folder_)) return;
  std::string name = path_of(key) + ".XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) return;
  const bool written = write_all(file, header(key, code)) && write_all(file, code);
  const bool closed = ::close(file) == 0;
  std::error_code failure;
  if (written && closed) fs::rename(name, path_of(key), failure);
  if (!written || !closed || failure) {
    fs::remove(name, failure);
    return;
  }
  remove_oldest();
}

std::optional<std::string> CodeCache::complaint(const std::string& folder) {
  const std::string why = folder.empty() ? "" : KnownFolders::all().complaint(folder);
  return why.empty() ? std::nullopt : std::optional("the cache was not used: " + why);
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

}  // namespace daedalus::codegen
