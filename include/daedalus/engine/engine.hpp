// The whole path: text to model, model to solution; and a user's own function to solution.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/source.hpp"
#include "daedalus/base/timing.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/engine/options.hpp"
#include "daedalus/model/experiment.hpp"
#include "daedalus/solution/solution.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::runtime {
class ModelSystem;
}

namespace daedalus::engine {

// A value for a parameter, or a start value for a variable; as text, since the model determines its
// type.
struct Setting {
  std::string name;
  std::string value;
};

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
  std::shared_ptr<const runtime::ModelSystem>
      system;                             // shared only because it is not complete here
  std::shared_ptr<StateSets> state_sets;  // where its states may have to change during a run
  std::shared_ptr<StepCodes> step_codes;  // generated steps
};

// Reads, analyses and compiles; diagnostics of a wrong model become the Error's message.
Result<Model> load(const std::string& path, const std::string& model = {},
                   const std::vector<Setting>& settings = {});

// The model with other values of parameters or other start values, in addition to the settings that
// it has. Nothing is compiled if only values of parameters change; if a parameter that decides
// sizes, or a start value, changes, the model is analysed and compiled again.
Result<Model> with_settings(const Model& model, const std::vector<Setting>& settings);

// An Error if a setting is for something that cannot change in the middle of a run: a parameter
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
