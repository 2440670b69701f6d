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
The error is the largest of x1 at the communication points, every 0.05 until t = 5, against the exact
solution. `program of the thesis` is that of chapter 4 and appendix B, replayed: fixed coefficients,
the past rescaled when the step changes, which it may after n + 1 steps. `ours` are the same formulas
on uneven steps at the same relative tolerance, in the same norm (the largest component).

MATLAB's operation counts belong to one implementation and cannot be compared digit by digit; what
they claim can. docs/reproductions.md says what of it holds.
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
