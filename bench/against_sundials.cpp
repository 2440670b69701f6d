// Work and precision: our methods and SUNDIALS on the small built-in problems, in one run. Prints
// the time that each takes to reach 4, 6 and 8 digits, and how often SUNDIALS breaks the rule for
// our methods that a tighter tolerance must not give a larger error; with the argument `tightening`
// only the latter.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>

#include "problem_curve.hpp"
#include "work_precision/rules.hpp"

namespace bench {
namespace {

using daedalus::problems::Kind;
using daedalus::problems::Problem;

constexpr std::size_t largest = 30;  // equations; the larger problems measure linear algebra

std::vector<Solver> all_solvers() {
  std::vector<Solver> solvers;
  const auto add = [&](const char* method, Kind kind) {
    solvers.push_back(our_solver(method, kind));
  };
  for (const char* method : {"radau", "radau5", "rodas4", "rodas5p", "esdirk5"}) {
    add(method, Kind::Stiff);
  }
  for (const char* method : {"dopri5", "tsit5", "verner65", "dop853"}) add(method, Kind::NonStiff);
  for (Solver& solver : sundials_solvers()) solvers.push_back(std::move(solver));
  return solvers;
}

using Times = std::map<std::string, std::array<std::optional<double>, digits_wanted.size()>>;

Times measure_all(const std::vector<Solver>& solvers, const Problem& problem) {
  Times times;
  for (const Solver& solver : solvers) {
    if (solver.kind != problem.kind) continue;
    const std::vector<Point> points = curve(solver, problem, {});
    for (std::size_t d = 0; d < digits_wanted.size(); ++d) {
      times[solver.name][d] = time_to(digits_wanted[d], points);
    }
  }
  return times;
}

std::string cell(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.0f}", 1e6 * *seconds) : "-";
}

void print_table(Kind kind, const std::vector<Solver>& solvers) {
  std::vector<std::string> names;
  for (const Solver& solver : solvers) {
    if (solver.kind == kind) names.push_back(solver.name);
  }
  fmt::print("\nMicroseconds to reach 4 / 6 / 8 digits, {} problems\n\n| problem | {} |\n|---|",
             daedalus::problems::kind_name(kind), fmt::join(names, " | "));
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("---|");
  fmt::print("\n");
  std::map<std::string, std::array<std::vector<double>, digits_wanted.size()>> ratios;
  for (const Problem& problem : daedalus::problems::problems()) {
    if (problem.kind != kind || problem.size() > largest) continue;
    const Times times = measure_all(solvers, problem);
    fmt::print("| {} |", problem.name);
    for (const std::string& name : names) {
      const auto& row = times.at(name);
      fmt::print(" {} / {} / {} |", cell(row[0]), cell(row[1]), cell(row[2]));
      for (std::size_t d = 0; d < row.size(); ++d) {
        const auto& first = times.at(kind == Kind::Stiff ? "cvode-bdf" : "arkode-erk8")[d];
        if (row[d] && first) ratios[name][d].push_back(*row[d] / *first);
      }
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  fmt::print("| geometric mean of the time over that of {} |",
             kind == Kind::Stiff ? "cvode-bdf" : "arkode-erk8");
  for (const std::string& name : names) {
    std::vector<std::string> means;
    for (const std::vector<double>& all : ratios[name]) {
      means.push_back(all.empty() ? "-" : fmt::format("{:.2f}", geometric_mean(all)));
    }
    fmt::print(" {} |", fmt::join(means, " / "));
  }
  fmt::print("\n");
}

// In the way `./dev bench table` runs our methods.
std::vector<daedalus::bench::Run> tightening_runs(const Solver& solver) {
  std::vector<daedalus::bench::Run> runs;
  for (const Problem& problem : daedalus::problems::problems()) {
    if (problem.kind != solver.kind) continue;
    for (const double fixed_atol : {0.0, 1e-6, 1e-9}) {
      for (int asked = 3; asked <= 10; ++asked) {
        const double rtol = std::pow(10.0, -asked);
        const double atol = (fixed_atol > 0.0 ? fixed_atol : rtol) * problem.scale;
        const Run run = solver.solve(problem, rtol, atol);
        runs.push_back({.method = solver.name,
                        .problem = &problem,
                        .asked = static_cast<double>(asked),
                        .fixed_atol = fixed_atol,
                        .reason = run.finished ? "" : "failed",
                        .order = 0,
                        .digits = daedalus::problems::accuracy(problem, run.y, atol).mescd,
                        .in_tolerances = daedalus::bench::in_tolerances(problem, run.y, rtol, atol),
                        .work = {}});
      }
    }
  }
  return runs;
}

void print_tightening() {
  fmt::print("\nA tolerance a hundred times tighter with a larger error\n\n");
  fmt::print("| solver | pairs | larger | ten times larger |\n|---|---|---|---|\n");
  for (const Solver& solver : sundials_solvers()) {
    for (const auto& found : daedalus::bench::tightenings(tightening_runs(solver))) {
      fmt::print(
          "| {} | {} | {:.1f} % | {:.1f} % |\n", solver.name, found.pairs,
          100.0 * static_cast<double>(found.worse) / static_cast<double>(found.pairs),
          100.0 * static_cast<double>(found.far_worse.size()) / static_cast<double>(found.pairs));
    }
  }
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  if (count == 2 && std::string_view(words[1]) == "tightening") {
    bench::print_tightening();
    return 0;
  }
  const std::vector<bench::Solver> solvers = bench::all_solvers();
  bench::print_table(daedalus::problems::Kind::Stiff, solvers);
  bench::print_table(daedalus::problems::Kind::NonStiff, solvers);
  bench::print_tightening();
}
