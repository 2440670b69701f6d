// Compares the structure text of every model next to this file with the text in X.txt. After an
// intended change, DAEDALUS_REWRITE_GOLDEN=1 ./build/models_test rewrites the texts; read the
// differences before committing them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "daedalus/base/file.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus {
namespace {

namespace fs = std::filesystem;

const fs::path folder = DAEDALUS_SOURCE_DIR "/tests/models";

std::vector<std::string> every_model() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".mo") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class EveryModel : public testing::TestWithParam<std::string> {
 protected:
  std::string path(const char* extension) const {
    return (folder / GetParam()).replace_extension(extension).string();
  }
};

TEST_P(EveryModel, HasTheStructureOfItsGoldenText) {
  const engine::Analysis analysis = engine::analyse_file(path(".mo"), "").value();
  ASSERT_TRUE(analysis.structured) << analysis.report();
  const std::string text = structure::to_string(*analysis.structured);
  if (std::getenv("DAEDALUS_REWRITE_GOLDEN") != nullptr) std::ofstream(path(".txt")) << text;
  const Result<std::string> golden = read_file(path(".txt"));
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(text, *golden);
}

TEST_P(EveryModel, RunsToItsEnd) {
  const engine::Model model = engine::load(path(".mo")).value();
  const solution::Solution solution = engine::simulate(model).value();
  EXPECT_TRUE(solution.outcome.finished()) << solution.outcome.message;
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(every_model()),
                         [](const auto& about) { return about.param; });

}  // namespace
}  // namespace daedalus
