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
F6 to F8 are what is left of the algebraic equations. The second line of each group is `gear`, which
has the orders of the program in the paper, with rtol = atol = eps; the third is `bdf` with rtol =
atol = {} eps, because eps is compared with another norm there. v1 and v2 enter linearly and are
neither predicted nor error-controlled.

At eps itself we take fewer steps than the table in every row and less than half of its evaluations;
the errors are up to 20 times as large. With the tuned tolerance, errors, evaluations and F5 to F8
are those of the table or less in every row, but for what the table has below 4e-13; there we take
more steps, as the tolerance is so much tighter, with two corrections or three each where the table
has about four evaluations, and a new Jacobian with each factorisation, about as often as there.

Adams, t = 1000: published are "from 3 to 10 million equation evaluations". `adams` on the equations
of y1 to y4, which hold the stiffness, where eps hardly matters:
)";

constexpr const char* modrio_explanation = R"(
The report names neither the problem nor the tolerance of its figure. These runs: `bdf`, y' = -1000
(y - cos t) - sin t from y(0) = 1 to t = {:g}. The plateau is the median step of the second half; it
is reached by the first of five steps in a row that are at least half as long. Explicit Euler, DIRK
of order 3 (`dirk32`) and Radau IIA take up to five steps, until these grow no more. The last two
lines of each group are not in the figure: how `bdf` starts after events, and otherwise.
)";

constexpr const char* modrio_reason = R"(
The right step size is not there from the beginning at either tolerance: the first step is a guess,
and what comes after the start has the order of the start. Where order 3 suits the tolerance, the
implicit start saves two steps of three on the way to the plateau; where it does not, both starts
wait for higher orders, and the stability limit of explicit Euler costs no more than the low order.
)";

std::vector<const StartRun*> runs_of(const reproduce::StartComparison& one) {
  return {&one.euler, &one.implicit, &one.radau, &one.own};
}

Json start_json(const StartRun& run) {
  Json steps = Json::array();
  for (const solution::StepRecord& step : run.steps)
    steps.push_back({{"t", step.t}, {"h", step.h}});
  return {{"start", run.start},
          {"rtol", run.rtol},
          {"steps", run.steps.size()},
          {"plateau", run.plateau},
          {"steps_to_plateau", run.steps_before},
          {"time_to_plateau", run.time_before},
          {"evaluations", run.evaluations},
          {"error_in_rtol", run.error},
          {"step_sizes", std::move(steps)}};
}

std::string verdict(const reproduce::StartComparison& one) {
  return fmt::format(
      "rtol {:.0e}: with the implicit start the plateau comes {}\n"
      "            (t = {:.2g} after {} steps, with explicit Euler t = {:.2g} after {} steps)",
      one.rtol,
      one.is_from_the_start() ? "right at the beginning"
      : one.is_sooner()       ? "sooner, but not at the beginning"
                              : "no sooner",
      one.implicit.time_before, one.implicit.steps_before, one.euler.time_before,
      one.euler.steps_before);
}

// The figure as numbers.
void print_step_sizes(const std::vector<reproduce::StartComparison>& comparisons) {
  fmt::print("\nstep size at t\n{:>6}", "t");
  for (const reproduce::StartComparison& one : comparisons)
    fmt::print(" {:>14} {:>15}", fmt::format("Euler, {:.0e}", one.rtol),
               fmt::format("DIRK 3, {:.0e}", one.rtol));
  for (const double t : {5e-5, 5e-4, 5e-3, 0.05, 0.15, 0.5, 1.5, 5.0, 15.0}) {
    fmt::print("\n{:>6g}", t);
    for (const reproduce::StartComparison& one : comparisons)
      fmt::print(" {:>14.2e} {:>15.2e}", reproduce::step_size_at(one.euler, t),
                 reproduce::step_size_at(one.implicit, t));
  }
  fmt::print("\n\n");
}

}  // namespace

Json gear_json() {
  Json rows = Json::array();
  for (const GearRow& row : reproduce::gear_1()) {
    rows.push_back({{"time", row.time},
                    {"epsilon", row.epsilon},
                    {"published", figures_json(row.published)},
                    {"gear", figures_json(row.same)},
                    {"ours", figures_json(row.tuned)}});
  }
  Json adams = Json::array();
  for (const reproduce::GearAdams& run : reproduce::gear_adams()) {
    adams.push_back({{"epsilon", run.epsilon},
                     {"error", run.error},
                     {"steps", run.steps},
                     {"evaluations", run.evaluations}});
  }
  return {{"method", "bdf"},
          {"tolerance_factor", reproduce::gear_tolerance_factor},
          {"rows", rows},
          {"adams", {{"published_evaluations", {3e6, 10e6}}, {"runs", adams}}}};
}

void print_gear() {
  fmt::print("{:<5} {:>5} {:<9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>5} {:>5} {:>4}\n", "t", "eps", "",
             "error", "F5", "F6", "F7", "F8", "steps", "evals", "Jac");
  for (const GearRow& row : reproduce::gear_1()) {
    fmt::print("{:<5g} {:>5.0e} {:<9} {}\n", row.time, row.epsilon, "published",
               figures_text(row.published));
    fmt::print("{:<11} {:<9} {}\n", "", "gear", figures_text(row.same));
    fmt::print("{:<11} {:<9} {}\n", "", "bdf tuned", figures_text(row.tuned));
  }
  fmt::print(fmt::runtime(gear_explanation), reproduce::gear_tolerance_factor);
  for (const reproduce::GearAdams& run : reproduce::gear_adams()) {
    fmt::print("  eps {:.0e}: {:.2f} million evaluations in {:.2f} million steps, error {:.1e}\n",
               run.epsilon, 1e-6 * static_cast<double>(run.evaluations),
               1e-6 * static_cast<double>(run.steps), run.error);
  }
}

Json modrio_json() {
  Json runs = Json::array(), verdicts = Json::array();
  for (const reproduce::StartComparison& one : reproduce::modrio_25()) {
    for (const StartRun* const run : runs_of(one)) runs.push_back(start_json(*run));
    verdicts.push_back({{"rtol", one.rtol},
                        {"from_the_start", one.is_from_the_start()},
                        {"sooner", one.is_sooner()}});
  }
  return {{"method", "bdf"}, {"verdicts", std::move(verdicts)}, {"runs", std::move(runs)}};
}

void print_modrio() {
  const std::vector<reproduce::StartComparison> comparisons = reproduce::modrio_25();
  fmt::print("{:<5} {:<21} {:>8} {:>16} {:>15} {:>6} {:>6} {:>12}\n", "rtol", "started with",
             "plateau", "steps before it", "time before it", "steps", "evals", "error / rtol");
  for (const reproduce::StartComparison& one : comparisons) {
    for (const StartRun* const run : runs_of(one)) {
      fmt::print("{:<5.0e} {:<21} {:>8.2e} {:>16} {:>15.2e} {:>6} {:>6} {:>12.2f}\n", run->rtol,
                 run->start, run->plateau, run->steps_before, run->time_before, run->steps.size(),
                 run->evaluations, run->error);
    }
  }
  print_step_sizes(comparisons);
  for (const reproduce::StartComparison& one : comparisons) fmt::print("{}\n", verdict(one));
  fmt::print("{}", modrio_reason);
  fmt::print(fmt::runtime(modrio_explanation), reproduce::modrio_25_stop);
}

std::string modrio_drawing() { return reproduce::step_size_svg(reproduce::modrio_25()); }

}  // namespace daedalus::cli
