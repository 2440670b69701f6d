// A file that grows while work goes on, so that what has been written outlives the work.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daedalus/base/archive.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus {

// How far a file had got, and its last bytes there, by which it is recognised.
struct FileMark {
  std::size_t length = 0;
  std::string tail;

  void archive(Archive& a) { a(length, tail); }
};

// Grows as `path`.part and gets its own name when it is finished. Meanwhile, no other process can
// open it this way. Without finish() it is left as far as it has got, unless nothing was ever
// appended.
class GrowingFile {
 public:
  static constexpr std::string_view suffix = ".part";

  // What an earlier run left under that name stays until the first append().
  static Result<GrowingFile> create(const std::string& path);
  // A file that an earlier run has left, whatever its name is now, with all its contents.
  static Result<GrowingFile> reopen(const std::string& path);
  // A file that an earlier run has left, finished or not, if it is found to be as that had left it
  // there. It stays as it is until go_on_after(); from then on it grows as `path`.part again, after
  // its first `length` bytes.
  using IsAsLeft = std::function<bool(GrowingFile&)>;
  static Result<GrowingFile> take_up(const std::string& path, const IsAsLeft& is_as_left);
  std::optional<Error> go_on_after(std::size_t length);
  // A stream that the caller has opened, and closes: it cannot be overwritten or truncated.
  static GrowingFile on_stream(int descriptor, std::string name);

  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&&) = delete;
  ~GrowingFile();

  // Each returns whether it worked. After an error nothing is appended any more.
  bool append(std::string_view bytes);  // as much as there is room for
  bool sync();                          // what is there survives a power cut

  // These can be used after an error, too.
  bool overwrite(std::size_t offset, std::string_view bytes);
  void cut(std::size_t length);

  // Reads from the offset on, up to the length of `into`; returns the number of bytes.
  std::size_t read(std::size_t offset, std::span<char> into) const;

  // With some of what was appended after the first `from` bytes, which is never overwritten.
  FileMark mark(std::size_t from) const;
  // Whether it had got there, and has the same bytes before it.
  bool was_at(const FileMark& mark) const;

  std::optional<Error> finish();  // the file appears under its own name, and is closed
  void leave();                   // it stays as `path`.part, and is closed

  std::optional<Error> error() const;  // the first one
  bool has_failed() const { return error_ != 0; }
  bool is_broken_pipe() const;  // the reader of a stream has left

  std::size_t length() const { return length_; }
  const std::string& path() const { return path_; }
  bool is_stream() const { return part_.empty(); }

 private:
  GrowingFile(std::string path, std::string part, int descriptor);
  void fail(int number);
  bool write_all(std::string_view bytes, std::size_t offset);

  std::string path_;
  std::string part_;  // empty: of a stream
  int descriptor_ = -1;
  bool has_own_name_ = false;  // it has been finished, and taken up
  bool is_old_ = false;        // nothing has been appended yet to what an earlier run left
  bool is_kept_ = false;       // even if nothing is in it
  std::size_t length_ = 0;
  std::size_t reached_ = 0;  // the length when it failed
  int error_ = 0;
};

}  // namespace daedalus
