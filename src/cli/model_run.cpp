#include "cli/model_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace daedalus::cli {
namespace {

std::atomic<bool> stop_asked = false;
std::atomic<int> stop_signal = 0;

// The first signal ends the run at a step's end, the second one at once.
void on_signal(int number) {
  stop_signal = number;
  if (stop_asked.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

void add_integration_options(CLI::App& command, engine::Options& options) {
  add_number(command, "--rtol", options.rtol,
             "relative tolerance (default: the experiment's, or 1e-6)");
  add_number(command, "--atol", options.atol,
             "absolute tolerance, times each variable's nominal "
             "(default: rtol times nominal, or rtol / 1000 without a nominal)");
  add_text(command, "--method", options.method, "integration method, see `daedalus methods`",
           "NAME")
      ->capture_default_str();
  add_error_control(command, options.norm, options.controller);
  add_number(command, "--step", options.step,
             "fixed step in s, without error control (default: steps by the error estimate)");
  add_number(command, "--max-step", options.max_step, "longest step in s (default: unlimited)");
  add_count(command, "--max-steps", options.max_steps,
            "give up after this many steps (default: 1000000)");
}

const std::atomic<bool>* stop_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, on_signal);
  return &stop_asked;
}

void print_run_warnings(const engine::Model& model, const solution::Solution& solution) {
  for (const std::string& warning : solution.warnings) {
    if (std::ranges::find(model.warnings, warning) == model.warnings.end()) {
      fmt::print(stderr, "daedalus: warning: {}\n", warning);
    }
  }
}

int exit_code_of(const solution::Outcome& outcome) {
  if (outcome.reason == solution::Reason::Interrupted) return signalled + stop_signal;
  return outcome.status == solution::Status::Failed ? model_error : success;
}

void report_outcome(const engine::Model& model, const solution::Outcome& outcome) {
  if (outcome.reason == solution::Reason::None) return;
  if (outcome.reason == solution::Reason::Interrupted) {
    fmt::print(stderr, "daedalus: interrupted: results until t = {:g} s\n", outcome.time);
    return;
  }
  const std::string reason(solution::reason_name(outcome.reason));
  if (outcome.span) {
    const Diagnostic diagnostic{.code = reason,
                                .span = *outcome.span,
                                .message = outcome.message,
                                .related = outcome.details,
                                .hint = outcome.hint};
    fmt::print(stderr, "{}", render(diagnostic, model.sources, stderr_colour()));
    return;
  }
  fmt::print(stderr, "daedalus: error: {}: {} [{}]\n", model.sources.path(model.source),
             outcome.message, reason);
  if (!outcome.hint.empty()) fmt::print(stderr, "  hint: {}\n", outcome.hint);
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
