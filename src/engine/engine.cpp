#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "daedalus/base/file.hpp"
#include "daedalus/codegen/compile_kernels.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/modelica/modelica.hpp"
#include "daedalus/structure/structure.hpp"
#include "engine/analysis_cache.hpp"
#include "engine/inputs.hpp"
#include "engine/settings.hpp"
#include "engine/state_sets.hpp"

namespace daedalus::engine {

namespace {

Result<Analysis> analyse(std::string text, const std::string& path, const std::string& model,
                         const std::vector<Setting>& settings) {
  Analysis analysis;
  analysis.file = path;
  analysis.source = analysis.sources.add(path, std::move(text));
  analysis.settings = settings;
  std::optional<model::FlatModel> flat =
      modelica::read_model(analysis.sources, analysis.source, model, analysis.diagnostics,
                           analysis.phases, overrides_of(settings));
  if (!flat) return analysis;
  analysis.name = flat->name;
  analysis.description = flat->description;
  analysis.experiment = flat->experiment;
  if (!check_experiment(analysis.experiment, analysis.diagnostics)) return analysis;
  analysis.structural = structural_settings(*flat, settings);
  if (const std::optional<Error> error = apply_settings(*flat, settings)) return *error;
  if (!bind_inputs(*flat, analysis.diagnostics)) return analysis;
  const std::vector<model::Equation> initial_equations = flat->initial_equations;
  analysis.structured = structure::analyse(std::move(*flat), analysis.diagnostics, analysis.phases);
  if (analysis.structured && !check_start_settings(*analysis.structured, initial_equations,
                                                   settings, analysis.diagnostics)) {
    analysis.structured.reset();
  }
  return analysis;
}

}  // namespace

Result<Analysis> analyse_file(const std::string& path, const std::string& model,
                              const std::vector<Setting>& settings,
                              const codegen::CodeCache& cache) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return analyse_text(std::move(*text), path, model, settings, cache);
}

Result<Analysis> analyse_text(std::string text, const std::string& path, const std::string& model,
                              const std::vector<Setting>& settings,
                              const codegen::CodeCache& cache) {
  const std::optional<std::string> key =
      cache.is_nowhere() ? std::nullopt : analysis_key(text, model, settings);
  if (!key) return analyse(std::move(text), path, model, settings);
  Phases phases;
  std::optional<Analysis> kept;
  {
    const PhaseTimer timer(phases, "restore");
    kept = find_analysis(cache, *key);
  }
  if (kept) {
    kept->file = path;
    kept->source = kept->sources.add(path, std::move(text));
    kept->settings = settings;
    kept->phases = std::move(phases);
    return std::move(*kept);
  }
  Result<Analysis> analysis = analyse(std::move(text), path, model, settings);
  if (analysis) keep_analysis(cache, *key, *analysis);
  return analysis;
}

std::string default_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::getenv("DAEDALUS_CACHE") != nullptr) return variable("DAEDALUS_CACHE");
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/daedalus";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/daedalus";
  return {};
}

Result<std::unique_ptr<runtime::ModelSystem>> compile_system(structure::StructuredModel model,
                                                             Phases& phases,
                                                             const codegen::CodeCache& cache) {
  const PhaseTimer timer(phases, "compile");
  return runtime::ModelSystem::make(std::move(model), [&](const structure::StructuredModel& of,
                                                          std::vector<structure::Kernel> k) {
    return codegen::compile_kernels(of, std::move(k), cache);
  });
}

Result<Model> compile(Analysis analysis, const codegen::CodeCache& cache) {
  if (!analysis.structured) return Error{"model.invalid", analysis.report()};
  Model model{.name = std::move(analysis.name),
              .description = std::move(analysis.description),
              .experiment = analysis.experiment,
              .phases = std::move(analysis.phases),
              .warnings = {},
              .sources = std::move(analysis.sources),
              .source = analysis.source,
              .settings = std::move(analysis.settings),
              .cache = cache,
              .system = nullptr,
              .state_sets = nullptr,
              .step_codes = std::make_shared<StepCodes>(cache)};
  for (const Diagnostic& diagnostic : analysis.diagnostics.all()) {
    model.warnings.push_back(render(diagnostic, model.sources));
  }
  Result<std::unique_ptr<runtime::ModelSystem>> system =
      compile_system(std::move(*analysis.structured), model.phases, cache);
  if (!system) return system.error();
  model.system = std::move(*system);
  if (model.system->model().source) model.state_sets = std::make_shared<StateSets>(cache);
  return model;
}

namespace {

std::vector<Setting> merged(std::vector<Setting> settings, const std::vector<Setting>& later) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < settings.size(); ++i) places.emplace(settings[i].name, i);
  for (const Setting& setting : later) {
    const auto [found, is_new] = places.emplace(setting.name, settings.size());
    if (is_new) {
      settings.push_back(setting);
    } else {
      settings[found->second].value = setting.value;
    }
  }
  return settings;
}

// Whether the settings name parameters on which no size depends.
bool are_plain_parameters(const model::FlatModel& flat, const std::vector<Setting>& settings) {
  const VariablesByName variables(flat);
  return std::ranges::all_of(settings, [&](const Setting& setting) {
    const model::VariableId id = variables.find(setting.name);
    return !id.is_none() && flat[id].variability == model::Variability::Parameter &&
           !flat[id].is_structural;
  });
}

Result<Model> analysed_again(const Model& model, const std::vector<Setting>& settings) {
  Result<Analysis> analysis =
      analyse_text(model.sources.text(model.source), model.sources.path(model.source), model.name,
                   merged(model.settings, settings));
  if (!analysis) return analysis.error();
  return compile(std::move(*analysis), model.cache);
}

}  // namespace

std::optional<Error> check_that_can_change(const Model& model,
                                           const std::vector<Setting>& settings) {
  const model::FlatModel& flat = model.system->model().flat;
  const VariablesByName variables(flat);
  for (const Setting& setting : settings) {
    const model::VariableId id = variables.find(setting.name);
    if (id.is_none()) continue;  // with_settings() says so
    if (flat[id].is_structural) {
      return Error{"usage.setting",
                   fmt::format("`{}` decides the sizes of the model, and cannot change in the "
                               "midst of a run",
                               setting.name),
                   "start a run with that value"};
    }
    if (flat[id].variability != model::Variability::Parameter) {
      return Error{"usage.setting",
                   fmt::format("`{}` is no parameter or input: its start value has no meaning in "
                               "the midst of a run",
                               setting.name)};
    }
  }
  return std::nullopt;
}

Result<Model> with_settings(const Model& model, const std::vector<Setting>& settings) {
  structure::StructuredModel changed = model.system->model();
  // Other choices of the states are compiled from a model that has the old values.
  if (!are_plain_parameters(changed.flat, settings) || changed.source)
    return analysed_again(model, settings);
  if (const std::optional<Error> error = apply_settings(changed.flat, settings)) return *error;
  Diagnostics diagnostics;
  switch (structure::update_values(changed, diagnostics)) {
    case structure::ValueUpdate::Refused:
      return Error{"model.invalid", render(diagnostics, model.sources)};
    case structure::ValueUpdate::NewStructure:
      return analysed_again(model, settings);
    case structure::ValueUpdate::Done:
      break;
  }
  return Model{.name = model.name,
               .description = model.description,
               .experiment = model.experiment,
               .phases = {},
               .warnings = model.warnings,
               .sources = model.sources,
               .source = model.source,
               .settings = merged(model.settings, settings),
               .cache = model.cache,
               .system = model.system->with_values(std::move(changed)),
               .state_sets = nullptr,
               .step_codes = model.step_codes};
}

Result<Model> load(const std::string& path, const std::string& model,
                   const std::vector<Setting>& settings) {
  Result<Analysis> analysis = analyse_file(path, model, settings);
  if (!analysis) return analysis.error();
  return compile(std::move(*analysis));
}

}  // namespace daedalus::engine
