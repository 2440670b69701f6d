#include "cli/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

namespace daedalus::cli {
namespace {

std::optional<double> read_number(const std::string& text) {
  double value = 0.0;
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* const begin = text.data() + (plus ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(begin, end, value);
  const bool whole = failure == std::errc{} && stopped == end && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

engine::Setting read_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw CLI::ValidationError("--set", fmt::format("`{}` is not of the form NAME=VALUE", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// An option that takes one of a few names; `require` finds what is meant.
template <class Choice>
void add_choice(CLI::App& command, const std::string& name, Choice& into,
                Result<Choice> (*require)(std::string_view), const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [&into, name, require](const std::string& text) {
            const Result<Choice> choice = require(text);
            if (!choice) {
              throw CLI::ValidationError(
                  name, fmt::format("{}; {}", choice.error().message, choice.error().hint));
            }
            into = *choice;
          },
          help)
      ->type_name("NAME");
}

}  // namespace

void add_model_arguments(CLI::App& command, ModelArguments& arguments) {
  command.add_option("FILE", arguments.file, "Modelica file")->required();
  add_text(command, "--model", arguments.model, "model to take (default: the last one of the file)",
           "NAME");
  add_settings(command, arguments,
               "value of a parameter or input, or start value of a state; of an array by element, "
               "x[2]=1 (NAME=VALUE; may be repeated)");
  command.add_flag("--json", arguments.json, "print one JSON object on stdout and nothing else");
}

void add_settings(CLI::App& command, ModelArguments& arguments, const std::string& help) {
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&arguments](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) arguments.settings.push_back(read_setting(text));
          },
          help)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

void add_cache_option(CLI::App& command, ModelArguments& arguments) {
  command.add_flag(
      "--no-cache", arguments.without_cache,
      "analyse and compile anew and keep nothing (otherwise kept in $DAEDALUS_CACHE, or "
      "~/.cache/daedalus)");
}

codegen::CodeCache cache_of(const ModelArguments& arguments) {
  return codegen::CodeCache(arguments.without_cache ? "" : engine::default_cache_folder());
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& into,
                      const std::string& help, const std::string& type) {
  return command.add_option(name, into, help)->check(not_empty())->type_name(type);
}

const CLI::Validator& not_empty() {
  static const CLI::Validator validator(
      [](const std::string& text) {
        return text.empty() ? std::string("must not be empty") : std::string();
      },
      "");
  return validator;
}

void add_number(CLI::App& command, const std::string& name, std::optional<double>& into,
                const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [&into, name](const std::string& text) {
            into = read_number(text);
            if (!into) {
              throw CLI::ValidationError(
                  name, fmt::format("`{}` is not a number; write 42, 0.5 or 1.5e-3", text));
            }
          },
          help)
      ->type_name("NUMBER");
}

void add_count(CLI::App& command, const std::string& name, std::optional<std::size_t>& into,
               const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [&into, name](const std::string& text) {
            std::size_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stopped, failure] = std::from_chars(text.data(), end, value);
            if (failure != std::errc{} || stopped != end) {
              throw CLI::ValidationError(name, fmt::format("`{}` is not a whole number", text));
            }
            into = value;
          },
          help)
      ->type_name("COUNT");
}

void add_numerics(CLI::App& command, integrate::Norm& norm, integrate::Controller& controller,
                  integrate::LinearSolver& solver) {
  add_choice(command, "--norm", norm, integrate::require_norm,
             "norm of the errors: rms or max, relative to rtol |y| + atol, or euclidean, relative "
             "to atol alone (default: rms)");
  add_choice(command, "--controller", controller, integrate::require_controller,
             "how the error chooses the step: auto, predictive, pi or thesis "
             "(default: auto, what suits the method)");
  add_choice(command, "--linear-solver", solver, integrate::require_linear_solver,
             "of bdf, ndf and gear: direct, krylov (GMRES with incomplete factors) or auto, what "
             "takes fewer operations (default: auto)");
}

std::vector<std::pair<std::string, std::string>> chosen_numerics(integrate::Norm norm,
                                                                 integrate::Controller controller,
                                                                 integrate::LinearSolver solver) {
  std::vector<std::pair<std::string, std::string>> chosen;
  if (norm != integrate::Norm::Rms) chosen.emplace_back("norm", integrate::norm_name(norm));
  if (controller != integrate::Controller::Family) {
    chosen.emplace_back("controller", integrate::controller_name(controller));
  }
  if (solver != integrate::LinearSolver::Suitable) {
    chosen.emplace_back("linear_solver", integrate::linear_solver_name(solver));
  }
  return chosen;
}

void add_event_choices(CLI::App& command, hybrid::Zeno& zeno, hybrid::Chattering& chattering) {
  add_choice(command, "--zeno", zeno, hybrid::require_zeno,
             "where events accumulate towards a limit: stop, or regularize, to continue after it "
             "at rest (default: stop)");
  add_choice(command, "--chattering", chattering, hybrid::require_chattering,
             "where a relation changes back and forth without end: stop, or sliding, to go on "
             "along its surface (default: stop)");
}

std::vector<std::pair<std::string, std::string>> chosen_event_ways(hybrid::Zeno zeno,
                                                                   hybrid::Chattering chattering) {
  std::vector<std::pair<std::string, std::string>> chosen;
  if (zeno != hybrid::Zeno::Stop) chosen.emplace_back("zeno", hybrid::zeno_name(zeno));
  if (chattering != hybrid::Chattering::Stop)
    chosen.emplace_back("chattering", hybrid::chattering_name(chattering));
  return chosen;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun,
                     number == 1 ? "" : (noun.ends_with('s') || noun.ends_with("ch") ? "es" : "s"));
}

Colour stderr_colour() {
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  const bool plain = std::getenv("NO_COLOR") != nullptr || dumb || isatty(STDERR_FILENO) == 0;
  return plain ? Colour::No : Colour::Yes;
}

void print_to_stderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void print_json(const Json& object) {
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

int report_error(const Error& error, bool json) {
  if (json) {
    Json object = {{"status", "failed"}, {"reason", error.code}, {"message", error.message}};
    if (!error.hint.empty()) object["hint"] = error.hint;
    print_json(object);
  }
  complain("daedalus: error: {}\n", error.text());
  return error.code.starts_with("usage.") ? usage_error : model_error;
}

Json diagnostics_json(const engine::Analysis& analysis) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : analysis.diagnostics.all()) {
    const Place place = analysis.sources.place(diagnostic.span.source, diagnostic.span.begin);
    Json entry = {{"severity", severity_name(diagnostic.severity)},
                  {"code", diagnostic.code},
                  {"file", analysis.file},
                  {"line", place.line},
                  {"column", place.column},
                  {"message", diagnostic.message}};
    if (!diagnostic.hint.empty()) entry["hint"] = diagnostic.hint;
    list.push_back(std::move(entry));
  }
  return list;
}

Json structural_json(const engine::Analysis& analysis) {
  Json object = Json::object();
  for (const engine::StructuralSetting& setting : analysis.structural) {
    switch (setting.type) {
      case model::Type::Real:
        object[setting.name] = setting.value.value;
        break;
      case model::Type::Integer:
        object[setting.name] = setting.value.whole;
        break;
      case model::Type::Boolean:
        object[setting.name] = setting.value.value != 0.0;
        break;
    }
  }
  return object;
}

void print_diagnostics(const engine::Analysis& analysis) {
  print_to_stderr(analysis.report(stderr_colour()));
  std::string settings;
  const Json structural = structural_json(analysis);
  for (const auto& [name, value] : structural.items())
    settings += fmt::format("{}{} = {}", settings.empty() ? "" : ", ", name, value.dump());
  if (!settings.empty()) {
    complain("daedalus: note: flattened again with {}: sizes of the model depend on it\n",
             settings);
  }
}

int report_refusal(const engine::Analysis& analysis, bool json) {
  print_diagnostics(analysis);
  if (!json) return model_error;
  const auto first =
      std::ranges::find(analysis.diagnostics.all(), Severity::Error, &Diagnostic::severity);
  print_json({{"status", "failed"},
              {"reason", first->code},
              {"message", first->message},
              {"diagnostics", diagnostics_json(analysis)}});
  return model_error;
}

namespace {

// The words of the command line: each option as often as it was given, each time with its own
// value.
std::vector<std::string> words_of(const CLI::App& command) {
  std::vector<std::string> words;
  std::unordered_map<const CLI::Option*, std::size_t> told;
  for (const CLI::Option* option : command.parse_order()) {
    if (!option->get_positional()) words.push_back("--" + option->get_single_name());
    const std::vector<std::string>& values = option->results();
    const bool takes_value = option->get_expected_max() > 0;
    const std::size_t number = told[option]++;
    if (!takes_value || number >= values.size()) continue;
    const bool is_left_out = option->get_expected_min() == 0 && values[number].empty();
    if (!is_left_out) words.push_back(values[number]);
  }
  return words;
}

}  // namespace

std::string command_line_of(const CLI::App& command) {
  std::string text = "daedalus " + command.get_name();
  for (const std::string& word : words_of(command)) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=./:,@%") == std::string::npos;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += ' ' + (plain ? word : quoted + "'");
  }
  return text;
}

}  // namespace daedalus::cli
