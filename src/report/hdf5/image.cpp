#include "report/hdf5/image.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace daedalus::report::hdf5 {
namespace {

constexpr std::uint64_t note_mark = 0x3145544f4e444544;     // "DEDNOTE1"
constexpr std::uint64_t journal_mark = 0x314c4e524a444544;  // "DEDJRNL1"
constexpr std::size_t block_bytes = std::size_t{1} << 20U;

// Fowler, Noll and Vo, 64 bits.
class Checksum {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      value_ ^= static_cast<unsigned char>(byte);
      value_ *= 0x100000001b3;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t checksum_of(std::string_view bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

// Precedes a note.
struct NoteHeader {
  std::uint64_t mark = note_mark;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
};

// Follows a journal of offsets with their pages, at the very end of the file.
struct JournalEnd {
  std::uint64_t mark = journal_mark;
  std::uint64_t begin = 0;
  std::uint64_t image_size = 0;
  std::uint64_t checksum = 0;  // of the journal and of the three numbers above
};

template <class Header>
std::string_view bytes_of(const Header& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

template <class Header>
std::optional<Header> header_at(const ReadAt& read, std::uint64_t offset, std::uint64_t length) {
  Header header;
  if (length < sizeof header || offset > length - sizeof header) return std::nullopt;
  if (!read(offset, {reinterpret_cast<char*>(&header), sizeof header})) return std::nullopt;
  return header;
}

// The end of the image, from the superblock of version 2.
std::optional<std::uint64_t> image_size(const ReadAt& read, std::uint64_t length) {
  constexpr std::string_view begin("\x89HDF\r\n\x1a\n\x02\x08\x08", 11);
  struct Superblock {
    char begin[12];
    char base[8], extension[8], end[8];
  };
  const std::optional<Superblock> superblock = header_at<Superblock>(read, 0, length);
  if (!superblock || std::string_view(superblock->begin, begin.size()) != begin)
    return std::nullopt;
  std::uint64_t size = 0;
  std::memcpy(&size, superblock->end, sizeof size);
  return size <= length ? std::optional(size) : std::nullopt;
}

std::optional<JournalEnd> journal_end(const ReadAt& read, std::uint64_t length) {
  const std::optional<JournalEnd> end = header_at<JournalEnd>(
      read, length - std::min<std::uint64_t>(length, sizeof(JournalEnd)), length);
  const bool is_journal =
      end && end->mark == journal_mark && end->begin < length && end->image_size <= end->begin;
  return is_journal ? end : std::nullopt;
}

ReadAt reader_of(const GrowingFile& file) {
  return [&file](std::uint64_t offset, std::span<char> into) {
    return file.read(offset, into) == into.size();
  };
}

}  // namespace

bool is_unfinished(const ReadAt& read, std::uint64_t length) {
  if (journal_end(read, length)) return true;
  const std::optional<std::uint64_t> size = image_size(read, length);
  if (!size) return false;
  const std::optional<NoteHeader> note = header_at<NoteHeader>(read, *size, length);
  return note && note->mark == note_mark;
}

bool Image::read(std::uint64_t offset, std::span<char> into) {
  while (!into.empty()) {
    const std::uint64_t begin = offset / page_bytes * page_bytes;
    const std::size_t inside = offset - begin;
    const std::size_t count = std::min(into.size(), page_bytes - inside);
    const auto held = pages_.find(begin);
    if (held != pages_.end()) {
      std::copy_n(held->second.begin() + static_cast<std::ptrdiff_t>(inside), count, into.begin());
    } else {
      const std::uint64_t there = committed_ > offset ? committed_ - offset : 0;
      const std::span<char> stored = into.first(std::min<std::uint64_t>(count, there));
      if (file_.read(offset, stored) != stored.size()) return false;
      std::fill_n(into.begin() + static_cast<std::ptrdiff_t>(stored.size()), count - stored.size(),
                  '\0');
    }
    offset += count;
    into = into.subspan(count);
  }
  return true;
}

Image::Page& Image::page_at(std::uint64_t offset) {
  const auto [place, is_new] = pages_.try_emplace(offset);
  if (is_new) {
    Page page(page_bytes, '\0');
    if (offset < committed_) {
      const std::span<char> stored(page.data(),
                                   std::min<std::uint64_t>(page_bytes, committed_ - offset));
      (void)file_.read(offset, stored);
    }
    place->second = std::move(page);
  }
  return place->second;
}

bool Image::write(std::uint64_t offset, std::string_view bytes) {
  size_ = std::max<std::uint64_t>(size_, offset + bytes.size());
  while (!bytes.empty()) {
    const std::uint64_t begin = offset / page_bytes * page_bytes;
    const std::size_t inside = offset - begin;
    const std::string_view part = bytes.substr(0, page_bytes - inside);
    page_at(begin).replace(inside, part.size(), part);
    offset += part.size();
    bytes.remove_prefix(part.size());
  }
  return true;
}

// Nothing refers to what is beyond the end of the file, so these pages need no journal.
bool Image::append_new_pages() {
  for (auto place = pages_.lower_bound(file_.length()); place != pages_.end();) {
    const auto& [offset, page] = *place;
    if (offset < size_) {
      const std::string gap(offset - file_.length(), '\0');
      if (!file_.append(gap) || !file_.append(std::string_view(page).substr(0, size_ - offset)))
        return false;
    }
    place = pages_.erase(place);
  }
  const std::size_t length = file_.length();
  return length >= size_ || file_.append(std::string(size_ - length, '\0'));
}

bool Image::write_journal() {
  JournalEnd end{.begin = file_.length(), .image_size = size_};
  Checksum checksum;
  std::string block;
  const auto put = [&] {
    checksum.add(block);
    const bool is_written = file_.append(block);
    block.clear();
    return is_written;
  };
  for (const auto& [offset, page] : pages_) {
    block += bytes_of(offset);
    block += page;
    if (block.size() >= block_bytes && !put()) return false;
  }
  if (!put()) return false;
  checksum.add(bytes_of(end).substr(0, offsetof(JournalEnd, checksum)));
  end.checksum = checksum.value();
  return file_.append(bytes_of(end));
}

bool Image::apply() {
  for (const auto& [offset, page] : pages_) {
    if (offset < size_ &&
        !file_.overwrite(offset, std::string_view(page).substr(0, size_ - offset)))
      return false;
  }
  return file_.sync();
}

// Where notes were, and HDF5 has written nothing, there are zeros, as if there had been no notes.
void Image::clear_notes() {
  const std::uint64_t end = std::min<std::uint64_t>(file_.length(), size_);
  for (std::uint64_t offset = committed_; offset < end; offset += page_bytes)
    (void)page_at(offset / page_bytes * page_bytes);
  if (committed_ < end) (void)page_at((end - 1) / page_bytes * page_bytes);
}

bool Image::begin_commit() {
  const std::size_t before = file_.length();
  clear_notes();
  if (append_new_pages() && (pages_.empty() || write_journal()) && file_.sync()) return true;
  file_.cut(before);
  return false;
}

void Image::cut_journal() {
  pages_.clear();
  file_.cut(size_);
  committed_ = size_;
}

bool Image::commit() {
  if (!begin_commit() || !apply()) return false;
  cut_journal();
  return true;
}

bool Image::note(std::string_view bytes) {
  const std::size_t before = file_.length();
  const NoteHeader header{.length = bytes.size(), .checksum = checksum_of(bytes)};
  if (file_.append(bytes_of(header)) && file_.append(bytes) && file_.sync()) return true;
  file_.cut(before);
  return false;
}

// A complete journal may have been applied in part; applying it again does no harm.
bool Image::complete_commit() {
  const ReadAt read_at = reader_of(file_);
  const std::optional<JournalEnd> end = journal_end(read_at, file_.length());
  if (!end) return false;
  constexpr std::size_t entry_bytes = sizeof(std::uint64_t) + page_bytes;
  const std::uint64_t stop = file_.length() - sizeof(JournalEnd);
  if (stop < end->begin || (stop - end->begin) % entry_bytes != 0) return false;
  Checksum checksum;
  std::map<std::uint64_t, Page> pages;
  std::string entry(entry_bytes, '\0');
  for (std::uint64_t offset = end->begin; offset < stop; offset += entry_bytes) {
    if (!read_at(offset, entry)) return false;
    checksum.add(entry);
    std::uint64_t place = 0;
    std::memcpy(&place, entry.data(), sizeof place);
    pages[place] = entry.substr(sizeof place);
  }
  checksum.add(bytes_of(*end).substr(0, offsetof(JournalEnd, checksum)));
  if (checksum.value() != end->checksum) return false;
  size_ = end->image_size;
  pages_ = std::move(pages);
  if (!apply()) return false;
  cut_journal();
  return true;
}

std::unique_ptr<Image> Image::recover(GrowingFile& file) {
  auto image = std::make_unique<Image>(file);
  image->complete_commit();
  const std::optional<std::uint64_t> size = image_size(reader_of(file), file.length());
  if (!size) return nullptr;
  image->size_ = image->committed_ = *size;
  return image;
}

Image::Notes Image::notes() const {
  const ReadAt read_at = reader_of(file_);
  Notes notes{.end = committed_};
  for (;;) {
    const std::optional<NoteHeader> header =
        header_at<NoteHeader>(read_at, notes.end, file_.length());
    if (!header || header->mark != note_mark ||
        header->length > file_.length() - notes.end - sizeof *header)
      return notes;
    std::string bytes(header->length, '\0');
    if (!read_at(notes.end + sizeof *header, bytes) || checksum_of(bytes) != header->checksum)
      return notes;
    notes.end += sizeof *header + bytes.size();
    notes.whole.push_back(std::move(bytes));
  }
}

}  // namespace daedalus::report::hdf5
