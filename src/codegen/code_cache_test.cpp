#include "daedalus/codegen/code_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace daedalus::codegen {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() /
        ("daedalus_cache_" + digest(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      all.push_back(entry.path());
    return all;
  }

  fs::path folder_;
  const std::string key_ = digest("a key");
  const std::string code_ = std::string("\0\x7f some code \n", 14) + std::string(5000, 'x');
};

TEST_F(CodeCacheTest, GivesBackWhatItGot) {
  const CodeCache cache(folder_.string());
  EXPECT_FALSE(cache.find(key_));
  cache.store(key_, code_);
  EXPECT_EQ(cache.find(key_), code_);
  EXPECT_FALSE(cache.find(digest("another key")));
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(CodeCacheTest, TakesAnyDamageForMissing) {
  const CodeCache cache(folder_.string());
  cache.store(key_, code_);
  const fs::path file = files().front();
  const std::uintmax_t size = fs::file_size(file);
  for (std::uintmax_t at = 0; at < size; at += 97) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const int byte = stream.get();
    const auto write = [&](int value) {
      stream.seekp(static_cast<std::streamoff>(at));
      stream.put(static_cast<char>(value));
      stream.flush();
    };
    write(byte ^ 1);
    EXPECT_FALSE(cache.find(key_)) << at;
    write(byte);
    EXPECT_TRUE(cache.find(key_)) << at;
  }
  for (const std::uintmax_t length : {size - 1, size / 2, std::uintmax_t{10}, std::uintmax_t{0}}) {
    fs::resize_file(file, length);
    EXPECT_FALSE(cache.find(key_)) << length;
  }
  cache.store(key_, code_);
  EXPECT_EQ(cache.find(key_), code_);
}

TEST_F(CodeCacheTest, AnotherKeysFileUnderThisNameIsNotTaken) {
  const CodeCache cache(folder_.string());
  cache.store(digest("another key"), code_);
  fs::rename(files().front(), folder_ / (key_ + ".code"));
  EXPECT_FALSE(cache.find(key_));
}

TEST_F(CodeCacheTest, ManyWritersAndReadersSeeWholeFilesOnly) {
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 4; ++writer) {
    threads.emplace_back([&] {
      const CodeCache cache(folder_.string());
      for (int i = 0; i < 100; ++i) {
        cache.store(key_, code_);
        EXPECT_EQ(cache.find(key_), code_);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(CodeCacheTest, IsMadeForTheUserAlone) {
  const CodeCache cache((folder_ / "below").string());
  cache.store(key_, code_);
  for (const fs::path& folder : {folder_, folder_ / "below"})
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_FALSE(cache.complaint());
}

TEST_F(CodeCacheTest, WhatOthersMayWriteIsNotTaken) {
  fs::create_directory(folder_);
  fs::permissions(folder_, fs::perms::all);
  const CodeCache cache(folder_.string());
  cache.store(key_, code_);
  EXPECT_TRUE(files().empty());
  EXPECT_FALSE(cache.find(key_));
  EXPECT_TRUE(cache.complaint());
}

TEST_F(CodeCacheTest, AFileThatOthersMayWriteIsReplaced) {
  const CodeCache cache(folder_.string());
  cache.store(key_, code_);
  fs::permissions(files().front(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find(key_));
  EXPECT_TRUE(cache.complaint());
  cache.store(key_, code_);
  EXPECT_EQ(cache.find(key_), code_);
}

TEST_F(CodeCacheTest, ComplainsAboutTheFirstTroubleOfItsCopiesOnly) {
  const CodeCache cache(folder_.string()), other(folder_.string());
  cache.store(key_, code_);
  fs::permissions(files().front(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(CodeCache(cache).find(key_));
  EXPECT_TRUE(cache.complaint());
  EXPECT_FALSE(other.complaint());
}

TEST_F(CodeCacheTest, KeepsNothingNowhere) {
  const CodeCache cache;
  EXPECT_TRUE(cache.is_nowhere());
  EXPECT_TRUE(CodeCache("").is_nowhere());
  cache.store(key_, code_);
  EXPECT_FALSE(cache.find(key_));
  EXPECT_FALSE(cache.complaint());
}

TEST_F(CodeCacheTest, RemovesNothingButItsOwnFiles) {
  fs::create_directory(folder_);
  for (const char* name : {"letters.txt", "old.code"}) {
    std::ofstream(folder_ / name) << "";
    fs::resize_file(folder_ / name, 300 << 20);  // takes no space on disk
  }
  CodeCache(folder_.string()).store(key_, code_);
  EXPECT_TRUE(fs::exists(folder_ / "letters.txt"));
  EXPECT_FALSE(fs::exists(folder_ / "old.code"));
}

TEST_F(CodeCacheTest, AFolderThatCannotBeIsNoTrouble) {
  std::ofstream(folder_) << "a file";
  const CodeCache cache((folder_ / "below").string());
  cache.store(key_, code_);
  EXPECT_FALSE(cache.find(key_));
}

}  // namespace
}  // namespace daedalus::codegen
