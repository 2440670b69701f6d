#include "daedalus/base/growing_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/file_errors.hpp"

namespace daedalus {
namespace {

// Where locks are not supported, this cannot be known.
bool is_locked_by_others(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// Between the opening and the lock, another run may have renamed the file that was opened.
bool stands_at(const std::string& path, const struct stat& opened) {
  struct stat now{};
  return lstat(path.c_str(), &now) == 0 && now.st_dev == opened.st_dev &&
         now.st_ino == opened.st_ino;
}

// A new name survives a power cut only when its folder has been written. Best effort: some file
// systems cannot.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  close(descriptor);
}

}  // namespace

Result<GrowingFile> GrowingFile::create(const std::string& path) {
  if (const std::optional<Error> error = find_other_than_file(path)) return *error;
  const std::string part = path + std::string(suffix);
  if (const std::optional<Error> error = find_other_than_file(part)) return *error;
  for (;;) {
    const int descriptor =
        open(part.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t{0666});
    if (descriptor < 0) return not_created(errno == ELOOP ? part : path, errno);
    GrowingFile file(path, part, descriptor);
    struct stat about{};
    if (is_locked_by_others(descriptor)) {
      file.is_kept_ = true;
      return Error{"io", fmt::format("cannot write `{}`: another run is writing it", path),
                   "wait until that has ended, or give another name"};
    }
    const bool is_there = fstat(descriptor, &about) == 0 && stands_at(part, about);
    file.is_old_ = about.st_size > 0;
    file.is_kept_ = file.is_old_ || !is_there;
    if (is_there) return file;
  }
}

Result<GrowingFile> GrowingFile::reopen(const std::string& path) {
  if (const std::optional<Error> error = find_other_than_file(path)) return *error;
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return io_error("cannot open", path, errno);
  GrowingFile file(path, path, descriptor);
  file.is_kept_ = true;
  struct stat about{};
  if (is_locked_by_others(descriptor)) {
    return Error{"io", fmt::format("a run is still writing `{}`", path),
                 "wait until that has ended"};
  }
  if (fstat(descriptor, &about) != 0) return io_error("cannot read", path, errno);
  file.length_ = static_cast<std::size_t>(about.st_size);
  return file;
}

Result<GrowingFile> GrowingFile::take_up(const std::string& path, const IsAsLeft& is_as_left) {
  const std::string part = path + std::string(suffix);
  bool is_there = false;
  for (const std::string& name : {part, path}) {
    if (const std::optional<Error> error = find_other_than_file(name)) return *error;
    const int descriptor = open(name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) continue;
    if (descriptor < 0) return io_error("cannot open", name, errno);
    is_there = true;
    GrowingFile file(path, part, descriptor);
    file.is_kept_ = true;
    struct stat about{};
    if (is_locked_by_others(descriptor)) {
      return Error{"io", fmt::format("cannot write `{}`: another run is writing it", path),
                   "wait until that has ended"};
    }
    if (fstat(descriptor, &about) != 0) return io_error("cannot read", name, errno);
    file.length_ = static_cast<std::size_t>(about.st_size);
    file.has_own_name_ = name == path;
    if (is_as_left(file)) return file;
  }
  return Error{"io",
               is_there ? fmt::format("`{}` is not as the run had left it", path)
                        : fmt::format("neither `{}` nor `{}` is there", part, path),
               "give other files with --output"};
}

std::optional<Error> GrowingFile::go_on_after(std::size_t length) {
  if (has_own_name_ && rename(path_.c_str(), part_.c_str()) != 0)
    return io_error("cannot write", part_, errno);
  has_own_name_ = false;
  cut(length);
  return std::nullopt;
}

bool GrowingFile::was_at(const FileMark& mark) const {
  if (length_ < mark.length || mark.length < mark.tail.size()) return false;
  std::string tail(mark.tail.size(), '\0');
  return read(mark.length - tail.size(), tail) == tail.size() && tail == mark.tail;
}

FileMark GrowingFile::mark(std::size_t from) const {
  constexpr std::size_t enough = 256;
  FileMark mark{.length = length_, .tail = {}};
  if (is_stream()) return mark;
  mark.tail.resize(std::min(enough, length_ - std::min(from, length_)));
  mark.tail.resize(read(length_ - mark.tail.size(), mark.tail));
  return mark;
}

GrowingFile GrowingFile::on_stream(int descriptor, std::string name) {
  return {std::move(name), "", descriptor};
}

GrowingFile::GrowingFile(std::string path, std::string part, int descriptor)
    : path_(std::move(path)), part_(std::move(part)), descriptor_(descriptor) {}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      has_own_name_(other.has_own_name_),
      is_old_(other.is_old_),
      is_kept_(other.is_kept_),
      length_(other.length_),
      reached_(other.reached_),
      error_(other.error_) {}

GrowingFile::~GrowingFile() { leave(); }

// Only the first error is reported.
void GrowingFile::fail(int number) {
  if (error_ != 0) return;
  error_ = number;
  reached_ = length_;
}

bool GrowingFile::write_all(std::string_view bytes, std::size_t offset) {
  while (!bytes.empty()) {
    const ssize_t count =
        is_stream() ? write(descriptor_, bytes.data(), bytes.size())
                    : pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      fail(errno);
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
    length_ = std::max(length_, offset);
  }
  return true;
}

bool GrowingFile::append(std::string_view bytes) {
  if (error_ != 0) return false;
  if (std::exchange(is_old_, false)) {
    is_kept_ = false;
    if (ftruncate(descriptor_, 0) != 0) {
      fail(errno);
      return false;
    }
  }
  return write_all(bytes, length_);
}

bool GrowingFile::overwrite(std::size_t offset, std::string_view bytes) {
  return write_all(bytes, offset);
}

// A pipe has nothing to synchronise.
bool GrowingFile::sync() {
  if (error_ != 0) return false;
  if (!is_stream() && fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
  return error_ == 0;
}

void GrowingFile::cut(std::size_t length) {
  if (is_stream() || length >= length_) return;
  if (ftruncate(descriptor_, static_cast<off_t>(length)) == 0) length_ = length;
}

std::size_t GrowingFile::read(std::size_t offset, std::span<char> into) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t count = pread(descriptor_, into.data() + filled, into.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

std::optional<Error> GrowingFile::finish() {
  if (sync() && !is_stream() && rename(part_.c_str(), path_.c_str()) != 0) fail(errno);
  if (error_ != 0) return error();
  const int descriptor = std::exchange(descriptor_, -1);
  if (is_stream()) return std::nullopt;
  sync_folder_of(path_);
  close(descriptor);  // fsync() has reported every error
  return std::nullopt;
}

void GrowingFile::leave() {
  if (descriptor_ < 0) return;
  const int descriptor = std::exchange(descriptor_, -1);
  if (is_stream()) return;
  if (length_ == 0 && !is_kept_) unlink(part_.c_str());
  close(descriptor);
}

std::optional<Error> GrowingFile::error() const {
  if (error_ == 0) return std::nullopt;
  if (is_stream()) return io_error("cannot write to", path_, error_);
  return io_error(fmt::format("after {} bytes, cannot write", reached_), path_, error_);
}

bool GrowingFile::is_broken_pipe() const { return error_ == EPIPE; }

}  // namespace daedalus
