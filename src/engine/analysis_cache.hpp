// Analysed models on disk.
#pragma once

#include <optional>
#include <string>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {

// A key of everything that the analysis of this text with these settings depends on; none if the
// program cannot tell which build it is.
std::optional<std::string> analysis_key(const std::string& text, const std::string& model,
                                        const std::vector<Setting>& settings);

// The analysis that was kept under the key, complete except for its text and settings.
std::optional<Analysis> find_analysis(const codegen::CodeCache& cache, const std::string& key);

// Keeps the analysis of a model without errors, unless it is very large.
void keep_analysis(const codegen::CodeCache& cache, const std::string& key,
                   const Analysis& analysis);

}  // namespace daedalus::engine
