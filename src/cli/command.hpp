// The commands of the program. Each reads its options with CLI11 and returns the exit code.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/base/utf8.hpp"
#include "daedalus/engine/analysis.hpp"

namespace daedalus::cli {

using Json = nlohmann::ordered_json;

constexpr int success = 0;
constexpr int model_error = 1;
constexpr int usage_error = 2;
constexpr int signalled = 128;  // plus the signal's number

// Adds the command to the program; if it was chosen, `exit_code` receives its result.
void add_simulate(CLI::App& program, int& exit_code);
void add_resume(CLI::App& program, int& exit_code);
void add_check(CLI::App& program, int& exit_code);
void add_explain(CLI::App& program, int& exit_code);
void add_linearize(CLI::App& program, int& exit_code);
void add_methods(CLI::App& program, int& exit_code);
void add_problems(CLI::App& program, int& exit_code);
void add_reproduce(CLI::App& program, int& exit_code);
void add_compare(CLI::App& program, int& exit_code);
void add_repair(CLI::App& program, int& exit_code);

// The arguments of every command on a model.
struct ModelArguments {
  std::string file;
  std::string model;
  std::vector<engine::Setting> settings;
  bool json = false;
  bool without_cache = false;
};
void add_model_arguments(CLI::App& command, ModelArguments& arguments);
// --set.
void add_settings(CLI::App& command, ModelArguments& arguments, const std::string& help);

// For commands that compile.
void add_cache_option(CLI::App& command, ModelArguments& arguments);
codegen::CodeCache cache_of(const ModelArguments& arguments);

// An option that takes a text, which must not be empty; `type` names what it takes.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& into,
                      const std::string& help, const std::string& type);
// The check that an option's text is not empty.
const CLI::Validator& not_empty();

// An option that takes a number: 42, 0.5, 1.5e-3.
void add_number(CLI::App& command, const std::string& name, std::optional<double>& into,
                const std::string& help);
void add_count(CLI::App& command, const std::string& name, std::optional<std::size_t>& into,
               const std::string& help);

// --norm, --controller and --linear-solver.
void add_numerics(CLI::App& command, integrate::Norm& norm, integrate::Controller& controller,
                  integrate::LinearSolver& solver);
// Which of them are not the default, as (option, choice).
std::vector<std::pair<std::string, std::string>> chosen_numerics(integrate::Norm norm,
                                                                 integrate::Controller controller,
                                                                 integrate::LinearSolver solver);

// --zeno and --chattering, and which of the two are not the default.
void add_event_choices(CLI::App& command, hybrid::Zeno& zeno, hybrid::Chattering& chattering);
std::vector<std::pair<std::string, std::string>> chosen_event_ways(hybrid::Zeno zeno,
                                                                   hybrid::Chattering chattering);

// Text for people, on stdout and on stderr, with control characters escaped: names and messages
// come from the model.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  fmt::print("{}", visible_lines(fmt::format(format, std::forward<Values>(values)...)));
}
// Prints to stderr as it is; if that fails, there is nowhere to report it.
void print_to_stderr(std::string_view text);
template <class... Values>
void complain(fmt::format_string<Values...> format, Values&&... values) {
  print_to_stderr(visible_lines(fmt::format(format, std::forward<Values>(values)...)));
}

// Prints one JSON object on stdout.
void print_json(const Json& object);

// Prints an error as people or (with --json) programs read it and returns the corresponding exit
// code.
int report_error(const Error& error, bool json);

// Prints the diagnostics of a model that was refused.
int report_refusal(const engine::Analysis& analysis, bool json);
Json diagnostics_json(const engine::Analysis& analysis);

// The parameters that decide sizes and were set, {"n": 50}.
Json structural_json(const engine::Analysis& analysis);

// Prints to stderr the warnings and notes of an accepted model, and the settings it was flattened
// with.
void print_diagnostics(const engine::Analysis& analysis);

Colour stderr_colour();

// What was typed, quoted for a shell: each option as often as it was given, with its long name.
std::string command_line_of(const CLI::App& command);

// "1 state", "2 states"
std::string counted(std::size_t number, std::string_view noun);

}  // namespace daedalus::cli
