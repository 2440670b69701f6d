#include "runs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/methods/method.hpp"

namespace daedalus::bench {
namespace {

using problems::Problem;

constexpr std::size_t many_equations = 50;

std::size_t most_attempts(const Problem& problem) {
  return problem.size() > many_equations ? 400'000 / problem.size() : 50'000;
}

struct Silent final : solution::Recorder {
  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

Run run(const Problem& problem, const std::string& method, int asked, double fixed_atol) {
  const system::FunctionSystem system(problem.functions);
  const double rtol = std::pow(10.0, -asked);
  const double atol = (fixed_atol > 0.0 ? fixed_atol : rtol) * problem.scale;
  const auto integrator = integrate::make_integrator(method, system,
                                                     {.start = problem.t0,
                                                      .stop = problem.t1,
                                                      .rtol = rtol,
                                                      .atol = {atol},
                                                      .max_attempts = most_attempts(problem)});
  std::vector<double> y = problem.y0;
  Silent silent;
  const solution::Outcome outcome = integrator.value()->run(y, silent);
  return {.method = method,
          .problem = &problem,
          .asked = static_cast<double>(asked),
          .fixed_atol = fixed_atol,
          .reason = std::string(solution::reason_name(outcome.reason)),
          .order = methods::highest_order(methods::require_method(method).value()),
          .digits = problems::accuracy(problem, y, atol).mescd,
          .in_tolerances = in_tolerances(problem, y, rtol, atol),
          .work = integrator.value()->statistics()};
}

}  // namespace

double in_tolerances(const Problem& problem, std::span<const double> y, double rtol, double atol) {
  double largest = 0.0;
  for (std::size_t k = 0; k < problem.reference.values.size(); ++k) {
    const double value = problem.reference.values[k];
    const double error = std::abs(y[problem.reference.component(k)] - value);
    largest = std::max(largest, error / (atol + rtol * std::abs(value)));
  }
  return largest;
}

std::vector<std::string> adaptive_methods(Choice choice) {
  std::vector<std::string> names;
  for (const methods::Method& method : methods::all_methods()) {
    // One order of a family is for comparisons with others of that order; docs/regression-bdf.md
    // measures the regression formulas.
    const auto* const* multistep = std::get_if<const methods::Multistep*>(&method);
    const bool is_a_part =
        multistep != nullptr && (*multistep)->lowest_order == (*multistep)->highest_order;
    const bool is_regression = std::holds_alternative<const methods::Regression*>(method);
    const bool is_for_functions = !methods::needs_model(method);
    const bool is_usual = !is_a_part && !is_regression;
    if (methods::is_adaptive(method) && is_for_functions && (is_usual || choice == Choice::All))
      names.push_back(methods::name(method));
  }
  return names;
}

std::vector<Run> run_all(const std::vector<const Problem*>& problems,
                         std::span<const std::string> methods, std::span<const int> asked,
                         double fixed_atol) {
  const std::size_t each = methods.size() * asked.size();
  std::vector<Run> runs(problems.size() * each);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size(); i = next++) {
      const std::size_t rest = i % each;
      runs[i] = run(*problems[i / each], methods[rest / asked.size()], asked[rest % asked.size()],
                    fixed_atol);
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(work);
  }
  threads.clear();
  return runs;
}

}  // namespace daedalus::bench
