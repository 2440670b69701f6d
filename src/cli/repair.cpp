// daedalus repair: repairs result files of runs that were cut off.
#include "daedalus/report/repair.hpp"

#include "cli/command.hpp"

namespace daedalus::cli {
namespace {

struct Arguments {
  std::string file;
  bool json = false;
};

int run(const Arguments& arguments) {
  const Result<report::Repaired> repaired = report::repair_results(arguments.file);
  if (!repaired) return report_error(repaired.error(), arguments.json);
  if (arguments.json) {
    print_json({{"status", "finished"},
                {"file", arguments.file},
                {"rows", repaired->rows},
                {"t_end", repaired->last_time},
                {"bytes_cut", repaired->bytes_cut}});
    return success;
  }
  say("{}: {} until t = {:.10g} s", arguments.file, counted(repaired->rows, "row"),
      repaired->last_time);
  if (repaired->bytes_cut > 0) say("; cut off {}", counted(repaired->bytes_cut, "byte"));
  say("\n");
  return success;
}

}  // namespace

void add_repair(CLI::App& program, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command =
      program.add_subcommand("repair", "make the result file of a run that was cut off readable");
  command
      ->add_option("FILE", arguments->file,
                   "what the run left: FILE.csv.part, or one of .mat, .h5 or .jsonl")
      ->required();
  command->add_flag("--json", arguments->json, "print one JSON object on stdout and nothing else");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace daedalus::cli
