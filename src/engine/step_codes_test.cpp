#include "daedalus/engine/step_codes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {
namespace {

Model load_example(const std::string& name, const std::string& cache_folder = {}) {
  const std::string path = fmt::format("{}/examples/{}.mo", DAEDALUS_SOURCE_DIR, name);
  Result<Analysis> analysis = analyse_file(path, "");
  if (!analysis) throw Failure(analysis.error());
  Result<Model> model = compile(std::move(*analysis), codegen::CodeCache(cache_folder));
  if (!model) throw Failure(model.error());
  return std::move(*model);
}

std::vector<integrate::StepCode> codes_of(const Model& model, const std::string& method) {
  const runtime::Start start = model.system->initialise(0.0);
  if (start.failure) throw std::runtime_error("no start");
  return model.step_codes->find(*model.system, start.values, method, integrate::Norm::Rms).value();
}

// The frame as it is before the first step.
std::vector<double> frame_of(const integrate::StepCode& code) {
  std::vector<double> frame(code.frame_size, 0.0);
  std::copy_n(code.values->begin(), code.model_symbols, frame.begin());
  return frame;
}

std::vector<double> run(const Model& model, const std::string& method) {
  return simulate(model, {.rtol = 1e-7, .method = method, .inlining = Inlining::On})
      .value()
      .table.cells;
}

struct Case {
  std::string model, method;
};

class BothTiers : public testing::TestWithParam<Case> {};

TEST_P(BothTiers, GiveTheSameBits) {
  const auto& [name, method] = GetParam();
  const Model model = load_example(name);
  const std::vector<integrate::StepCode> codes = codes_of(model, method);
  const integrate::StepFunction::Code quick = codes.back().run->code();
  const std::vector<double> first = run(model, method);
  EXPECT_EQ(codes.back().run->code(), quick);
  for (const integrate::StepCode& code : codes) code.run->optimise();
  EXPECT_NE(codes.back().run->code(), quick);
  EXPECT_EQ(run(model, method), first);
}

INSTANTIATE_TEST_SUITE_P(
    OfLongSteps, BothTiers,
    testing::Values(Case{"bench/pollution", "rodas4"}, Case{"bench/pollution", "rodas5p"},
                    Case{"bench/pollution", "radau5"}, Case{"bench/pollution", "hw-sdirk4"},
                    Case{"bench/hires", "radau5"}, Case{"bench/hires", "radau9"},
                    Case{"bench/hires", "radau"}, Case{"bench/detest_b5", "radau13"},
                    Case{"bench/circuits/diode_clippers", "radau5"},
                    Case{"bench/circuits/bridge_ladder", "rodas4"},
                    Case{"bench/drives/drive_train", "radau5"}),
    [](const testing::TestParamInfo<Case>& instance) {
      std::string name = instance.param.model + "_" + instance.param.method;
      for (char& letter : name) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
      }
      return name;
    });

// The norm is part of the code: one model, first with one norm, then with the other.
TEST(StepCodes, BelongToANorm) {
  const auto solve = [](const Model& model, integrate::Norm norm) {
    const Options options{.rtol = 1e-7, .method = "rodas4", .norm = norm, .inlining = Inlining::On};
    return simulate(model, options).value().table.cells;
  };
  const Model model = load_example("bench/hires");
  const std::vector<double> rms = solve(model, integrate::Norm::Rms);
  const std::vector<double> maximum = solve(model, integrate::Norm::Maximum);
  EXPECT_NE(rms, maximum);
  EXPECT_EQ(maximum, solve(load_example("bench/hires"), integrate::Norm::Maximum));
  EXPECT_EQ(rms, solve(model, integrate::Norm::Rms));
}

TEST(StepCodes, OptimiseWhatIsUsedOften) {
  const Model model = load_example("bench/hires");
  const integrate::StepCode code = codes_of(model, "radau9").front();
  const integrate::StepFunction::Code quick = code.run->code();
  std::vector<double> frame = frame_of(code);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(code.run->code(), quick);
    (*code.run)(frame.data());
  }
  while (code.run->code() == quick) std::this_thread::yield();
}

// An explicit method on a stiff problem: enough steps for their code to be optimised.
TEST(StepCodes, AreReplacedInTheMiddleOfARun) {
  const Model model = load_example("bench/pollution");
  const integrate::StepCode code = codes_of(model, "dop853").front();
  const integrate::StepFunction::Code quick = code.run->code();
  const std::vector<double> first = run(model, "dop853");
  code.run->optimise();  // or waits until it is
  EXPECT_NE(code.run->code(), quick);
  EXPECT_EQ(run(model, "dop853"), first);
}

// All frames start alike, so all must end alike, whenever their code was replaced.
TEST(StepCodes, MayBeReplacedWhileSeveralThreadsUseThem) {
  const Model model = load_example("bench/hires");
  const integrate::StepCode code = codes_of(model, "rodas5p").front();
  const integrate::StepFunction::Code quick = code.run->code();
  std::vector<std::vector<double>> frames(4, frame_of(code));
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& frame : frames) {
      threads.emplace_back([&] {
        frame[code.places->h] = 1e-3;
        for (std::size_t k = 0; k < code.size; ++k) frame[code.places->atol + k] = 1e-6;
        for (int i = 0; i < 50'000; ++i) {
          (*code.run)(frame.data());
          std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(code.places->result), code.size,
                      frame.begin() + static_cast<std::ptrdiff_t>(code.places->y));
        }
      });
    }
  }
  code.run->optimise();  // or waits until it is
  EXPECT_NE(code.run->code(), quick);
  for (const std::vector<double>& frame : frames) EXPECT_EQ(frame, frames.front());
  EXPECT_TRUE(std::isfinite(frames.front()[code.places->result]));
}

TEST(StepCodes, MayGoWhileTheyAreOptimised) {
  const Model model = load_example("bench/pollution");
  const integrate::StepCode code = codes_of(model, "radau5").front();
  std::vector<double> frame = frame_of(code);
  for (int i = 0; i < 100'000; ++i) (*code.run)(frame.data());
}

TEST(StepCodes, TakeOptimisedCodeFromTheCache) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("daedalus_" + codegen::digest("tiers"));
  fs::remove_all(folder);
  const auto files = [&] {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator{});
  };
  codes_of(load_example("bench/hires", folder.string()), "radau9").front().run->optimise();
  const auto known = files();
  const Model model = load_example("bench/hires", folder.string());
  const integrate::StepCode code = codes_of(model, "radau9").front();
  const integrate::StepFunction::Code found = code.run->code();
  code.run->optimise();
  EXPECT_EQ(code.run->code(), found);  // it was optimised
  EXPECT_EQ(files(), known);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace daedalus::engine
