#include "integrate/generated/generated_diagonal.hpp"

#include <utility>

namespace daedalus::integrate {
namespace {

DiagonalRoom room_in(GeneratedStep& step, std::size_t stages, std::size_t n) {
  const StepPlaces& at = step.places();
  const std::size_t all = stages * stride(n);
  return {.stages = step.values(at.stages, all),
          .last_stages = step.values(step.places_of<IterationPlaces>().last_stages, all),
          .begin = step.vector(at.y),
          .result = step.vector(at.result),
          .f0 = step.vector(at.f0),
          .f1 = step.vector(at.f1),
          .error = step.vector(at.error_vector)};
}

}  // namespace

GeneratedDiagonal::GeneratedDiagonal(std::shared_ptr<const DiagonalCoefficients> coefficients,
                                     const system::System& system, const StepCode& code,
                                     const ErrorNorm& norm, NewtonLimits limits,
                                     Estimation estimation)
    : coefficients_(std::move(coefficients)),
      step_(code, estimation, norm),
      iteration_(step_, limits),
      library_(coefficients_, system, limits, estimation,
               room_in(step_, coefficients_->stages, system.size())) {}

Evaluation GeneratedDiagonal::start(double t, std::span<const double> y,
                                    std::span<const double> slope, Evaluator& evaluator) {
  iteration_.forget_rate();
  return library_.start(t, y, slope, evaluator);
}

Attempt GeneratedDiagonal::attempt(double t, double h, std::span<const double> y,
                                   Evaluator& evaluator, ErrorNorm& norm) {
  const std::optional<solution::JacobianCause> wanted = library_.freshness().wanted();
  std::optional<Attempt> attempt = take_step(t, h, y, evaluator.statistics);
  is_generated_ = attempt.has_value();
  if (!attempt) {
    return iteration_.hand_back(library_.freshness(), wanted, y, evaluator, norm,
                                [&] { return library_.attempt(t, h, y, evaluator, norm); });
  }
  library_.judge_inside(h, y, norm, *attempt);
  return *attempt;
}

// None: the code could not take it.
std::optional<Attempt> GeneratedDiagonal::take_step(double t, double h, std::span<const double> y,
                                                    solution::Statistics& statistics) {
  if (iteration_.plan(library_.freshness(), h, statistics).jacobian) iteration_.forget_rate();
  const IterationPlaces& at = iteration_.places();
  const std::size_t s = coefficients_->stages;
  for (std::size_t i = 0; i < s; ++i) {
    if (coefficients_->solver[i] == DiagonalCoefficients::none) continue;
    library_.predictor_weights(i, h, step_.values(at.extrapolation + i * 2 * s, 2 * s));
  }
  if (coefficients_->two_step) {
    library_.two_step_weights(h, step_.values(at.last_weights, s), step_.values(at.weights, s));
  }
  const std::optional<Attempt> attempt =
      iteration_.judge(library_.freshness(), [&] { run(t, h, y, statistics); });
  library_.took({.iterations = iteration_.iterations(), .rate = iteration_.rate()});
  return attempt;
}

void GeneratedDiagonal::run(double t, double h, std::span<const double> y,
                            solution::Statistics& statistics) {
  step_.run(t, h, y);
  const std::size_t iterations = iteration_.all_iterations();
  statistics.newton_iterations += iterations;
  statistics.linear_solves += iterations + (library_.filters_error() ? 1 : 0);
  statistics.f_evals += iterations + (coefficients_->is_stiffly_accurate ? 0 : 1);
}

void GeneratedDiagonal::accept(double h) {
  iteration_.accept();
  library_.accept(h);
}

void GeneratedDiagonal::prepare_interpolation(double t, double h, std::span<const double> y,
                                              Evaluator& evaluator) {
  if (is_generated_) library_.take_jacobian(h, iteration_.jacobian());
  library_.prepare_interpolation(t, h, y, evaluator);
}

}  // namespace daedalus::integrate
