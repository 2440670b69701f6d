// daedalus problems: the built-in test problems, solved and compared with their references.
#include <fmt/format.h>

#include <cstdio>

#include "cli/command.hpp"
#include "cli/model_run.hpp"
#include "cli/run_summary.hpp"
#include "cli/signals.hpp"
#include "daedalus/problems/problem.hpp"

namespace daedalus::cli {
namespace {

using problems::Problem;
using solution::Solution;

struct Arguments {
  std::string name;
  std::string method = methods::default_method;
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
  integrate::Norm norm = integrate::Norm::Rms;
  integrate::Controller controller = integrate::Controller::Family;
  integrate::LinearSolver linear_solver = integrate::LinearSolver::Suitable;
  bool json = false;
};

struct Run {
  const Problem* problem = nullptr;
  std::vector<std::pair<std::string, std::string>> error_control = {};  // what is not the default
  double rtol = 0.0;
  double atol = 0.0;
  Solution solution;
  std::optional<problems::Accuracy> accuracy = {};  // of a run that reached the end
};

// The state in the last row of the table.
std::vector<double> final_state(const solution::Table& table) {
  std::vector<double> y;
  for (const solution::Variable& variable : table.variables) {
    y.push_back(table.value(variable, table.rows() - 1));
  }
  return y;
}

Result<Run> solve(const Problem& problem, const Arguments& arguments) {
  const double rtol = arguments.rtol.value_or(1e-6);
  const double atol = arguments.atol.value_or(rtol * problem.scale);
  Result<Solution> solution = engine::solve({.functions = problem.functions, .y0 = problem.y0},
                                            {.start = problem.t0,
                                             .stop = problem.t1,
                                             .rtol = rtol,
                                             .atol = atol,
                                             .intervals = 1,
                                             .method = arguments.method,
                                             .norm = arguments.norm,
                                             .controller = arguments.controller,
                                             .linear_solver = arguments.linear_solver,
                                             .interrupt = stop_on_signals()});
  if (!solution) return solution.error();
  Run run{&problem, chosen_numerics(arguments.norm, arguments.controller, arguments.linear_solver),
          rtol, atol, std::move(*solution)};
  if (run.solution.outcome.finished()) {
    run.accuracy = problems::accuracy(problem, final_state(run.solution.table), atol);
  }
  return run;
}

template <class Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json run_object(const Run& run) {
  const Problem& problem = *run.problem;
  Json reference = Json::object();
  for (std::size_t k = 0; k < problem.reference.values.size(); ++k) {
    const std::size_t i = problem.reference.component(k);
    reference[run.solution.table.variables[i].name] = problem.reference.values[k];
  }
  Json object = {{"problem", problem.name},  {"title", problem.title},
                 {"source", problem.source}, {"kind", problems::kind_name(problem.kind)},
                 {"n", problem.size()},      {"rtol", run.rtol},
                 {"atol", run.atol}};
  for (const auto& [option, choice] : run.error_control) object[option] = choice;
  object.update(run_json(run.solution));
  object["reference"] = reference;
  object["reference_digits"] = problem.reference.digits;
  const problems::Accuracy none;
  const bool known = run.accuracy.has_value();
  const problems::Accuracy& accuracy = known ? *run.accuracy : none;
  object["max_rel_error"] = number_or_null(accuracy.max_relative_error);
  object["scd"] = number_or_null(accuracy.scd);
  object["mescd"] = known ? Json(accuracy.mescd) : Json(nullptr);
  return object;
}

std::string or_dash(const std::optional<double>& number, const char* format) {
  return number ? fmt::format(fmt::runtime(format), *number) : "-";
}

constexpr const char* row_format =
    "{:<24} {:>5} {:>7} {:>8} {:>8} {:>6} {:>6} {:>9} {:>13} {:>5} {:>5} {}\n";

void print_heading() {
  fmt::print(row_format, "name", "n", "steps", "rejected", "f", "J", "LU", "time", "max rel error",
             "scd", "mescd", "status");
}

void print_row(const Run& run) {
  const solution::Statistics& s = run.solution.statistics;
  const solution::Outcome& outcome = run.solution.outcome;
  const problems::Accuracy accuracy = run.accuracy.value_or(problems::Accuracy{});
  const std::string why =
      outcome.finished() ? "" : fmt::format(" [{}]", solution::reason_name(outcome.reason));
  fmt::print(row_format, run.problem->name, run.problem->size(), s.steps, s.rejected(), s.f_evals,
             s.jac_evals, s.factorizations, duration(seconds_of(run.solution.phases, "integrate")),
             or_dash(accuracy.max_relative_error, "{:.1e}"), or_dash(accuracy.scd, "{:.1f}"),
             run.accuracy ? fmt::format("{:.1f}", accuracy.mescd) : "-",
             fmt::format("{}{}", solution::status_name(outcome.status), why));
  std::fflush(stdout);
}

void print_values(const Run& run) {
  const problems::Reference& reference = run.problem->reference;
  const std::vector<double> y = final_state(run.solution.table);
  const double t_end = run.solution.outcome.time;
  const bool finished = run.accuracy.has_value();
  fmt::print("  {:<12} {:>24} {:>24} {:>9}\n", fmt::format("at {:g}", t_end), "value", "reference",
             "error");
  for (std::size_t k = 0; k < reference.values.size(); ++k) {
    const std::size_t i = reference.component(k);
    fmt::print("  {:<12} {:>24.16g} {:>24.16g} {:>9}\n", run.solution.table.variables[i].name, y[i],
               reference.values[k],
               finished ? fmt::format("{:.1e}", y[i] - reference.values[k]) : "-");
  }
}

void print_detail(const Run& run) {
  const Problem& problem = *run.problem;
  const solution::Statistics& s = run.solution.statistics;
  const solution::Outcome& outcome = run.solution.outcome;
  fmt::print("{}: {}\n", problem.name, problem.title);
  fmt::print("  source  {}\n", problem.source);
  fmt::print("  problem {} equations, {}, {} Jacobian, t = {:g} to {:g}\n", problem.size(),
             problems::kind_name(problem.kind), problem.functions.pattern ? "sparse" : "dense",
             problem.t0, problem.t1);
  std::string options = fmt::format("rtol = {:g}, atol = {:g}", run.rtol, run.atol);
  for (const auto& [option, choice] : run.error_control) {
    options += fmt::format(", {} = {}", option, choice);
  }
  fmt::print("  run     {} with {}: {} at t = {:g} after {}\n", run.solution.method, options,
             solution::status_name(outcome.status), outcome.time,
             duration(seconds_of(run.solution.phases, "integrate")));
  fmt::print(
      "  work    {} steps, {} rejected, {} evaluations, {} Jacobians, {} factorisations, {} Newton "
      "iterations{}\n",
      s.steps, s.rejected(), s.f_evals, s.jac_evals, s.factorizations, s.newton_iterations,
      linear_iterations_text(s));
  if (!s.switches.empty()) fmt::print("  methods {}\n", methods_text(s.switches, ""));
  for (const std::string& line : effort_lines(run.solution, "")) fmt::print("  {}\n", line);
  if (run.accuracy) {
    fmt::print(
        "  digits  max relative error {}, scd {}, mescd {:.1f}; the reference holds {:.1f}\n",
        or_dash(run.accuracy->max_relative_error, "{:.2e}"), or_dash(run.accuracy->scd, "{:.1f}"),
        run.accuracy->mescd, problem.reference.digits);
  }
  print_values(run);
}

// A failed run goes to stderr with its reason.
int report_outcome(const Run& run) {
  const solution::Outcome& outcome = run.solution.outcome;
  if (outcome.finished()) return success;
  complain("daedalus: error: {}: {} [{}]\n", run.problem->name, outcome.message,
           solution::reason_name(outcome.reason));
  if (!outcome.hint.empty()) complain("  hint: {}\n", outcome.hint);
  return exit_code_of(outcome);
}

int run_one(const Arguments& arguments) {
  const Result<const Problem*> problem = problems::require_problem(arguments.name);
  if (!problem) return report_error(problem.error(), arguments.json);
  const Result<Run> run = solve(**problem, arguments);
  if (!run) return report_error(run.error(), arguments.json);
  if (arguments.json) {
    print_json(run_object(*run));
  } else {
    print_detail(*run);
  }
  return report_outcome(*run);
}

int run_all(const Arguments& arguments) {
  Json list = Json::array();
  int exit_code = success;
  if (!arguments.json) print_heading();
  for (const Problem& problem : problems::problems()) {
    const Result<Run> run = solve(problem, arguments);
    if (!run) return report_error(run.error(), arguments.json);
    if (arguments.json) {
      list.push_back(run_object(*run));
    } else {
      print_row(*run);
    }
    exit_code = std::max(exit_code, report_outcome(*run));
    if (run->solution.outcome.reason == solution::Reason::Interrupted) break;
  }
  if (arguments.json) print_json({{"method", arguments.method}, {"problems", list}});
  return exit_code;
}

}  // namespace

void add_problems(CLI::App& program, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand(
      "problems", "solve the built-in test problems and compare with their references");
  command->add_option("NAME", arguments->name, "solve one problem and show its values");
  command->add_option("--method", arguments->method, "integration method, see `daedalus methods`")
      ->capture_default_str();
  add_number(*command, "--rtol", arguments->rtol, "relative tolerance (default: 1e-6)");
  add_number(*command, "--atol", arguments->atol,
             "absolute tolerance (default: rtol times the problem's scale)");
  add_numerics(*command, arguments->norm, arguments->controller, arguments->linear_solver);
  command->add_flag("--json", arguments->json, "print one JSON object on stdout and nothing else");
  command->callback([arguments, &exit_code] {
    exit_code = arguments->name.empty() ? run_all(*arguments) : run_one(*arguments);
  });
}

}  // namespace daedalus::cli
