// daedalus check and explain: what the compiler makes of a model, without a run.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/structure_summary.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::cli {
namespace {

enum class What { Check, Explain };

Json name_list(const model::FlatModel& flat, const std::vector<structure::VariableId>& variables) {
  Json names = Json::array();
  for (const structure::VariableId id : variables) names.push_back(flat[id].name);
  return names;
}

Json block_list(const structure::StructuredModel& model, const structure::SortedSystem& sorted) {
  Json blocks = Json::array();
  for (const structure::Block& block : sorted.blocks) {
    blocks.push_back({{"size", block.equations.size()},
                      {"linear", block.linear},
                      {"unknowns", name_list(model.flat, block.unknowns)},
                      {"tearing_variables", name_list(model.flat, block.tearing)}});
  }
  return blocks;
}

Json explain_json(const engine::Analysis& analysis) {
  const structure::StructuredModel& model = *analysis.structured;
  const StructureSummary summary = summarise(model);
  Json aliases = Json::array();
  for (const structure::Alias& alias : model.aliases) {
    aliases.push_back({{"name", model.flat[alias.variable].name},
                       {"of", model.flat[alias.representative].name},
                       {"sign", alias.sign}});
  }
  return {{"status", "finished"},
          {"model", analysis.name},
          {"equations", summary.equations},
          {"variables", summary.variables},
          {"states", name_list(model.flat, model.states)},
          {"aliases", aliases},
          {"index", summary.index},
          {"blocks", block_list(model, model.dynamics)},
          {"initial",
           {{"assumed_starts", name_list(model.flat, model.assumed_starts)},
            {"blocks", block_list(model, model.initial)}}},
          {"structural", structural_json(analysis)},
          {"diagnostics", diagnostics_json(analysis)}};
}

void print_explanation(const engine::Analysis& analysis) {
  const StructureSummary summary = summarise(*analysis.structured);
  fmt::print("{}\n", analysis.name);
  for (const auto& [name, value] : summary.properties()) fmt::print("  {:<28} {}\n", name, value);
  fmt::print("{}", structure::to_string(*analysis.structured));
}

Json check_json(const engine::Analysis& analysis) {
  const StructureSummary summary = summarise(*analysis.structured);
  return {{"status", "finished"},
          {"model", analysis.name},
          {"equations", summary.equations},
          {"variables", summary.variables},
          {"states", summary.states},
          {"structural", structural_json(analysis)},
          {"diagnostics", diagnostics_json(analysis)}};
}

int run(const ModelArguments& arguments, What what) {
  const Result<engine::Analysis> analysis =
      engine::analyse_file(arguments.file, arguments.model, arguments.settings);
  if (!analysis) return report_error(analysis.error(), arguments.json);
  if (!analysis->structured) return report_refusal(*analysis, arguments.json);
  print_diagnostics(*analysis);
  if (arguments.json) {
    print_json(what == What::Check ? check_json(*analysis) : explain_json(*analysis));
  } else if (what == What::Explain) {
    print_explanation(*analysis);
  } else {
    const StructureSummary summary = summarise(*analysis->structured);
    fmt::print("{}: {}, {}, {}: can be simulated\n", analysis->name,
               counted(summary.equations, "equation"), counted(summary.variables, "unknown"),
               counted(summary.states, "state"));
  }
  return success;
}

void add(CLI::App& program, int& exit_code, What what, const char* name, const char* help) {
  auto arguments = std::make_shared<ModelArguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand(name, help);
  add_model_arguments(*command, *arguments);
  command->callback([arguments, what, &exit_code] { exit_code = run(*arguments, what); });
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  add(program, exit_code, What::Check, "check", "read and analyse a model, without a run");
}

void add_explain(CLI::App& program, int& exit_code) {
  add(program, exit_code, What::Explain, "explain",
      "show states, aliases, blocks and tearing of a model");
}

}  // namespace daedalus::cli
