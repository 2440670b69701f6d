#include "engine/analysis_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "daedalus/structure/structure.hpp"

namespace daedalus::engine {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> models() {
  std::vector<fs::path> all;
  for (const char* folder : {"/examples", "/tests/models"}) {
    for (const fs::directory_entry& entry :
         fs::directory_iterator(std::string(DAEDALUS_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".mo") all.push_back(entry.path());
    }
  }
  std::ranges::sort(all);
  return all;
}

class AnalysisCacheTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::temp_directory_path() / "daedalus_analysis_cache_test";
};

TEST_F(AnalysisCacheTest, GivesTheSameModelAndTheSameBits) {
  ASSERT_GE(models().size(), 15U);
  for (const fs::path& path : models()) {
    const std::string folder = folder_.string();
    Analysis first = analyse_file(path.string(), "", {}, codegen::CodeCache(folder)).value();
    ASSERT_TRUE(first.structured) << path;
    EXPECT_EQ(first.phases.front().name, "parse") << path;
    Analysis second = analyse_file(path.string(), "", {}, codegen::CodeCache(folder)).value();
    ASSERT_TRUE(second.structured) << path;
    EXPECT_EQ(second.phases.front().name, "restore") << path;
    EXPECT_EQ(second.report(), first.report()) << path;
    EXPECT_EQ(structure::to_string(*second.structured), structure::to_string(*first.structured));
    EXPECT_EQ(model::to_string(second.structured->flat), model::to_string(first.structured->flat));

    const Options options{.intervals = 10, .max_steps = 2'000};
    const solution::Solution a = simulate(compile(std::move(first)).value(), options).value();
    const solution::Solution b = simulate(compile(std::move(second)).value(), options).value();
    EXPECT_EQ(a.table.cells, b.table.cells) << path;
    EXPECT_EQ(a.outcome.message, b.outcome.message) << path;
  }
}

TEST_F(AnalysisCacheTest, KnowsTextsModelsAndSettingsApart) {
  const auto key = [](const std::string& text, const std::string& model,
                      const std::vector<Setting>& settings) {
    return analysis_key(text, model, settings).value();
  };
  const std::string base = key("text", "A", {{"x", "1"}});
  EXPECT_EQ(base, key("text", "A", {{"x", "1"}}));
  EXPECT_NE(base, key("text ", "A", {{"x", "1"}}));
  EXPECT_NE(base, key("text", "B", {{"x", "1"}}));
  EXPECT_NE(base, key("text", "A", {{"x", "2"}}));
  EXPECT_NE(base, key("text", "A", {{"x1", ""}}));
  EXPECT_NE(base, key("text", "A", {}));
}

}  // namespace
}  // namespace daedalus::engine
