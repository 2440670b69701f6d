// Hermann's two systems, for `daedalus reproduce hermann-systems`.
#include <fmt/format.h>

#include "cli/reproductions.hpp"
#include "daedalus/reproduce/hermann.hpp"

namespace daedalus::cli {
namespace {

Json cost_json(const reproduce::HermannCost& cost) {
  return {{"finished", cost.finished},
          {"error", cost.error},
          {"steps", cost.steps},
          {"rejected", cost.rejected},
          {"f_evals", cost.f_evals},
          {"jac_evals", cost.jac_evals},
          {"factorizations", cost.factorizations}};
}

std::string group(const reproduce::HermannCost& cost) {
  return fmt::format("{:>5} {:>4} {:>5} {:>4} {:>7}", cost.steps, cost.rejected, cost.f_evals,
                     cost.factorizations,
                     cost.finished ? fmt::format("{:.1e}", cost.error) : "failed");
}

constexpr const char* hermann_explanation = R"(
f counts evaluations, LU factorisations. The error is the largest of x1 at the communication points,
0.05 apart, until t = 5 on system 1 and t = 100 on system 2, whose end the thesis does not state.
`program of the thesis` replays chapter 4 and the printed program of RBDF61 with every formula:
fixed coefficients, and a past that is rescaled when the step changes. With ten past values that
rescaling goes wrong and the steps shrink to nothing; the program of order 7 is not printed. `ours`
are the same formulas on uneven steps, at the same relative tolerance, in the norm of the thesis.

Operations were counted by MATLAB in one implementation. Ours takes less than half of the
evaluations of that program on system 1, and about as many for half of the error on system 2. That
RBDF66 needs 18 to 29 % less work than BDF6 and RBDF61 on system 1 shows neither in evaluations nor
in steps; nor does it show that RBDF71, unstable for -2.39 < h lambda < -0.58, beats RBDF713.
)";

}  // namespace

Json hermann_json() {
  Json rows = Json::array();
  for (const reproduce::HermannRow& row : reproduce::hermann_systems()) {
    rows.push_back({{"system", row.system},
                    {"problem", row.problem},
                    {"algorithm", row.algorithm},
                    {"method", row.method},
                    {"tolerance", row.tolerance},
                    {"published_operations", row.published_operations},
                    {"thesis", cost_json(row.thesis)},
                    {"ours", cost_json(row.ours)}});
  }
  return {{"rows", rows}};
}

void print_hermann() {
  const std::string heading =
      fmt::format("{:>5} {:>4} {:>5} {:>4} {:>7}", "steps", "rej.", "f", "LU", "error");
  constexpr const char* format = "{:<6} {:<8} {:>5}  {:>10}  {}  {}";
  print_line(fmt::format("{:<21}  {:>10}  {:^29}  {:^29}", "", "published", "program of the thesis",
                         "ours"));
  print_line(fmt::format(format, "system", "formula", "tol", "operations", heading, heading));
  for (const reproduce::HermannRow& row : reproduce::hermann_systems()) {
    print_line(fmt::format(format, row.system, row.algorithm, fmt::format("{:g}", row.tolerance),
                           row.published_operations, group(row.thesis), group(row.ours)));
  }
  fmt::print("{}", hermann_explanation);
}

}  // namespace daedalus::cli
