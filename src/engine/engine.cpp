#include "daedalus/engine/engine.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "daedalus/base/file.hpp"
#include "daedalus/modelica/modelica.hpp"
#include "daedalus/structure/structure.hpp"
#include "engine/inputs.hpp"
#include "engine/settings.hpp"
#include "engine/state_sets.hpp"

namespace daedalus::engine {

Result<Analysis> analyse_file(const std::string& path, const std::string& model,
                              const std::vector<Setting>& settings) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return analyse_text(std::move(*text), path, model, settings);
}

Result<Analysis> analyse_text(std::string text, const std::string& path, const std::string& model,
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
  analysis.structural = structural_settings(*flat, settings);
  if (const std::optional<Error> error = apply_settings(*flat, settings)) return *error;
  if (!bind_inputs(*flat, analysis.diagnostics)) return analysis;
  analysis.structured = structure::analyse(std::move(*flat), analysis.diagnostics, analysis.phases);
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

Result<Model> compile(Analysis analysis, const std::string& cache_folder) {
  if (!analysis.structured) return Error{"model.invalid", analysis.report()};
  Model model{.name = std::move(analysis.name),
              .description = std::move(analysis.description),
              .experiment = analysis.experiment,
              .phases = std::move(analysis.phases),
              .warnings = {},
              .sources = std::move(analysis.sources),
              .source = analysis.source,
              .settings = std::move(analysis.settings),
              .system = nullptr,
              .state_sets = nullptr};
  for (const Diagnostic& diagnostic : analysis.diagnostics.all()) {
    model.warnings.push_back(render(diagnostic, model.sources));
  }
  Result<std::unique_ptr<codegen::ModelSystem>> system =
      codegen::ModelSystem::compile(std::move(*analysis.structured), model.phases, cache_folder);
  if (!system) return system.error();
  model.system = std::move(*system);
  if (model.system->model().source) model.state_sets = std::make_shared<StateSets>(cache_folder);
  return model;
}

Result<Model> load(const std::string& path, const std::string& model,
                   const std::vector<Setting>& settings) {
  Result<Analysis> analysis = analyse_file(path, model, settings);
  if (!analysis) return analysis.error();
  return compile(std::move(*analysis));
}

}  // namespace daedalus::engine
