// The bytes of an HDF5 file that is being written, so that the file is consistent at any moment.
//
// HDF5 changes its index in many places, and a file in which only some of these changes have
// arrived is lost. So what HDF5 writes is held here until commit(), which puts it first into a
// journal at the end of the file, then in place, and then cuts the journal off: whatever ends the
// program, either all of it counts or nothing. Between commits, notes at the end keep what HDF5 has
// not received yet. Other readers of HDF5 ignore what follows the image.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/growing_file.hpp"
#include "report/hdf5/library.hpp"

namespace daedalus::report::hdf5 {

class Image final : public Bytes {
 public:
  // For a file to which nothing has been appended yet.
  explicit Image(GrowingFile& file) : file_(file) {}

  // For a file that a run has left: completes a commit that was started. Null if the file does not
  // start like one of ours, or is shorter than it says.
  static std::unique_ptr<Image> recover(GrowingFile& file);

  std::uint64_t size() const override { return size_; }
  bool read(std::uint64_t offset, std::span<char> into) override;
  bool write(std::uint64_t offset, std::string_view bytes) override;
  void resize(std::uint64_t size) override { size_ = size; }

  std::size_t held_bytes() const { return pages_.size() * page_bytes; }

  // Each returns whether it worked, and is on the disk. Otherwise the previous contents remain.
  bool commit();        // removes the notes
  bool begin_commit();  // only its first half: writes the journal
  bool note(std::string_view bytes);

  // The complete notes since the last commit, and where the last of them ends.
  struct Notes {
    std::vector<std::string> whole = {};
    std::size_t end = 0;
  };
  Notes notes() const;

 private:
  static constexpr std::size_t page_bytes = 4096;
  using Page = std::string;

  Page& page_at(std::uint64_t offset);
  bool append_new_pages();
  void clear_notes();
  void cut_journal();
  bool write_journal();
  bool apply();
  bool complete_commit();

  GrowingFile& file_;
  std::uint64_t size_ = 0;               // as HDF5 sees it
  std::uint64_t committed_ = 0;          // the size of the file without journal and notes
  std::map<std::uint64_t, Page> pages_;  // by their offsets
};

// Whether a file that is only to be read has a journal or notes after its image.
using ReadAt = std::function<bool(std::uint64_t offset, std::span<char> into)>;
bool is_unfinished(const ReadAt& read, std::uint64_t length);

}  // namespace daedalus::report::hdf5
