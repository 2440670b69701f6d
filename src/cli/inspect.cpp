// daedalus check and explain: what the compiler makes of a model, without a run.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/incidence.hpp"
#include "cli/result_files.hpp"
#include "cli/run_summary.hpp"
#include "cli/structure_summary.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::cli {
namespace {

enum class What { Check, Explain };

struct Arguments {
  ModelArguments model;
  std::string drawing;  // of the incidence matrix; empty: none
};

Json name_list(const model::FlatModel& flat, const std::vector<structure::VariableId>& variables) {
  Json names = Json::array();
  for (const structure::VariableId id : variables) names.push_back(flat[id].name);
  return names;
}

std::string_view tearing_name(const structure::Block& block) {
  if (block.is_explicit()) return "none needed";
  switch (block.torn) {
    case structure::Torn::Minimally:
      return "minimum";
    case structure::Torn::Greedily:
      return "greedy";
    default:
      return "not torn";
  }
}

Json block_list(const structure::StructuredModel& model, const structure::SortedSystem& sorted) {
  Json blocks = Json::array();
  for (const structure::Block& block : sorted.blocks) {
    blocks.push_back({{"size", block.equations.size()},
                      {"linear", block.linear},
                      {"constant_coefficients", block.constant},
                      {"sparse", block.sparse},
                      {"tearing", tearing_name(block)},
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
            {"dynamics_give_the_rest", model.start_values.has_value()},
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

std::optional<Error> check_drawing(const std::string& path) {
  if (path.empty()) return std::nullopt;
  if (extension_of(path) != ".svg") {
    return Error{"usage.output", fmt::format("cannot tell the format of the drawing `{}`", path),
                 "its name must end in .svg"};
  }
  return check_paths({path});
}

int run(const Arguments& arguments, What what) {
  const bool json = arguments.model.json;
  if (const std::optional<Error> error = check_drawing(arguments.drawing)) {
    return report_error(*error, json);
  }
  const Result<engine::Analysis> analysis =
      engine::analyse_file(arguments.model.file, arguments.model.model, arguments.model.settings);
  if (!analysis) return report_error(analysis.error(), json);
  if (!analysis->structured) return report_refusal(*analysis, json);
  print_diagnostics(*analysis);
  if (!arguments.drawing.empty()) {
    const Result<std::size_t> bytes =
        report::write_incidence_svg(arguments.drawing, incidence_of(*analysis));
    if (!bytes) return report_error(bytes.error(), json);
  }
  if (json) {
    Json object = what == What::Check ? check_json(*analysis) : explain_json(*analysis);
    add_phases(analysis->phases, object);
    if (!arguments.drawing.empty()) object["drawing"] = arguments.drawing;
    print_json(object);
  } else if (what == What::Explain) {
    print_explanation(*analysis);
    if (!arguments.drawing.empty()) fmt::print("wrote {}\n", arguments.drawing);
  } else {
    const StructureSummary summary = summarise(*analysis->structured);
    fmt::print("{}: {}, {}, {}: can be simulated\n", analysis->name,
               counted(summary.equations, "equation"), counted(summary.variables, "unknown"),
               counted(summary.states, "state"));
  }
  return success;
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand("check", "read and analyse a model, without a run");
  add_model_arguments(*command, arguments->model);
  command->callback([arguments, &exit_code] { exit_code = run(*arguments, What::Check); });
}

void add_explain(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command =
      program.add_subcommand("explain", "show states, aliases, blocks and tearing of a model");
  add_model_arguments(*command, arguments->model);
  add_text(*command, "--draw", arguments->drawing,
           "drawing of which equation contains which unknown, as written and as sorted: .svg",
           "FILE");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments, What::Explain); });
}

}  // namespace daedalus::cli
