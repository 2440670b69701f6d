#include "integrate/generated/generated_explicit.hpp"

#include <utility>

namespace daedalus::integrate {
namespace {

ExplicitRoom room_in(GeneratedStep& step, const ExplicitCoefficients& coefficients, std::size_t n) {
  const StepPlaces& at = step.places();
  const std::size_t stages = std::max(coefficients.dense_stages, coefficients.end_stage + 1);
  return {.stages = step.values(at.stages, stages * stride(n)),
          .begin = step.vector(at.y),
          .result = step.vector(at.result),
          .error = step.vector(at.error_vector),
          .earlier_end = step.vector(step.places_of<ExplicitPlaces>().earlier_end)};
}

}  // namespace

GeneratedExplicit::GeneratedExplicit(std::shared_ptr<const ExplicitCoefficients> coefficients,
                                     std::size_t n, const StepCode& code, const ErrorNorm& norm,
                                     Estimation estimation)
    : coefficients_(std::move(coefficients)),
      step_(code, estimation, norm),
      places_(step_.places_of<ExplicitPlaces>()),
      library_(coefficients_, n, estimation, room_in(step_, *coefficients_, n)) {}

Evaluation GeneratedExplicit::start(double t, std::span<const double> y,
                                    std::span<const double> slope, Evaluator& evaluator) {
  begin_is_new() = 0.0;
  return library_.start(t, y, slope, evaluator);
}

// The code of a step evaluates f at the start if it has to.
bool GeneratedExplicit::restart_later() {
  library_.forget_stiffness();
  begin_is_new() = 1.0;
  return true;
}

Attempt GeneratedExplicit::attempt(double t, double h, std::span<const double> y,
                                   Evaluator& evaluator, ErrorNorm& norm) {
  step_.run(t, h, y);
  if (!step_.is_sound()) return hand_back(t, h, y, evaluator, norm);
  const bool has_begin = std::exchange(begin_is_new(), 0.0) != 0.0;
  const bool has_end = !coefficients_->first_same_as_last && step_.error() <= 1.0;
  evaluator.statistics.f_evals +=
      coefficients_->stages - 1 + (has_begin ? 1 : 0) + (has_end ? 1 : 0);
  Attempt attempt{.error = step_.error(), .worst = step_.worst()};
  if (attempt.rejection() == Rejection::None) library_.test_stiffness(h, attempt);
  return attempt;
}

Attempt GeneratedExplicit::hand_back(double t, double h, std::span<const double> y,
                                     Evaluator& evaluator, ErrorNorm& norm) {
  ++evaluator.statistics.handed_back;
  if (begin_is_new() != 0.0 && start(t, y, {}, evaluator) == Evaluation::Undefined)
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  const Attempt attempt = library_.attempt(t, h, y, evaluator, norm);
  step_.take_back(evaluator, attempt);
  return attempt;
}

}  // namespace daedalus::integrate
