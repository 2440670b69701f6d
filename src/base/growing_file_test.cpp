#include "daedalus/base/growing_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "daedalus/base/check.hpp"
#include "daedalus/base/file.hpp"

namespace daedalus {
namespace {

class GrowingFiles : public testing::Test {
 protected:
  GrowingFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "daedalus-XXXXXX").string();
    DAEDALUS_CHECK(mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~GrowingFiles() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name = "a.csv") const { return (folder_ / name).string(); }
  std::string part() const { return path("a.csv.part"); }
  std::string text(const std::string& file) const { return read_file(file).value(); }
  void write(const std::string& file, const std::string& contents) const {
    std::ofstream(file) << contents;
  }
  bool exists(const std::string& file) const { return std::filesystem::exists(file); }

  std::filesystem::path folder_;
};

TEST_F(GrowingFiles, AppearUnderTheirNameWhenTheyAreFinished) {
  write(path(), "old");
  GrowingFile file = GrowingFile::create(path()).value();
  EXPECT_TRUE(file.append("one "));
  EXPECT_TRUE(file.append("two"));
  EXPECT_EQ(file.length(), 7U);
  EXPECT_EQ(text(part()), "one two");
  EXPECT_EQ(text(path()), "old");
  EXPECT_FALSE(file.finish());
  EXPECT_EQ(text(path()), "one two");
  EXPECT_FALSE(exists(part()));
}

TEST_F(GrowingFiles, StayAsFarAsTheyGotWithoutThat) {
  {
    GrowingFile file = GrowingFile::create(path()).value();
    file.append("one");
  }
  EXPECT_EQ(text(part()), "one");
  EXPECT_FALSE(exists(path()));
}

TEST_F(GrowingFiles, LeaveNothingWhereNothingWasAppended) {
  {
    const GrowingFile file = GrowingFile::create(path()).value();
  }
  EXPECT_FALSE(exists(part()));
  write(part(), "of an earlier run");
  {
    const GrowingFile file = GrowingFile::create(path()).value();
  }
  EXPECT_EQ(text(part()), "of an earlier run");
  {
    GrowingFile file = GrowingFile::create(path()).value();
    file.append("new");
  }
  EXPECT_EQ(text(part()), "new");
}

TEST_F(GrowingFiles, AreWrittenByOneRunAtATime) {
  GrowingFile first = GrowingFile::create(path()).value();
  first.append("first");
  const Result<GrowingFile> second = GrowingFile::create(path());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another run is writing it"), std::string::npos);
  const Result<GrowingFile> repairing = GrowingFile::reopen(part());
  ASSERT_FALSE(repairing);
  EXPECT_NE(repairing.error().message.find("a run is still writing"), std::string::npos);
  EXPECT_EQ(text(part()), "first");
  EXPECT_FALSE(first.finish());
  EXPECT_TRUE(GrowingFile::create(path()));
}

TEST_F(GrowingFiles, CanBeWrittenOverAndCut) {
  GrowingFile file = GrowingFile::create(path()).value();
  file.append("0 rows: a b c");
  EXPECT_TRUE(file.overwrite(0, "2"));
  file.cut(11);
  EXPECT_TRUE(file.append("!"));
  EXPECT_EQ(text(part()), "2 rows: a b!");
}

TEST_F(GrowingFiles, AreOpenedAgainWithWhatIsInThem) {
  write(part(), "one two");
  const GrowingFile file = GrowingFile::reopen(part()).value();
  EXPECT_EQ(file.length(), 7U);
  std::array<char, 10> read{};
  EXPECT_EQ(file.read(4, read), 3U);
  EXPECT_EQ(std::string(read.data(), 3), "two");
  EXPECT_FALSE(GrowingFile::reopen(path("missing.part")));
}

TEST_F(GrowingFiles, RefuseLinksFoldersAndMissingFolders) {
  write(path("kept"), "kept");
  std::filesystem::create_symlink(path("kept"), part());
  EXPECT_FALSE(GrowingFile::create(path()));
  EXPECT_EQ(text(path("kept")), "kept");
  std::filesystem::create_directory(path("folder.csv"));
  EXPECT_EQ(GrowingFile::create(path("folder.csv")).error().message,
            "cannot write `" + path("folder.csv") + "`: it is a folder");
  EXPECT_EQ(GrowingFile::create(path("none/a.csv")).error().hint, "create the folder first");
}

TEST_F(GrowingFiles, TellOfAStreamThatIsFull) {
  const int full = open("/dev/full", O_WRONLY);
  GrowingFile stream = GrowingFile::on_stream(full, "stdout");
  EXPECT_FALSE(stream.append("x"));
  EXPECT_EQ(stream.error()->message, "cannot write to `stdout`: No space left on device");
  EXPECT_FALSE(stream.is_broken_pipe());
  EXPECT_FALSE(stream.append("y"));
  close(full);
}

}  // namespace
}  // namespace daedalus
