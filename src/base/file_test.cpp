#include "daedalus/base/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace daedalus {
namespace {

namespace fs = std::filesystem;

// A folder of the test's own, removed afterwards.
class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "daedalus-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }

  fs::path folder_;
};

TEST_F(Files, AreReadWholeWithEveryByte) {
  const std::string text("a\0b\r\n\xFF", 6);
  put("x", text);
  EXPECT_EQ(*read_file(path("x")), text);
  put("empty", "");
  EXPECT_EQ(*read_file(path("empty")), "");
}

TEST_F(Files, ThatAreMissingOrFoldersAreErrorsThatSayWhich) {
  const Result<std::string> missing = read_file(path("nowhere"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "io");
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);
  EXPECT_NE(missing.error().message.find("nowhere"), std::string::npos);
  const Result<std::string> folder = read_file(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("it is a folder"), std::string::npos);
}

TEST_F(Files, ThatArePipesAreReadToTheirEnd) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { put("pipe", std::string(200'000, 'p')); });
  const Result<std::string> text = read_file(path("pipe"));
  writer.join();
  EXPECT_EQ(text->size(), 200'000U);
}

TEST_F(Files, AppearOnlyWithCommit) {
  Result<AtomicFile> file = AtomicFile::create(path("x"));
  ASSERT_TRUE(file);
  file->write("abc");
  EXPECT_FALSE(fs::exists(path("x")));
  EXPECT_EQ(*file->commit(), 3U);
  EXPECT_EQ(*read_file(path("x")), "abc");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Files, LeaveNothingBehindWithoutCommit) {
  put("x", "old");
  {
    Result<AtomicFile> file = AtomicFile::create(path("x"));
    ASSERT_TRUE(file);
    AtomicFile moved = std::move(*file);
    moved.write(std::string(1'000'000, 'n'));
  }
  EXPECT_EQ(*read_file(path("x")), "old");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Files, KeepMoreThanOneBufferOfBytesInOrder) {
  std::string expected;
  Result<AtomicFile> file = AtomicFile::create(path("x"));
  ASSERT_TRUE(file);
  for (int i = 0; i < 50'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    expected += line;
    file->write(line);
  }
  EXPECT_EQ(*file->commit(), expected.size());
  EXPECT_EQ(*read_file(path("x")), expected);
}

TEST_F(Files, HaveTheRightsThatTheMaskLeaves) {
  Result<AtomicFile> file = AtomicFile::create(path("x"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->commit());
  const mode_t mask = umask(0);
  umask(mask);
  struct stat about{};
  ASSERT_EQ(stat(path("x").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0666U & ~mask);
}

TEST_F(Files, CannotBeMadeInAMissingFolderOrOverAFolder) {
  const Result<AtomicFile> missing = AtomicFile::create(path("no/x"));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("its folder does not exist"), std::string::npos);
  const Result<AtomicFile> folder = AtomicFile::create(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("it is a folder"), std::string::npos);
}

TEST_F(Files, NeverReplaceADeviceOrAPipe) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const Result<AtomicFile> pipe = AtomicFile::create(path("pipe"));
  ASSERT_FALSE(pipe);
  EXPECT_EQ(pipe.error().code, "io");
  const Result<AtomicFile> device = AtomicFile::create("/dev/null");
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().message.find("not a regular file"), std::string::npos);
}

TEST_F(Files, SayAtCommitThatTheirFolderIsGone) {
  fs::create_directory(folder_ / "sub");
  Result<AtomicFile> file = AtomicFile::create(path("sub/x"));
  ASSERT_TRUE(file);
  file->write("abc");
  fs::remove_all(folder_ / "sub");
  const Result<std::size_t> committed = file->commit();
  ASSERT_FALSE(committed);
  EXPECT_NE(committed.error().message.find("after 3 bytes"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
