#include "cli/run_summary.hpp"

#include <fmt/format.h>

namespace daedalus::cli {

double seconds_of(const Phases& phases, std::string_view name) {
  double sum = 0.0;
  for (const Phase& phase : phases) sum += phase.name == name ? phase.seconds : 0.0;
  return sum;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  return seconds < 1.0 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

Json run_json(const solution::Solution& solution) {
  Json phases = Json::object();
  for (const Phase& phase : solution.phases) phases[phase.name] = phase.seconds;
  Json final_values = Json::object();
  const std::size_t rows = solution.table.rows();
  for (const solution::Variable& variable : solution.table.variables) {
    if (rows > 0) final_values[variable.name] = solution.table.value(variable, rows - 1);
  }
  const solution::Statistics& s = solution.statistics;
  Json object = {{"method", solution.method},
                 {"t_end", solution.outcome.time},
                 {"status", solution::status_name(solution.outcome.status)},
                 {"reason", solution::reason_name(solution.outcome.reason)},
                 {"message", solution.outcome.message},
                 {"steps", s.steps},
                 {"rejected", s.rejected()},
                 {"rejected_by",
                  {{"error", s.rejected_error},
                   {"newton", s.rejected_newton},
                   {"domain", s.rejected_domain},
                   {"singular", s.rejected_singular}}},
                 {"f_evals", s.f_evals},
                 {"jac_evals", s.jac_evals},
                 {"factorizations", s.factorizations},
                 {"newton_iterations", s.newton_iterations},
                 {"events", 0},
                 {"switches", Json::array()},
                 {"compile_s", seconds_of(solution.phases, "compile")},
                 {"solve_s", seconds_of(solution.phases, "initialise") +
                                 seconds_of(solution.phases, "integrate")},
                 {"phases_s", phases},
                 {"warnings", solution.warnings},
                 {"final", final_values}};
  if (!solution.outcome.hint.empty()) object["hint"] = solution.outcome.hint;
  return object;
}

}  // namespace daedalus::cli
