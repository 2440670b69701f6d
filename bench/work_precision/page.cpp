#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::bench {
namespace {

using problems::Kind;

constexpr const char* head =
    R"(# Every method on every problem

Written by `./dev bench table`, which also writes all counts to `build-bench/work-precision.csv` and ends with an error where one
of the rules below is broken. The test `work_precision` checks them on a part of the runs.

Each method that chooses its steps solves each of `daedalus problems` at rtol 1e-3 to 1e-10 with atol = rtol * scale. Digits are
-log10 of the largest |error| / (scale + |reference|) at the end. A run may take 50,000 attempts, with more than 50 equations
400,000 / n; one that needs more says so and counts as refused. Of the multistep methods, those of one order (`bdf1` to `bdf6`) are left
out.

Checked, with bounds that were chosen after the runs had been seen, so that they notice a change for the worse:

- A run that finishes with less than half a digit is wrong, if on the same problem at the same rtol half of the methods that finish
  have a digit and a half. Otherwise the problem does not permit more. The wrong runs are listed below; all have a known fault.
- In the median over the problems, every method has at every rtol at most one digit less than the digits asked for times
  p / (p + 1), where p is its order (a step with the local error h^(p+1) = rtol leaves h^p at the end), and gains at least half a
  digit for each one asked for.
- A tolerance a hundred times tighter gives an error that is no larger in 95 % of the pairs of runs, and never one ten times larger; with
  multistep methods of one order, in 80 % and in at most 5 %. How often it does is shown below.

)";

std::vector<std::string> methods_of(const std::vector<Run>& runs) {
  std::vector<std::string> methods;
  for (const Run& run : runs) {
    if (std::ranges::find(methods, run.method) == methods.end()) methods.push_back(run.method);
  }
  return methods;
}

std::vector<double> asked_of(const std::vector<Run>& runs) {
  std::vector<double> asked;
  for (const Run& run : runs) {
    if (std::ranges::find(asked, run.asked) == asked.end()) asked.push_back(run.asked);
  }
  return asked;
}

std::string heading(const std::vector<double>& asked) {
  std::string text = "| method |";
  std::string line = "|---|";
  for (const double digits : asked) {
    text += fmt::format(" 1e-{} |", digits);
    line += "---|";
  }
  return text + "\n" + line + "\n";
}

// For every method and rtol: finished, refused, and the median of the digits minus those asked for.
std::string summary(const std::vector<Run>& runs) {
  const std::vector<double> asked = asked_of(runs);
  std::string text = heading(asked);
  for (const std::string& method : methods_of(runs)) {
    text += fmt::format("| `{}` |", method);
    for (const double digits : asked) {
      const auto counted = [&](bool finished) {
        return std::ranges::count_if(runs, [&](const Run& run) {
          return run.method == method && run.asked == digits && run.finished() == finished;
        });
      };
      text += fmt::format(" {} / {} {:+.1f} |", counted(true), counted(false),
                          median_surplus(runs, method, digits));
    }
    text += '\n';
  }
  return text + "\n";
}

std::vector<Run> of_kind(const std::vector<Run>& runs, Kind kind) {
  std::vector<Run> some;
  std::ranges::copy_if(runs, std::back_inserter(some),
                       [kind](const Run& run) { return run.problem->kind == kind; });
  return some;
}

std::string wrong_answers(const std::vector<Run>& runs) {
  std::string text = "| method | problem | rtol | digits | fault |\n|---|---|---|---|---|\n";
  for (const Run& run : wrong_runs(runs)) {
    const std::string fault = known_fault(run);
    text += fmt::format("| `{}` | `{}` | 1e-{} | {:.1f} | {} |\n", run.method, run.problem->name,
                        run.asked, run.digits, fault.empty() ? "not known" : fault);
  }
  return text + "\n";
}

std::string tightening_table(const std::vector<Run>& runs) {
  const std::vector<Tightening> found = tightenings(runs);
  std::string text =
      "| method | pairs | larger | allowed | ten times larger |\n|---|---|---|---|---|\n";
  std::string far_worse;
  for (const Tightening& method : found) {
    const double pairs = static_cast<double>(method.pairs);
    text += fmt::format("| `{}` | {} | {:.1f} % | {:.0f} % | {} |\n", method.method, method.pairs,
                        100.0 * static_cast<double>(method.worse) / pairs,
                        100.0 * tightening_limits(method.method).worse, method.far_worse.size());
    for (const std::string& sentence : method.far_worse)
      far_worse += fmt::format("- {}\n", sentence);
  }
  return text + "\nTen times larger:\n\n" + (far_worse.empty() ? "- none\n" : far_worse) + "\n";
}

std::string cell(const Run& run) {
  if (!run.finished()) return run.reason == "step-limit" ? "-" : run.reason;
  return fmt::format("{:.1f} {} {}", run.digits, run.work.steps, run.work.f_evals);
}

// One block of lines for every problem.
std::string details(const std::vector<Run>& runs) {
  std::string text;
  const problems::Problem* problem = nullptr;
  std::string method;
  for (const Run& run : runs) {
    if (run.problem != problem) {
      problem = run.problem;
      method.clear();
      text += fmt::format("{}### {}\n\n```\n", text.empty() ? "" : "\n```\n\n", problem->name);
    }
    if (run.method != method) {
      text += fmt::format("{}{:<18}", method.empty() ? "" : "\n", run.method);
      method = run.method;
    }
    text += fmt::format(" | {}", cell(run));
  }
  return text + "\n```\n";
}

}  // namespace

std::string page(const std::vector<Run>& runs, const std::vector<Run>& tightening) {
  std::string text = head;
  text += "## Wrong answers\n\n" + wrong_answers(runs);
  text +=
      "## Summary\n\nFinished / refused, and the median of the digits less those asked for.\n\n";
  text += "Stiff problems:\n\n" + summary(of_kind(runs, Kind::Stiff));
  text += "Other problems:\n\n" + summary(of_kind(runs, Kind::NonStiff));
  text +=
      "## Tighter tolerances\n\nPairs of finished runs at rtol and at rtol / 100, with atol = "
      "rtol * scale and with atol fixed at 1e-6 and\n1e-9 times the scale: how often the second "
      "has the "
      "larger error. Not counted are errors within the tolerance that was asked\nfor (times the "
      "root of the number of equations) and below what the reference can tell; left out are "
      "`lorenz`, `arenstorf`\nand `pleiades`, which multiply errors, and `e5-long`, where rounding "
      "errors decide. CVODE, by the same rule on the same problems\n(`./dev bench sundials`): "
      "docs/benchmarks.md.\n\n";
  text += tightening_table(tightening);
  text +=
      "## By problem\n\nDigits, steps and evaluations for rtol 1e-3 to 1e-10; - is too many "
      "steps.\n\n";
  return text + details(runs);
}

std::string csv(const std::vector<Run>& runs) {
  std::string text =
      "problem,n,kind,method,order,rtol,status,digits,steps,attempts,f_evals,jac_evals,"
      "factorizations,newton_iterations\n";
  for (const Run& run : runs) {
    const solution::Statistics& work = run.work;
    text += fmt::format("{},{},{},{},{},1e-{},{},{:.2f},{},{},{},{},{},{}\n", run.problem->name,
                        run.problem->size(), problems::kind_name(run.problem->kind), run.method,
                        run.order, run.asked, run.finished() ? "finished" : run.reason, run.digits,
                        work.steps, work.attempts, work.f_evals, work.jac_evals,
                        work.factorizations, work.newton_iterations);
  }
  return text;
}

}  // namespace daedalus::bench
