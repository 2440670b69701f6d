// Shared by the tests of Taylor methods: models from text and their runs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {

inline Model model_of(const std::string& text) {
  return compile(analyse_text(text, "test.mo", "").value()).value();
}

inline solution::Solution finished(const Model& model, const Options& options) {
  solution::Solution solution = simulate(model, options).value();
  EXPECT_TRUE(solution.outcome.finished()) << options.method << ": " << solution.outcome.message;
  return solution;
}

}  // namespace daedalus::engine
