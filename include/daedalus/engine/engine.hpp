// The whole way: text to model, model to solution; and a user's own function to solution.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/timing.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/engine/options.hpp"
#include "daedalus/expr/number.hpp"
#include "daedalus/runtime/model_system.hpp"
#include "daedalus/solution/solution.hpp"
#include "daedalus/structure/structured.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::engine {

// A value for a parameter, or a start value for a variable; as text, since its type is the model's
// to say.
struct Setting {
  std::string name;
  std::string value;
};

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

class StateSets;
class StepCodes;

// A compiled model. Can be simulated any number of times, also from several threads.
struct Model {
  std::string name;
  std::string description;
  model::Experiment experiment;
  Phases phases;
  std::vector<std::string> warnings;
  Sources sources;
  std::uint32_t source = 0;  // the one that defines the model
  std::vector<Setting> settings;
  codegen::CodeCache cache;
  std::unique_ptr<const runtime::ModelSystem> system;
  std::shared_ptr<StateSets> state_sets;  // where its states may have to change during a run
  std::shared_ptr<StepCodes> step_codes;  // generated steps
};

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

// Reads, analyses and compiles; diagnostics of a wrong model become the Error's message.
Result<Model> load(const std::string& path, const std::string& model = {},
                   const std::vector<Setting>& settings = {});

// The model with other values of parameters or other start values, on top of the settings that it
// has. Nothing is compiled where only values of parameters change; a parameter that decides sizes,
// or a start value, has the model analysed and compiled again.
Result<Model> with_settings(const Model& model, const std::vector<Setting>& settings);

// An Error where a setting is of something that cannot change in the midst of a run: a parameter
// that decides sizes, or a start value.
std::optional<Error> check_that_can_change(const Model& model,
                                           const std::vector<Setting>& settings);

// Runs the model. Options that make no sense are an Error; a run that fails on the way is a
// Solution whose outcome says why, with what was computed before.
Result<solution::Solution> simulate(const Model& model, const Options& options = {});

// A user's own y' = f(t, y).
struct Problem {
  system::Functions functions;
  std::vector<double> y0;
};

Result<solution::Solution> solve(const Problem& problem, const Options& options = {});

}  // namespace daedalus::engine
