#include "cli/model_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/signals.hpp"

namespace daedalus::cli {
void add_integration_options(CLI::App& command, engine::Options& options) {
  add_number(command, "--rtol", options.rtol,
             "relative tolerance (default: the experiment's, or 1e-6)");
  add_number(command, "--atol", options.atol,
             "absolute tolerance, times each variable's nominal "
             "(default: rtol times nominal, or rtol / 1000 without a nominal)");
  add_text(
      command, "--method", options.method,
      "integration method, see `daedalus methods`; names of other tools (ode45, DASSL, ...) are "
      "understood",
      "NAME")
      ->capture_default_str();
  add_numerics(command, options.norm, options.controller, options.linear_solver);
  add_number(command, "--step", options.step,
             "fixed step in s, without error control (default: steps by the error estimate)");
  add_number(command, "--max-step", options.max_step, "longest step in s (default: unlimited)");
  add_count(command, "--max-steps", options.max_steps,
            "give up after this many steps (default: 1000000)");
}

void print_run_warnings(const engine::Model& model, const solution::Solution& solution) {
  for (const std::string& warning : solution.warnings) {
    if (std::ranges::find(model.warnings, warning) == model.warnings.end()) {
      complain("daedalus: warning: {}\n", visible(warning));
    }
  }
}

int exit_code_of(const solution::Outcome& outcome) {
  if (outcome.reason == solution::Reason::Interrupted) return signalled + stopping_signal();
  return outcome.status == solution::Status::Failed ? model_error : success;
}

void report_outcome(const engine::Model& model, const solution::Solution& solution) {
  const solution::Outcome& outcome = solution.outcome;
  if (outcome.reason == solution::Reason::None) return;
  if (outcome.reason == solution::Reason::Interrupted) {
    const std::size_t rows = solution.table.rows();
    complain("daedalus: interrupted at t = {:.10g} s: {}\n", outcome.time,
             rows == 0 ? "no results"
                       : fmt::format("results until t = {:.10g} s", solution.table.time(rows - 1)));
    return;
  }
  const std::string reason(solution::reason_name(outcome.reason));
  if (outcome.span) {
    const Diagnostic diagnostic{.code = reason,
                                .span = *outcome.span,
                                .message = outcome.message,
                                .related = outcome.details,
                                .hint = outcome.hint};
    print_to_stderr(render(diagnostic, model.sources, stderr_colour()));
    return;
  }
  complain("daedalus: error: {}: {} [{}]\n", model.sources.path(model.source),
           visible(outcome.message), reason);
  if (!outcome.hint.empty()) complain("  hint: {}\n", outcome.hint);
}

void add_place(const engine::Model& model, const solution::Outcome& outcome, Json& object) {
  if (!outcome.span) return;
  object.update(place_json(model, *outcome.span));
  if (outcome.details.empty()) return;
  Json details = Json::array();
  for (const Label& label : outcome.details) {
    Json detail = place_json(model, label.span);
    detail["text"] = label.text;
    details.push_back(std::move(detail));
  }
  object["details"] = std::move(details);
}

Json place_json(const engine::Model& model, const Span& span) {
  const Place place = model.sources.place(span.source, span.begin);
  return {
      {"file", model.sources.path(span.source)}, {"line", place.line}, {"column", place.column}};
}

}  // namespace daedalus::cli
