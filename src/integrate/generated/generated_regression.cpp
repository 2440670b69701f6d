#include "integrate/generated/generated_regression.hpp"

#include <algorithm>

namespace daedalus::integrate {

GeneratedRegression::GeneratedRegression(const RegressionSetup& setup, const system::System& system,
                                         const StepCode& code, const ErrorNorm& norm)
    : step_(code, Estimation::Off, norm),
      iteration_(step_, setup.limits),
      library_(setup, system),
      last_values_(step_.model_values().size()) {
  keep_values();
}

void GeneratedRegression::keep_values() {
  std::ranges::copy(step_.model_values(), last_values_.begin());
}

// A failed attempt may have left the model's loops near other solutions than those of the motion.
void GeneratedRegression::restore_values() {
  std::ranges::copy(last_values_, step_.model_values().begin());
}

void GeneratedRegression::take_values(const Evaluator& evaluator, Taken what) {
  iteration_.take_values(evaluator, what);
  keep_values();
}

Attempt GeneratedRegression::attempt(double t, double h, std::span<const double> y,
                                     Evaluator& evaluator, ErrorNorm& norm) {
  if (const auto start_up = library_.attempt_start_up(t, h, y, evaluator, norm)) {
    iteration_.take_back(evaluator, *start_up);
    return *start_up;
  }
  Freshness& freshness = library_.freshness();
  const std::optional<solution::JacobianCause> wanted = freshness.wanted();
  if (const auto attempt = take_step(t, h, evaluator.statistics, norm)) return *attempt;
  library_.predict(h);
  restore_values();
  return iteration_.hand_back(freshness, wanted, y, evaluator, norm, [&] {
    library_.forget_factors();
    return library_.attempt_formula(t, h, evaluator, norm);
  });
}

// None: the code could not take it.
std::optional<Attempt> GeneratedRegression::take_step(double t, double h,
                                                      solution::Statistics& statistics,
                                                      const ErrorNorm& norm) {
  const double over = library_.length(h);
  if (iteration_.plan(library_.freshness(), over, statistics).jacobian) iteration_.forget_rate();
  const IterationPlaces& at = iteration_.places();
  std::ranges::copy(library_.slope(), step_.vector(at.last_stages).begin());  // predicted
  step_[at.extrapolation] = 0.0;
  step_[at.extrapolation + 1] = 1.0;
  std::optional<Attempt> attempt = iteration_.judge(library_.freshness(), [&] {
    step_.run(t + h - over, over, library_.base());
    const std::size_t iterations = iteration_.all_iterations();
    statistics.newton_iterations += iterations;
    statistics.linear_solves += iterations;
    statistics.f_evals += iterations;
  });
  if (!attempt) return std::nullopt;
  if (attempt->failure != Rejection::None) {
    if (attempt->jacobian_was_old) attempt->step_factor = 1.0;
    return attempt;
  }
  const std::span<double> end = library_.end(), slope = library_.slope();
  const std::span<const double> base = library_.base();
  std::ranges::copy(step_.result(), end.begin());
  for (std::size_t k = 0; k < end.size(); ++k) slope[k] = (end[k] - base[k]) / over;
  return library_.judge(h, {.iterations = iteration_.iterations(), .rate = iteration_.rate()},
                        norm);
}

void GeneratedRegression::accept(double h) {
  keep_values();
  library_.accept(h);
  if (library_.is_formula_step() || library_.phase() == Phase::Start) return;
  // The start-up is over. Its Jacobian is the library's, the code needs one of its own.
  iteration_.forget_rate();
  library_.freshness().forget(library_.start_cause());
}

void GeneratedRegression::reject(Rejection why) {
  if (library_.is_formula_step()) restore_values();
  library_.reject(why);
}

}  // namespace daedalus::integrate
