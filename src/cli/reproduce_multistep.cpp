// The reproductions of multistep methods.
#include <fmt/format.h>

#include "cli/reproductions.hpp"
#include "daedalus/reproduce/gear.hpp"
#include "daedalus/reproduce/modrio.hpp"

namespace daedalus::cli {
namespace {

using reproduce::GearFigures;
using reproduce::GearRow;
using reproduce::StartRun;

Json figures_json(const GearFigures& figures) {
  return {{"error", figures.error},
          {"f5", figures.f5},
          {"f6", figures.f6},
          {"f7", figures.f7},
          {"f8", figures.f8},
          {"steps", figures.steps},
          {"evaluations", figures.evaluations},
          {"jacobians", figures.jacobians}};
}

std::string figures_text(const GearFigures& figures) {
  return fmt::format("{:>8.1e} {:>8.1e} {:>8.1e} {:>8.1e} {:>8.1e} {:>5} {:>5} {:>4}",
                     figures.error, figures.f5, figures.f6, figures.f7, figures.f8, figures.steps,
                     figures.evaluations, figures.jacobians);
}

constexpr const char* gear_explanation = R"(
`error` is the largest error of y1 to y4; F5 is y5 + y1 y6, the integral of the fifth equation, and
F6 to F8 are what is left of the algebraic equations. The second line of each pair is ours: `bdf`
with rtol = atol = {} eps, because eps is compared with another norm there. v1 and v2 enter
linearly and are neither predicted nor error-controlled.

Errors, evaluations and F5 to F8 are those of the table or less in every row, but for what the table
has below 4e-13. We take more steps, as the tolerance is so much tighter, with two corrections or
three each where the table has about four evaluations, and a new Jacobian with each factorisation,
about as often as there.
)";

constexpr const char* modrio_explanation = R"(
The report names neither the problem nor the tolerance of its figure. These runs: `bdf`, y' = -1000
(y - cos t) - sin t from y(0) = 1 to t = {:g} at rtol = {:.0e}. The plateau is the median step of the
second half; it is reached by the first step that is at least half as long. Runge-Kutta steps are
counted as steps.
)";

}  // namespace

Json gear_json() {
  Json rows = Json::array();
  for (const GearRow& row : reproduce::gear_1()) {
    rows.push_back({{"time", row.time},
                    {"epsilon", row.epsilon},
                    {"published", figures_json(row.published)},
                    {"ours", figures_json(row.ours)}});
  }
  return {
      {"method", "bdf"}, {"tolerance_factor", reproduce::gear_tolerance_factor}, {"rows", rows}};
}

void print_gear() {
  fmt::print("{:<5} {:>5} {:<9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>5} {:>5} {:>4}\n", "t", "eps", "",
             "error", "F5", "F6", "F7", "F8", "steps", "evals", "Jac");
  for (const GearRow& row : reproduce::gear_1()) {
    fmt::print("{:<5g} {:>5.0e} {:<9} {}\n", row.time, row.epsilon, "published",
               figures_text(row.published));
    fmt::print("{:<5} {:>5} {:<9} {}\n", "", "", "ours", figures_text(row.ours));
  }
  fmt::print(fmt::runtime(gear_explanation), reproduce::gear_tolerance_factor);
}

Json modrio_json() {
  Json runs = Json::array();
  for (const StartRun& run : reproduce::modrio_25()) {
    Json steps = Json::array();
    for (const solution::StepRecord& step : run.steps)
      steps.push_back({{"t", step.t}, {"h", step.h}});
    runs.push_back({{"start", run.start},
                    {"steps", run.steps.size()},
                    {"plateau", run.plateau},
                    {"steps_to_plateau", run.steps_before},
                    {"time_to_plateau", run.time_before},
                    {"evaluations", run.evaluations},
                    {"error_in_rtol", run.error},
                    {"step_sizes", std::move(steps)}});
  }
  return {{"method", "bdf"}, {"rtol", reproduce::modrio_25_rtol}, {"runs", std::move(runs)}};
}

void print_modrio() {
  fmt::print("{:<26} {:>8} {:>16} {:>15} {:>6} {:>6} {:>12}\n", "started", "plateau",
             "steps before it", "time before it", "steps", "evals", "error / rtol");
  for (const StartRun& run : reproduce::modrio_25()) {
    fmt::print("{:<26} {:>8.2e} {:>16} {:>15.2e} {:>6} {:>6} {:>12.2f}\n", run.start, run.plateau,
               run.steps_before, run.time_before, run.steps.size(), run.evaluations, run.error);
  }
  fmt::print(fmt::runtime(modrio_explanation), reproduce::modrio_25_stop,
             reproduce::modrio_25_rtol);
}

std::string modrio_drawing() { return reproduce::step_size_svg(reproduce::modrio_25()); }

}  // namespace daedalus::cli
