#include "daedalus/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/file_errors.hpp"

namespace daedalus {
namespace {

constexpr std::size_t largest_input = std::size_t{1} << 30U;  // bytes; spans are 32 bits wide
constexpr std::size_t buffer_size = std::size_t{1} << 16U;

}  // namespace

Error io_error(std::string_view what, const std::string& path, int number) {
  return {"io", fmt::format("{} `{}`: {}", what, path, std::strerror(number))};
}

std::optional<Error> find_other_than_file(const std::string& path) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return std::nullopt;
  const std::string_view what = S_ISDIR(about.st_mode) ? "a folder" : "not a regular file";
  return Error{"io", fmt::format("cannot write `{}`: it is {}", path, what)};
}

Error not_created(const std::string& path, int number) {
  if (number != ENOENT) return io_error("cannot write", path, number);
  return {"io", fmt::format("cannot write `{}`: its folder does not exist", path),
          "create the folder first"};
}

Result<std::string> read_file(const std::string& path) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) return io_error("cannot read", path, errno);
  if (S_ISDIR(about.st_mode))
    return Error{"io", fmt::format("cannot read `{}`: it is a folder", path)};
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return io_error("cannot read", path, errno);
  std::string text;
  std::vector<char> block(buffer_size);
  for (;;) {
    const ssize_t count = read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int number = errno;
      close(descriptor);
      return io_error("cannot read", path, number);
    }
    if (count == 0) break;
    text.append(block.data(), static_cast<std::size_t>(count));
    if (text.size() > largest_input) {
      close(descriptor);
      return Error{"io", fmt::format("`{}` is larger than the limit of 1 GiB", path)};
    }
  }
  close(descriptor);
  return text;
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  if (const std::optional<Error> error = find_other_than_file(path)) return *error;
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return not_created(path, errno);
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(descriptor, 0666 & ~mask) != 0) {
    const int number = errno;
    close(descriptor);
    unlink(temporary.c_str());
    return io_error("cannot write", path, number);
  }
  return AtomicFile(path, std::move(temporary), descriptor);
}

AtomicFile::AtomicFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {
  buffer_.reserve(buffer_size);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      written_(other.written_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      error_(other.error_) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= buffer_size) flush();
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_ == 0) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error_ = errno;
    } else {
      rest.remove_prefix(static_cast<std::size_t>(count));
      written_ += static_cast<std::size_t>(count);
    }
  }
  buffer_.clear();
}

Result<std::size_t> AtomicFile::commit() {
  flush();
  if (error_ == 0 && fsync(descriptor_) != 0 && errno != EINVAL) error_ = errno;
  if (close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && rename(temporary_.c_str(), path_.c_str()) != 0) error_ = errno;
  if (error_ != 0) {
    return io_error(fmt::format("after {} bytes, cannot write", written_), path_, error_);
  }
  temporary_.clear();
  return written_;
}

}  // namespace daedalus
