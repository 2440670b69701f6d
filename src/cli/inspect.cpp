// daedalus check and explain: what the compiler makes of a model, without a run.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/incidence.hpp"
#include "cli/result_files.hpp"
#include "cli/run_summary.hpp"
#include "cli/structure_summary.hpp"
#include "daedalus/methods/method.hpp"
#include "daedalus/structure/inlining.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::cli {
namespace {

enum class What { Check, Explain };

struct Arguments {
  ModelArguments model;
  std::string drawing;  // of the incidence matrix; empty: none
  bool with_step = false;
  std::string method;  // of the step; empty: the default one
};

Json name_list(const expr::Names& names, const std::vector<structure::VariableId>& variables) {
  Json list = Json::array();
  for (const structure::VariableId id : variables) list.push_back(names[index(id)]);
  return list;
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

Json block_list(const expr::Names& names, const structure::SortedSystem& sorted) {
  Json blocks = Json::array();
  for (const structure::Block& block : sorted.blocks) {
    blocks.push_back({{"size", block.equations.size()},
                      {"linear", block.linear},
                      {"constant_coefficients", block.constant},
                      {"sparse", block.sparse},
                      {"tearing", tearing_name(block)},
                      {"unknowns", name_list(names, block.unknowns)},
                      {"tearing_variables", name_list(names, block.tearing)}});
  }
  return blocks;
}

Json explain_json(const engine::Analysis& analysis) {
  const structure::StructuredModel& model = *analysis.structured;
  const StructureSummary summary = summarise(model);
  const expr::Names names = structure::names_of(model);
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
          {"states", name_list(names, model.states)},
          {"aliases", aliases},
          {"index", summary.index},
          {"blocks", block_list(names, model.dynamics)},
          {"initial",
           {{"assumed_starts", name_list(names, model.assumed_starts)},
            {"dynamics_give_the_rest", model.start_values.has_value()},
            {"blocks", block_list(names, model.initial)}}},
          {"structural", structural_json(analysis)},
          {"diagnostics", diagnostics_json(analysis)}};
}

Json step_json(const structure::InlinedStep& step) {
  Json sizes = Json::array();
  for (const structure::NewtonSystem& system : step.newton_systems()) sizes.push_back(system.size);
  return {{"method", methods::name(step.method)},
          {"stages", step.stages.size()},
          {"equations", step.equation_count},
          {"iteration_variables", step.iteration_variables()},
          {"newton_systems", sizes},
          {"blocks", block_list(model::names_of(step.flat), step.sorted)}};
}

// "5 of sizes 1, 1, 1, 1, 1; all linear"
std::string systems_text(const std::vector<structure::NewtonSystem>& systems) {
  if (systems.empty()) return "none";
  std::string sizes;
  for (const structure::NewtonSystem& system : systems)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", system.size);
  const auto linear = std::ranges::count_if(systems, &structure::NewtonSystem::linear);
  const bool all = static_cast<std::size_t>(linear) == systems.size();
  return fmt::format("{} of size {}; {} linear", systems.size(), sizes,
                     all           ? "all"
                     : linear == 0 ? "none"
                                   : fmt::format("{}", linear));
}

void print_step(const structure::InlinedStep& step) {
  say("step of {}\n", methods::name(step.method));
  const auto property = [](std::string_view name, const auto& value) {
    say("  {:<28} {}\n", name, value);
  };
  property("stages", step.stages.size());
  property("equations", step.equation_count);
  property("iteration variables", step.iteration_variables());
  property("Newton systems", systems_text(step.newton_systems()));
  say("{}", structure::to_string(step));
}

void print_explanation(const engine::Analysis& analysis) {
  const StructureSummary summary = summarise(*analysis.structured);
  say("{}\n", analysis.name);
  for (const auto& [name, value] : summary.properties()) say("  {:<28} {}\n", name, value);
  say("{}", structure::to_string(*analysis.structured));
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

// Of which --inline shows the step: `auto` has none of its own.
constexpr const char* default_inlined = "radau5";

// The method of the step; none if no step is requested.
Result<std::optional<methods::Method>> method_of_step(const Arguments& arguments) {
  if (!arguments.with_step && !arguments.method.empty()) {
    return Error{"usage.option",
                 fmt::format("the method `{}` plays no role without --inline", arguments.method),
                 "add --inline to see what the method makes of the equations"};
  }
  if (!arguments.with_step) return std::optional<methods::Method>();
  const Result<methods::Method> method =
      methods::require_method(arguments.method.empty() ? default_inlined : arguments.method);
  if (!method) return method.error();
  return std::optional(*method);
}

int run(const Arguments& arguments, What what) {
  const bool json = arguments.model.json;
  if (const std::optional<Error> error = check_drawing(arguments.drawing)) {
    return report_error(*error, json);
  }
  const Result<std::optional<methods::Method>> method = method_of_step(arguments);
  if (!method) return report_error(method.error(), json);
  Result<engine::Analysis> analysis =
      engine::analyse_file(arguments.model.file, arguments.model.model, arguments.model.settings);
  if (!analysis) return report_error(analysis.error(), json);
  if (!analysis->structured) return report_refusal(*analysis, json);
  print_diagnostics(*analysis);
  std::optional<structure::InlinedStep> step;
  if (*method) {
    const PhaseTimer timer(analysis->phases, "inline");
    Result<structure::InlinedStep> made = structure::inline_step(
        *analysis->structured, **method, structure::IntegratorPivots::StatesAndDerivatives);
    if (!made) return report_error(made.error(), json);
    step = std::move(*made);
  }
  if (!arguments.drawing.empty()) {
    const Result<std::size_t> bytes =
        report::write_incidence_svg(arguments.drawing, incidence_of(*analysis));
    if (!bytes) return report_error(bytes.error(), json);
  }
  if (json) {
    Json object = what == What::Check ? check_json(*analysis) : explain_json(*analysis);
    if (step) object["step"] = step_json(*step);
    add_phases(analysis->phases, object);
    if (!arguments.drawing.empty()) object["drawing"] = arguments.drawing;
    print_json(object);
  } else if (what == What::Explain) {
    print_explanation(*analysis);
    if (step) print_step(*step);
    if (!arguments.drawing.empty()) say("wrote {}\n", arguments.drawing);
  } else {
    const StructureSummary summary = summarise(*analysis->structured);
    say("{}: {}, {}, {}: can be simulated\n", analysis->name,
        counted(summary.equations, "equation"), counted(summary.variables, "unknown"),
        counted(summary.states, "state"));
  }
  return success;
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand("check", "read and analyse a model, without a run");
  add_model_arguments(*command, arguments->model);
  command->callback([arguments, &exit_code] { exit_code = run(*arguments, What::Check); });
}

void add_explain(CLI::App& program, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command =
      program.add_subcommand("explain", "show states, aliases, blocks and tearing of a model");
  add_model_arguments(*command, arguments->model);
  add_text(*command, "--draw", arguments->drawing,
           "drawing of which equation contains which unknown, as written and as sorted: .svg",
           "FILE");
  command->add_flag("--inline", arguments->with_step,
                    "show the system of one integration step, too: the method's equations merged "
                    "with the model's, sorted and torn");
  add_text(
      *command, "--method", arguments->method,
      fmt::format("the method of --inline, see `daedalus methods` (default: {})", default_inlined),
      "NAME");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments, What::Explain); });
}

}  // namespace daedalus::cli
