// The command line.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "cli/command.hpp"
#include "daedalus/base/names.hpp"

namespace daedalus::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The nearest option or command to the first word that was not understood.
std::string suggestion(const CLI::App& program) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  if (chosen.empty()) {
    const std::vector<std::string> rest = program.remaining(true);
    return rest.empty() ? "" : did_you_mean(rest.front(), command_names(program));
  }
  for (const std::string& word : chosen.front()->remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    if (const std::string near = did_you_mean(name, option_names(*chosen.front())); !near.empty()) return near;
  }
  return {};
}

int report_parse_error(const CLI::App& program, const CLI::ParseError& error, bool json) {
  if (json) {
    const Json object = {{"status", "failed"}, {"reason", "usage"}, {"message", error.what()}};
    fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
  }
  fmt::print(stderr, "daedalus: error: {}\n", error.what());
  if (const std::string near = suggestion(program); !near.empty()) fmt::print(stderr, "  hint: {}\n", near);
  fmt::print(stderr, "Run with --help for more information.\n");
  return usage_error;
}

int run(int argc, char** argv) {
  CLI::App program("Simulates models made of differential, algebraic and discrete equations.", "daedalus");
  program.set_version_flag("--version", "daedalus " DAEDALUS_VERSION);
  program.require_subcommand(1);
  int exit_code = success;
  add_simulate(program, exit_code);
  add_check(program, exit_code);
  add_explain(program, exit_code);
  add_methods(program, exit_code);
  add_problems(program, exit_code);
  const bool json = std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return program.exit(version);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(program, error, json);
  }
  return exit_code;
}

}  // namespace
}  // namespace daedalus::cli

int main(int argc, char** argv) {
  try {
    return daedalus::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "daedalus: error: out of memory [memory]\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "daedalus: error: {} [internal]\n", error.what());
  }
  return daedalus::cli::model_error;
}
