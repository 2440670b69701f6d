#include "problem_curve.hpp"

#include <cmath>
#include <optional>

#include "daedalus/system/function_system.hpp"

namespace bench {
namespace {

using daedalus::problems::Problem;

// Nothing for a run that did not finish.
std::optional<Point> measure(const Solver& solver, const Problem& problem, double rtol,
                             const Effort& effort) {
  const double atol = rtol * problem.scale;
  Run run;
  const auto solve = [&] {
    run = solver.solve(problem, rtol, atol);
    return run.finished;
  };
  const Times times = repeat(solve, effort.seconds_for_each, effort.too_long);
  if (!run.finished) return std::nullopt;
  return Point{daedalus::problems::accuracy(problem, run.y, atol).mescd, times.seconds};
}

}  // namespace

Solver our_solver(const std::string& method, daedalus::problems::Kind kind) {
  return {method, kind, [=](const Problem& problem, double rtol, double atol) {
            const daedalus::system::FunctionSystem system(problem.functions);
            return run_ours(method, {.system = system,
                                     .t0 = problem.t0,
                                     .t1 = problem.t1,
                                     .y0 = problem.y0,
                                     .rtol = rtol,
                                     .atol = atol});
          }};
}

std::vector<Point> curve(const Solver& solver, const Problem& problem, const Effort& effort) {
  std::vector<Point> points;
  for (int exponent = 3; exponent <= 10; ++exponent) {
    const std::optional<Point> point = measure(solver, problem, std::pow(10.0, -exponent), effort);
    if (point) points.push_back(*point);
    if (point && point->seconds > effort.too_long) break;
  }
  return points;
}

}  // namespace bench
