#include "report/hdf5/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "daedalus/base/file.hpp"
#include "report/scratch.hpp"

namespace daedalus::report::hdf5 {
namespace {

// What HDF5 puts at the start of a file: its signature, and the size of the file.
std::string superblock(std::uint64_t size) {
  std::string bytes("\x89HDF\r\n\x1a\n\x02\x08\x08\x00", 12);
  bytes.append(16, '\0');
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  return bytes;
}

void put_file(const std::string& path, std::string_view bytes) {
  AtomicFile file = AtomicFile::create(path).value();
  file.write(bytes);
  ASSERT_TRUE(file.commit());
}

// A committed image of 20,000 bytes, notes, and changes in many places that are not committed.
class Images : public testing::Test {
 protected:
  Images() {
    write(0, superblock(20'000));
    write(36, std::string(19'964, 'a'));
    EXPECT_TRUE(image_.commit());
    before_ = bytes();
    EXPECT_TRUE(image_.note("first"));
    EXPECT_TRUE(image_.note(std::string(9'000, 'n')));
    noted_ = bytes();
    write(0, superblock(50'000));
    after_ = superblock(50'000) + std::string(19'964, 'a') + std::string(30'000, '\0');
    for (const std::size_t offset : {5'000, 12'286, 19'990, 30'000, 49'900}) {
      write(offset, std::string(100, 'b'));
      after_.replace(offset, 100, 100, 'b');
    }
  }

  void write(std::uint64_t offset, std::string_view text) {
    EXPECT_TRUE(image_.write(offset, text));
  }
  std::string bytes() const { return read_file(part_).value(); }

  const Scratch folder_;
  const std::string part_ = folder_.file("a.h5.part");
  GrowingFile file_ = GrowingFile::create(folder_.file("a.h5")).value();
  Image image_{file_};
  std::string before_, noted_, after_;
};

TEST_F(Images, ReadBackWhatWasWrittenBeforeAndAfterACommit) {
  std::string held(120, '\0'), stored(120, '\0'), beyond(10, 'x');
  ASSERT_TRUE(image_.read(4'990, held));
  EXPECT_EQ(held, std::string(10, 'a') + std::string(100, 'b') + std::string(10, 'a'));
  ASSERT_TRUE(image_.commit());
  ASSERT_TRUE(image_.read(4'990, stored));
  EXPECT_EQ(stored, held);
  ASSERT_TRUE(image_.read(25'000, beyond));  // where the notes were
  EXPECT_EQ(beyond, std::string(10, '\0'));
  EXPECT_TRUE(bytes() == after_);
}

TEST_F(Images, HaveChangedNothingInTheFileWithoutACommit) {
  EXPECT_TRUE(bytes() == noted_);
  EXPECT_TRUE(noted_.starts_with(before_));
  const Image::Notes notes = image_.notes();
  ASSERT_EQ(notes.whole.size(), 2U);
  EXPECT_EQ(notes.whole[0], "first");
  EXPECT_EQ(notes.end, noted_.size());
}

// If the file is cut at any byte before the journal is complete, the old image and its notes
// remain.
TEST_F(Images, AreTheOldOnesWhereTheJournalIsNotWhole) {
  ASSERT_TRUE(image_.begin_commit());
  const std::string journalled = bytes();
  ASSERT_GT(journalled.size(), 50'000U);
  for (std::size_t length = noted_.size(); length < journalled.size(); length += 97) {
    const std::string path = folder_.file("cut.h5.part");
    put_file(path, std::string_view(journalled).substr(0, length));
    GrowingFile cut = GrowingFile::reopen(path).value();
    const std::unique_ptr<Image> image = Image::recover(cut);
    ASSERT_TRUE(image) << length;
    ASSERT_EQ(image->size(), 20'000U) << length;
    ASSERT_EQ(image->notes().whole.size(), 2U) << length;
    std::string read(20'000, '\0');
    ASSERT_TRUE(image->read(0, read));
    ASSERT_TRUE(read == before_);
  }
}

// Whichever changes have arrived in place, the journal has them all.
TEST_F(Images, AreTheNewOnesWhereTheJournalIsWhole) {
  ASSERT_TRUE(image_.begin_commit());
  const std::string journalled = bytes();
  for (const std::size_t torn : {0, 4'200, 12'288, 19'995}) {
    std::string damaged = journalled;
    damaged.replace(torn, 40, after_, torn, 40);
    damaged.replace(torn + 40, 40, 40, '?');
    const std::string path = folder_.file("torn.h5.part");
    put_file(path, damaged);
    GrowingFile file = GrowingFile::reopen(path).value();
    const std::unique_ptr<Image> image = Image::recover(file);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->size(), 50'000U);
    EXPECT_TRUE(read_file(path).value() == after_);
  }
}

TEST_F(Images, AreNotRecoveredFromOtherFiles) {
  for (const std::string& text : {std::string(), std::string("text"), superblock(20'000)}) {
    const std::string path = folder_.file("other.h5.part");
    put_file(path, text);
    GrowingFile file = GrowingFile::reopen(path).value();
    EXPECT_FALSE(Image::recover(file));
    EXPECT_EQ(read_file(path).value(), text);
  }
}

}  // namespace
}  // namespace daedalus::report::hdf5
