// The command line.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include "cli/command.hpp"
#include "cli/signals.hpp"
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

Error no_such_command(const CLI::App& program) {
  const std::vector<std::string> known = command_names(program);
  const std::string list = fmt::format("the commands are {}", fmt::join(known, ", "));
  const std::vector<std::string> rest = program.remaining(true);
  if (rest.empty()) return {"usage", "no command given", list};
  const std::string near = did_you_mean(rest.front(), known);
  const std::string_view kind = rest.front().starts_with('-') ? "option" : "command";
  return {"usage", fmt::format("there is no {} `{}`", kind, rest.front()),
          near.empty() ? list : near};
}

Error no_such_argument(const CLI::App& program, const CLI::App& command) {
  if (const std::vector<std::string> before = program.remaining(false); !before.empty()) {
    return {"usage", fmt::format("`{}` stands before the command", before.front()),
            "options follow the command"};
  }
  const std::vector<std::string> rest = command.remaining(true);
  const auto option =
      std::ranges::find_if(rest, [](const std::string& word) { return word.starts_with('-'); });
  if (option == rest.end()) {
    return {"usage", fmt::format("the argument `{}` is one too many", rest.back()),
            "quote names that contain spaces"};
  }
  const std::string name = option->substr(0, option->find('='));
  return {"usage", fmt::format("`{}` has no option `{}`", command.get_name(), name),
          did_you_mean(name, option_names(command))};
}

// CLI11's errors in our words.
Error describe(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  if (chosen.empty()) return no_such_command(program);
  const CLI::App& command = *chosen.front();
  const std::string said = error.what();
  const std::string subject = said.substr(0, said.find(':'));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return no_such_argument(program, command);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (command.get_name() == "compare")
      return {"usage", "two result files are needed", "daedalus compare REFERENCE.csv OTHER.csv"};
    if (command.get_name() == "resume")
      return {"usage", "no checkpoint given",
              "daedalus resume FILE, which --checkpoint has written"};
    if (command.get_name() == "repair")
      return {"usage", "no result file given", "daedalus repair FILE.csv.part"};
    return {"usage", "no model file given",
            fmt::format("daedalus {} MODEL.mo", command.get_name())};
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool repeated = said.find("At Most") != std::string::npos;
    return {"usage", fmt::format("`{}` {}", subject,
                                 repeated ? "is given more than once" : "needs a value")};
  }
  return {"usage", said};
}

int report_parse_error(const CLI::App& program, const CLI::ParseError& error, bool json) {
  report_error(describe(program, error), json);
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name() + " ";
  complain("Run `daedalus {}--help` for more information.\n", command);
  return usage_error;
}

int run(int argc, char** argv, bool json) {
  CLI::App program("Simulates models made of differential, algebraic and discrete equations.",
                   "daedalus");
  program.set_version_flag("--version", "daedalus " DAEDALUS_VERSION);
  program.require_subcommand(1);
  int exit_code = success;
  add_simulate(program, exit_code);
  add_resume(program, exit_code);
  add_check(program, exit_code);
  add_explain(program, exit_code);
  add_linearize(program, exit_code);
  add_methods(program, exit_code);
  add_problems(program, exit_code);
  add_reproduce(program, exit_code);
  add_compare(program, exit_code);
  add_repair(program, exit_code);
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

int run_and_catch(int argc, char** argv) {
  const bool json = std::any_of(
      argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  end_on_signals(json);
  try {
    return run(argc, argv, json);
  } catch (const std::bad_alloc&) {
    return report_error({"memory", "out of memory"}, json);
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0)
      return model_error;  // the exception comes from fmt, and finish() reports it
    return report_error(
        {"internal", error.what(), "this is a mistake in daedalus; please report it"}, json);
  }
}

// A result file must not get the descriptor of a standard stream that the caller has closed.
void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) open("/dev/null", O_RDWR);
  }
}

// Shared libraries initialise themselves before main(), and abort if memory runs out.
void end_without_memory(int) {
  constexpr std::string_view text = "daedalus: error: out of memory [memory]\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(model_error);
}

void watch_libraries(int, char**, char**) { std::signal(SIGABRT, end_without_memory); }

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = watch_libraries;

// What was printed must have arrived: a full disk shows only here.
int finish(int exit_code) {
  std::cout.flush();
  const bool arrived = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (arrived) return exit_code;
  complain("daedalus: error: cannot write to stdout: {} [io]\n", std::strerror(errno));
  return exit_code == success ? model_error : exit_code;
}

}  // namespace
}  // namespace daedalus::cli

int main(int argc, char** argv) {
  std::signal(SIGABRT, SIG_DFL);  // from here on, an abort is our mistake
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is an error of the write
  std::signal(SIGPIPE, SIG_DFL);  // a reader that leaves ends the program, whoever called it
  daedalus::cli::open_standard_streams();
  return daedalus::cli::finish(daedalus::cli::run_and_catch(argc, argv));
}
