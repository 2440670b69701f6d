// daedalus compare: where two result files differ.
#include "daedalus/report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/result_files.hpp"
#include "cli/selection.hpp"
#include "daedalus/report/read.hpp"

namespace daedalus::cli {
namespace {

using report::Comparison;
using report::Deviation;
using solution::Table;

constexpr double default_tube = 0.002;

struct Arguments {
  std::string reference, other;
  std::optional<double> tube;
  std::string variables;
  std::string report;
  std::string command_line;
  bool json = false;
};

std::optional<Error> check(const Arguments& arguments) {
  if (arguments.tube && !(*arguments.tube >= 0.0 && *arguments.tube < 1.0)) {
    return Error{"usage.option", fmt::format("tube = {:g} is not from 0 to 1", *arguments.tube),
                 "it is a share of the range of each variable, for example 0.002"};
  }
  return arguments.report.empty() ? std::nullopt : check_report(arguments.report);
}

// Without the variables that are not to be compared.
std::optional<Error> choose(const std::string& globs, Table& reference, Table& other) {
  if (globs.empty()) return std::nullopt;
  const Selection selection(globs);
  std::vector<std::string> names;
  for (const solution::Variable& variable : reference.variables) names.push_back(variable.name);
  if (std::optional<Error> error = selection.check(names)) return error;
  for (Table* table : {&reference, &other}) {
    std::erase_if(table->variables, [&](const solution::Variable& variable) {
      return !selection.contains(variable.name);
    });
  }
  return std::nullopt;
}

// The worst first.
std::vector<Deviation> outside(const Comparison& comparison) {
  std::vector<Deviation> found;
  std::ranges::copy_if(comparison.variables, std::back_inserter(found),
                       [](const Deviation& deviation) { return !deviation.is_inside(); });
  std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::largest);
  return found;
}

std::string text_of(const Deviation& deviation) {
  return fmt::format(
      "`{}` leaves the tube at t = {:.6g} s, and is {:.3g} of its range off at t = {:.6g} s",
      deviation.name, *deviation.leaves, deviation.largest, deviation.at);
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : ", ", names[i]);
  return names.size() <= most ? text : fmt::format("{} and {} more", text, names.size() - most);
}

void print_comparison(const Arguments& arguments, const Comparison& comparison, double tube) {
  const std::vector<Deviation> differing = outside(comparison);
  say("{} and {}: {} compared from t = {:g} to {:g} s, tube {:g}\n", arguments.reference,
      arguments.other, counted(comparison.variables.size(), "variable"), comparison.start,
      comparison.stop, tube);
  say("  {} inside the tube, {} not\n", comparison.variables.size() - differing.size(),
      differing.size());
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(differing.size(), most); ++i)
    say("  {}\n", text_of(differing[i]));
  if (differing.size() > most) say("  and {} more (--json lists all)\n", differing.size() - most);
  if (!comparison.ends_together()) {
    say("  {} ends at t = {:.10g} s, {} at t = {:.10g} s\n", arguments.reference,
        comparison.first_stop, arguments.other, comparison.second_stop);
  }
  const auto [fewer, more] = std::minmax(comparison.first_points, comparison.second_points);
  if (!differing.empty() && more > 2 * fewer) {
    say("  one has {} points in that time, the other {}: what lies between points is not known\n",
        fewer, more);
  }
  if (!comparison.only_in_first.empty())
    say("  only in {}: {}\n", arguments.reference, some_of(comparison.only_in_first));
  if (!comparison.only_in_second.empty())
    say("  only in {}: {}\n", arguments.other, some_of(comparison.only_in_second));
}

Json comparison_json(const Arguments& arguments, const Comparison& comparison, double tube) {
  Json variables = Json::array();
  for (const Deviation& deviation : comparison.variables) {
    Json variable = {{"name", deviation.name},
                     {"inside", deviation.is_inside()},
                     {"largest", deviation.largest},
                     {"at", deviation.at}};
    if (deviation.leaves) variable["leaves"] = *deviation.leaves;
    variables.push_back(std::move(variable));
  }
  return {{"reference", arguments.reference},
          {"other", arguments.other},
          {"tube", tube},
          {"agrees", comparison.agrees()},
          {"start", comparison.start},
          {"stop", comparison.stop},
          {"reference_stop", comparison.first_stop},
          {"other_stop", comparison.second_stop},
          {"variables", std::move(variables)},
          {"only_in_reference", comparison.only_in_first},
          {"only_in_other", comparison.only_in_second}};
}

int run(const Arguments& arguments) {
  const bool json = arguments.json;
  const double tube = arguments.tube.value_or(default_tube);
  if (const std::optional<Error> error = check(arguments)) return report_error(*error, json);
  Result<Table> reference = report::read_results(arguments.reference);
  if (!reference) return report_error(reference.error(), json);
  Result<Table> other = report::read_results(arguments.other);
  if (!other) return report_error(other.error(), json);
  if (const auto error = choose(arguments.variables, *reference, *other))
    return report_error(*error, json);
  const Comparison comparison = report::compare(*reference, *other, tube);
  if (comparison.stop < comparison.start || comparison.variables.empty()) {
    return report_error(
        {"report.nothing-in-common",
         fmt::format("`{}` and `{}` have no {} in common", arguments.reference, arguments.other,
                     comparison.variables.empty() ? "variable" : "time")},
        json);
  }
  if (!arguments.report.empty()) {
    const Result<std::size_t> written =
        report::write_comparison_html(arguments.report,
                                      {.reference = arguments.reference,
                                       .other = arguments.other,
                                       .tube = tube,
                                       .version = DAEDALUS_VERSION,
                                       .command = arguments.command_line},
                                      *reference, *other, comparison);
    if (!written) return report_error(written.error(), json);
  }
  if (json) {
    print_json(comparison_json(arguments, comparison, tube));
  } else {
    print_comparison(arguments, comparison, tube);
    if (!arguments.report.empty()) say("  wrote   {}\n", arguments.report);
  }
  return comparison.agrees() ? success : model_error;
}

}  // namespace

void add_compare(CLI::App& program, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand("compare", "say where two result files differ");
  command
      ->add_option("REFERENCE", arguments->reference,
                   "result file: .csv, .mat, .h5, .jsonl or .json")
      ->required();
  command->add_option("OTHER", arguments->other, "the one that is compared with it")->required();
  add_number(*command, "--tube", arguments->tube,
             "what does not count, as a share of the range of each variable and of the time "
             "(default: 0.002)");
  add_text(*command, "--variables", arguments->variables,
           "names to compare, e.g. 'u*,R1.i' (default: all that both have)", "GLOB,...");
  add_text(*command, "--report", arguments->report,
           "HTML page with both curves of the variables that differ most", "FILE");
  command->add_flag("--json", arguments->json, "print one JSON object on stdout and nothing else");
  command->callback([arguments, command, &exit_code] {
    arguments->command_line = command_line_of(*command);
    exit_code = run(*arguments);
  });
}

}  // namespace daedalus::cli
