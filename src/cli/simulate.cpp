// daedalus simulate: a model's run, its files and its summary.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/run_summary.hpp"
#include "cli/structure_summary.hpp"
#include "daedalus/base/file.hpp"
#include "daedalus/base/names.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::cli {
namespace {

using solution::Solution;

std::atomic<bool> stop_asked = false;

// The first signal ends the run at a step's end, the second one at once.
void on_signal(int number) {
  if (stop_asked.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

struct Arguments {
  ModelArguments model;
  engine::Options options;
  std::vector<std::string> outputs;
  std::string report;
  std::string variables;
  std::string command_line;
};

using Writer = Result<std::size_t> (*)(const std::string&, const solution::Table&);

struct Format {
  std::string_view extension;
  Writer writer;
};

constexpr Format formats[] = {{".csv", report::write_csv}, {".mat", report::write_mat}, {".json", report::write_json}};

Writer writer_for(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const Format& format : formats) {
    if (format.extension == extension) return format.writer;
  }
  return nullptr;
}

// Whatever would go wrong with the files after the run is found before it.
std::optional<Error> check_outputs(const Arguments& arguments) {
  for (const std::string& path : arguments.outputs) {
    if (writer_for(path) == nullptr) {
      return Error{"usage.output", fmt::format("cannot tell the format of `{}`", path),
                   "its name must end in .csv, .mat or .json"};
    }
  }
  std::vector<std::string> paths = arguments.outputs;
  if (!arguments.report.empty()) paths.push_back(arguments.report);
  for (const std::string& path : paths) {
    const Result<AtomicFile> probe = AtomicFile::create(path);
    if (!probe) return probe.error();
  }
  return std::nullopt;
}

// Keeps the variables that one of the comma-separated patterns matches. Commas inside of brackets are part of a name.
std::optional<Error> select_variables(const std::string& patterns, solution::Table& table) {
  std::vector<std::string> list = {""};
  int depth = 0;
  for (const char c : patterns) {
    depth += c == '[' ? 1 : (c == ']' ? -1 : 0);
    if (c == ',' && depth == 0) {
      list.emplace_back();
    } else {
      list.back() += c;
    }
  }
  std::vector<solution::Variable> kept;
  std::vector<bool> used(list.size(), false);
  for (const solution::Variable& variable : table.variables) {
    bool wanted = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!matches_glob(variable.name, list[i])) continue;
      used[i] = true;
      wanted = true;
    }
    if (wanted) kept.push_back(variable);
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (used[i]) continue;
    std::vector<std::string> names;
    for (const solution::Variable& variable : table.variables) names.push_back(variable.name);
    return Error{"usage.variables", fmt::format("no variable matches `{}`", list[i]), did_you_mean(list[i], names)};
  }
  table.variables = std::move(kept);
  return std::nullopt;
}

report::Properties option_list(const engine::ResolvedOptions& r) {
  return {{"method", r.method},
          {"start", fmt::format("{:g} s", r.start)},
          {"stop", fmt::format("{:g} s", r.stop)},
          {"rtol", fmt::format("{:g}", r.rtol)},
          {"atol", r.atol ? fmt::format("{:g} x nominal", *r.atol)
                          : fmt::format("rtol x nominal, or {:g}", r.default_atol())},
          {"output interval", fmt::format("{:g} s ({})", r.interval, r.intervals)},
          {"max-step", fmt::format("{:g} s", r.max_step)},
          {"max-steps", fmt::format("{}", r.max_steps)}};
}

Json solution_json(const engine::Model& model, const StructureSummary& summary, const Solution& solution) {
  Json object = {{"model", model.name},
                 {"equations", summary.equations},
                 {"states", summary.states},
                 {"blocks", summary.blocks},
                 {"tearing_variables", summary.tearing_variables}};
  object.update(run_json(solution));
  return object;
}

void print_summary(const engine::Model& model, const StructureSummary& summary, const Solution& solution,
                   const std::vector<std::string>& written) {
  const solution::Statistics& s = solution.statistics;
  fmt::print("{}{}\n", model.name, model.description.empty() ? "" : fmt::format(": {}", model.description));
  fmt::print("  model   {} equations, {} states, {} aliases, {} blocks ({} algebraic loops), {} tearing variables\n",
             summary.equations, summary.states, summary.aliases, summary.blocks, summary.loops,
             summary.tearing_variables);
  fmt::print("  run     {}: {} at t = {:g} s\n", solution.method, solution::status_name(solution.outcome.status),
             solution.outcome.time);
  fmt::print("  work    {} steps, {} rejected, {} evaluations, {} Jacobians, {} factorisations\n", s.steps, s.rejected(),
             s.f_evals, s.jac_evals, s.factorizations);
  std::string times;
  for (const Phase& phase : solution.phases) {
    times += fmt::format("{}{} {}", times.empty() ? "" : ", ", phase.name, duration(phase.seconds));
  }
  fmt::print("  time    {}\n", times);
  for (const std::string& path : written) fmt::print("  wrote   {}\n", path);
}

Result<std::vector<std::string>> write_files(const Arguments& arguments, const engine::ResolvedOptions& resolved,
                                             const engine::Model& model, const StructureSummary& summary,
                                             const Solution& solution) {
  std::vector<std::string> written;
  for (const std::string& path : arguments.outputs) {
    const Result<std::size_t> bytes = writer_for(path)(path, solution.table);
    if (!bytes) return bytes.error();
    written.push_back(path);
  }
  if (arguments.report.empty()) return written;
  const report::RunDescription run{.model = model.name,
                                   .description = model.description,
                                   .file = arguments.model.file,
                                   .version = DAEDALUS_VERSION,
                                   .command = arguments.command_line,
                                   .options = option_list(resolved),
                                   .sizes = summary.properties(),
                                   .phases = solution.phases,
                                   .warnings = solution.warnings};
  const Result<std::size_t> bytes = report::write_html(arguments.report, run, solution);
  if (!bytes) return bytes.error();
  written.push_back(arguments.report);
  return written;
}

int exit_code_of(const solution::Outcome& outcome) {
  if (outcome.reason == solution::Reason::Interrupted) return interrupted;
  return outcome.status == solution::Status::Failed ? model_error : success;
}

void report_outcome(const Arguments& arguments, const solution::Outcome& outcome) {
  if (outcome.reason == solution::Reason::None) return;
  if (outcome.reason == solution::Reason::Interrupted) {
    fmt::print(stderr, "daedalus: interrupted: results until t = {:g} s\n", outcome.time);
    return;
  }
  fmt::print(stderr, "daedalus: error: {}: {} [{}]\n", arguments.model.file, outcome.message,
             solution::reason_name(outcome.reason));
  if (!outcome.hint.empty()) fmt::print(stderr, "  hint: {}\n", outcome.hint);
}

int run(Arguments& arguments) {
  const bool json = arguments.model.json;
  if (const std::optional<Error> error = check_outputs(arguments)) return report_error(*error, json);
  Result<engine::Analysis> analysis =
      engine::analyse_file(arguments.model.file, arguments.model.model, arguments.model.settings);
  if (!analysis) return report_error(analysis.error(), json);
  if (!analysis->structured) return report_refusal(*analysis, json);
  print_diagnostics(*analysis);
  const Result<engine::ResolvedOptions> resolved = engine::resolve(arguments.options, analysis->experiment);
  if (!resolved) return report_error(resolved.error(), json);
  const Result<engine::Model> model = engine::compile(std::move(*analysis));
  if (!model) return report_error(model.error(), json);
  const StructureSummary summary = summarise(model->system->model());

  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  arguments.options.interrupt = &stop_asked;
  Result<Solution> solution = engine::simulate(*model, arguments.options);
  if (!solution) return report_error(solution.error(), json);
  if (!arguments.variables.empty()) {
    if (const std::optional<Error> error = select_variables(arguments.variables, solution->table)) {
      return report_error(*error, json);
    }
  }
  std::vector<std::string> written;
  if (solution->table.rows() > 0) {
    const Result<std::vector<std::string>> result = write_files(arguments, *resolved, *model, summary, *solution);
    if (!result) return report_error(result.error(), json);
    written = *result;
  }
  if (json) {
    fmt::print("{}\n", solution_json(*model, summary, *solution).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_summary(*model, summary, *solution, written);
  }
  for (const std::string& warning : solution->warnings) {
    if (std::ranges::find(model->warnings, warning) == model->warnings.end()) {
      fmt::print(stderr, "daedalus: warning: {}\n", warning);
    }
  }
  report_outcome(arguments, solution->outcome);
  return exit_code_of(solution->outcome);
}

// The words of the command line as a shell wants them.
std::string quoted_command(const std::vector<std::string>& words) {
  std::string text = "daedalus simulate";
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                               "0123456789_-+=./:,@%") == std::string::npos;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += ' ' + (plain ? word : quoted + "'");
  }
  return text;
}

}  // namespace

void add_simulate(CLI::App& program, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand("simulate", "compile a model and run it");
  add_model_arguments(*command, arguments->model);
  engine::Options& options = arguments->options;
  add_number(*command, "--start", options.start, "start time in s (default: the experiment's, or 0)");
  add_number(*command, "--stop", options.stop, "stop time in s (default: the experiment's, or 1 s after the start)");
  add_number(*command, "--rtol", options.rtol, "relative tolerance (default: the experiment's, or 1e-6)");
  add_number(*command, "--atol", options.atol, "absolute tolerance, times each variable's nominal (default: rtol times nominal, or rtol / 1000 without a nominal)");
  command->add_option("--method", options.method, "integration method, see `daedalus methods`")->capture_default_str();
  add_count(*command, "--intervals", options.intervals, "number of output intervals (default: 500)");
  add_number(*command, "--interval", options.interval, "length of an output interval in s, instead of --intervals");
  add_number(*command, "--max-step", options.max_step, "longest step in s (default: unlimited)");
  add_count(*command, "--max-steps", options.max_steps, "give up after this many steps (default: 1000000)");
  command->add_option("--output", arguments->outputs, "result file: .csv, .mat or .json (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command->add_option("--report", arguments->report, "HTML report, one file that works offline")->type_name("FILE");
  command->add_option("--variables", arguments->variables, "names to keep in the results, e.g. 'u*,R1.i'")
      ->type_name("GLOB,...");
  command->callback([arguments, command, &exit_code] {
    std::vector<std::string> words;
    for (const CLI::Option* option : command->parse_order()) {
      const std::string name = option->get_single_name();
      const bool positional = option->get_positional();
      const std::vector<std::string>& values = option->results();
      const bool flag = option->get_expected_max() == 0;
      for (const std::string& value : values) {
        if (!positional) words.push_back("--" + name);
        if (!flag) words.push_back(value);
      }
    }
    arguments->command_line = quoted_command(words);
    exit_code = run(*arguments);
  });
}

}  // namespace daedalus::cli
