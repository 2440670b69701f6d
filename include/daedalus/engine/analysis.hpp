// From text to a compiled model, in the steps that load() takes at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/engine/engine.hpp"
#include "daedalus/expr/number.hpp"
#include "daedalus/runtime/model_system.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::engine {

// A setting of a parameter that decides sizes: the model was flattened with it.
struct StructuralSetting {
  std::string name;
  expr::Number value = {};
  model::Type type = model::Type::Integer;
};

// A model that was read and analysed. Without `structured` the diagnostics say why.
struct Analysis {
  std::string file;
  Sources sources;
  std::uint32_t source = 0;  // the one that defines the model
  std::vector<Setting> settings;
  Diagnostics diagnostics;
  Phases phases;
  std::string name;
  std::string description;
  model::Experiment experiment;
  std::vector<StructuralSetting> structural;
  std::optional<structure::StructuredModel> structured;

  std::string report(Colour colour = Colour::No) const {
    return render(diagnostics, sources, colour);
  }
};

// Reads the file and analyses the named model (the last one if empty). An unreadable file or a
// setting that does not fit is an Error; what is wrong with the model stands in the diagnostics.
// The analysis of a text that was analysed before is taken from the cache, and another one kept
// there.
Result<Analysis> analyse_file(const std::string& path, const std::string& model,
                              const std::vector<Setting>& settings = {},
                              const codegen::CodeCache& cache = {});
Result<Analysis> analyse_text(std::string text, const std::string& path, const std::string& model,
                              const std::vector<Setting>& settings = {},
                              const codegen::CodeCache& cache = {});

// Compiles an analysed model. Code that was compiled before is taken from the cache, and other code
// kept there.
Result<Model> compile(Analysis analysis, const codegen::CodeCache& cache = {});

// A structured model in native code; adds the phase `compile`.
Result<std::unique_ptr<runtime::ModelSystem>> compile_system(structure::StructuredModel model,
                                                             Phases& phases,
                                                             const codegen::CodeCache& cache = {});

// Where the command line keeps analysed models and compiled code: $DAEDALUS_CACHE if that is set
// (empty: nowhere), else daedalus in $XDG_CACHE_HOME, else .cache/daedalus in $HOME.
std::string default_cache_folder();

}  // namespace daedalus::engine
