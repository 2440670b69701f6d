// daedalus linearize: a model's matrices and eigenvalues at a point of its run.
#include "daedalus/engine/linearize.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/model_run.hpp"
#include "cli/result_files.hpp"
#include "cli/run_summary.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::cli {
namespace {

using solution::LinearModel;

struct Arguments {
  ModelArguments model;
  engine::Options options;
  std::vector<std::string> outputs;
};

std::optional<Error> check_outputs(const std::vector<std::string>& outputs) {
  for (const std::string& path : outputs) {
    if (extension_of(path) == ".mat" || extension_of(path) == ".json") continue;
    return Error{"usage.output", fmt::format("cannot tell the format of `{}`", path),
                 "its name must end in .mat or .json"};
  }
  return check_paths(outputs);
}

std::optional<Error> write_outputs(const std::vector<std::string>& outputs,
                                   const LinearModel& linear) {
  for (const std::string& path : outputs) {
    const Result<std::size_t> bytes = extension_of(path) == ".mat"
                                          ? report::write_linear_mat(path, linear)
                                          : report::write_linear_json(path, linear);
    if (!bytes) return bytes.error();
  }
  return std::nullopt;
}

std::size_t widest(const std::vector<std::string>& names) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  return width;
}

// Prints the matrix as a table; one that is too large for a screen only by its size.
void print_matrix(std::string_view name, const solution::Matrix& matrix,
                  const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
  constexpr std::size_t most_rows = 40, most_columns = 8, number_width = 13;
  if (matrix.rows == 0 || matrix.columns == 0) return;
  say("\n{} ({} x {}, {} not 0)\n", name, matrix.rows, matrix.columns, matrix.entries.size());
  if (matrix.rows > most_rows || matrix.columns > most_columns) {
    say("  too large to be shown; --output writes it\n");
    return;
  }
  const std::size_t label = widest(rows), cell = std::max(number_width, widest(columns));
  std::string text = std::string(label + 2, ' ');
  for (const std::string& column : columns) text += fmt::format("  {:>{}}", column, cell);
  say("{}\n", text);
  const std::vector<double> values = matrix.dense();
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    text = fmt::format("  {:<{}}", rows[i], label);
    for (std::size_t j = 0; j < matrix.columns; ++j) {
      text += fmt::format("  {:>{}.6g}", values[j * matrix.rows + i] + 0.0, cell);
    }
    say("{}\n", text);
  }
}

void print_values(std::string_view title, const std::vector<std::string>& names,
                  const std::vector<double>& values) {
  constexpr std::size_t most_shown = 40;
  if (names.empty()) return;
  say("\n{}\n", title);
  const std::size_t shown = std::min(names.size(), most_shown), label = widest(names);
  for (std::size_t i = 0; i < shown; ++i) {
    say("  {:<{}}  {:>13.6g}\n", names[i], label, values[i]);
  }
  if (shown < names.size()) say("  and {} more\n", names.size() - shown);
}

std::string or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

void print_modes(const LinearModel& linear) {
  if (!linear.modes) {
    say("\nno eigenvalues: {}\n", linear.why_no_modes);
    return;
  }
  if (linear.modes->empty()) return;
  say("\neigenvalues of A\n  {:>13}  {:>13}  {:>10}  {:>13}  {:>13}  {}\n", "real [1/s]",
      "imag [1/s]", "damping", "freq [rad/s]", "time const [s]", "dominant states");
  for (const solution::Mode& mode : *linear.modes) {
    std::string dominant;
    for (const solution::Participation& participation : mode.dominant) {
      dominant += fmt::format("{}{} {:.0f} %", dominant.empty() ? "" : ", ",
                              linear.states[participation.state], 100.0 * participation.share);
    }
    say("  {:>13.6g}  {:>13.6g}  {:>10}  {:>13.6g}  {:>14}  {}\n", mode.eigenvalue.real() + 0.0,
        mode.eigenvalue.imag() + 0.0, or_dash(mode.damping_ratio()), mode.natural_frequency(),
        or_dash(mode.time_constant()), dominant.empty() ? "-" : dominant);
  }
}

void print_linear_model(const LinearModel& linear, const std::vector<std::string>& written) {
  say("{}{}\n", linear.model,
      linear.description.empty() ? "" : fmt::format(": {}", visible(linear.description)));
  say("  linear at t = {:g} s: {}, {}, {}\n", linear.time, counted(linear.states.size(), "state"),
      counted(linear.inputs.size(), "input"), counted(linear.outputs.size(), "output"));
  for (const std::string& note : linear.notes) say("  {}\n", note);
  for (const std::string& path : written) say("  wrote {}\n", path);
  print_values("states x0", linear.states, linear.x0);
  print_values("inputs u0", linear.inputs, linear.u0);
  print_values("outputs y0", linear.outputs, linear.y0);
  print_matrix("A = d der(x) / d x", linear.A, linear.states, linear.states);
  print_matrix("B = d der(x) / d u", linear.B, linear.states, linear.inputs);
  print_matrix("C = d y / d x", linear.C, linear.outputs, linear.states);
  print_matrix("D = d y / d u", linear.D, linear.outputs, linear.inputs);
  print_modes(linear);
}

int report_no_point(const engine::Model& model, const solution::Solution& run, bool json) {
  if (json) {
    Json object = {{"model", model.name}};
    object.update(run_json(run));
    add_place(model, run.outcome, object);
    print_json(object);
  }
  report_outcome(model, run);
  return exit_code_of(run.outcome);
}

int run(const Arguments& arguments) {
  const bool json = arguments.model.json;
  if (const std::optional<Error> error = check_outputs(arguments.outputs)) {
    return report_error(*error, json);
  }
  Result<engine::Analysis> analysis =
      engine::analyse_file(arguments.model.file, arguments.model.model, arguments.model.settings);
  if (!analysis) return report_error(analysis.error(), json);
  if (!analysis->structured) return report_refusal(*analysis, json);
  print_diagnostics(*analysis);
  const Result<engine::Model> model =
      engine::compile(std::move(*analysis), cache_of(arguments.model));
  if (!model) return report_error(model.error(), json);
  const Result<engine::Linearization> found = engine::linearize(*model, arguments.options);
  if (!found) return report_error(found.error(), json);
  print_run_warnings(*model, found->run);
  if (!found->linear) return report_no_point(*model, found->run, json);
  if (const std::optional<Error> error = write_outputs(arguments.outputs, *found->linear)) {
    return report_error(*error, json);
  }
  if (json) {
    fmt::print("{}", report::linear_json(*found->linear));
  } else {
    print_linear_model(*found->linear, arguments.outputs);
  }
  return success;
}

}  // namespace

void add_linearize(CLI::App& program, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand(
      "linearize", "give the matrices and eigenvalues of a model at a point of its run");
  add_model_arguments(*command, arguments->model);
  add_number(*command, "--at", arguments->options.stop,
             "time of the point in s (default: the start, after initialisation)");
  add_number(*command, "--start", arguments->options.start,
             "start time in s (default: the experiment's, or 0)");
  add_integration_options(*command, arguments->options);
  add_cache_option(*command, arguments->model);
  command
      ->add_option("-o,--output", arguments->outputs,
                   "result file: .mat or .json (may be repeated)")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->type_name("FILE");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace daedalus::cli
