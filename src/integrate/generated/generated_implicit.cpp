#include "integrate/generated/generated_implicit.hpp"

#include <utility>

namespace daedalus::integrate {
namespace {

ImplicitRoom room_in(GeneratedStep& step, std::size_t stages, std::size_t n) {
  const StepPlaces& at = step.places();
  const auto& iteration = step.places_of<IterationPlaces>();
  return {.stages = step.values(at.stages, stages * n),
          .last_stages = step.values(iteration.last_stages, stages * n),
          .begin = step.vector(at.y),
          .result = step.vector(at.result),
          .f0 = step.vector(at.f0),
          .f1 = step.vector(at.f1),
          .error = step.vector(at.error_vector),
          .extrapolation = step.values(iteration.extrapolation, stages * stages)};
}

}  // namespace

GeneratedImplicit::GeneratedImplicit(std::shared_ptr<const ImplicitCoefficients> coefficients,
                                     const system::System& system, const Setup& setup,
                                     std::shared_ptr<Jacobian> jacobian)
    : coefficients_(std::move(coefficients)),
      estimates_(setup.estimation == Estimation::On),
      step_(setup.code, setup.estimation, setup.norm),
      iteration_(step_, setup.limits),
      library_(coefficients_, system, setup.limits, setup.estimation, std::move(jacobian),
               room_in(step_, coefficients_->stages, system.size())) {}

Evaluation GeneratedImplicit::start(double t, std::span<const double> y,
                                    std::span<const double> slope, Evaluator& evaluator) {
  iteration_.forget_rate();
  return library_.start(t, y, slope, evaluator);
}

Attempt GeneratedImplicit::attempt(double t, double h, std::span<const double> y,
                                   Evaluator& evaluator, ErrorNorm& norm) {
  const std::optional<solution::JacobianCause> wanted = library_.freshness().wanted();
  std::optional<Attempt> attempt = take_step(t, h, y, evaluator.statistics);
  is_generated_ = attempt.has_value();
  if (!attempt) {
    return iteration_.hand_back(library_.freshness(), wanted, y, evaluator, norm,
                                [&] { return library_.attempt(t, h, y, evaluator, norm); });
  }
  if (library_.is_in_doubt(*attempt) && (!library_.depends_on_damping() || may_damp(h)))
    library_.judge_inside(h, y, ImplicitStepper::StartSlopes::Unknown, norm, *attempt);
  return *attempt;
}

// None: the code could not take it.
std::optional<Attempt> GeneratedImplicit::take_step(double t, double h, std::span<const double> y,
                                                    solution::Statistics& statistics) {
  iteration_.plan(library_.freshness(), h, statistics);
  const IterationPlaces& at = iteration_.places();
  step_[at.is_cautious] = library_.freshness().is_cautious() ? 1.0 : 0.0;
  library_.set_extrapolation(h);
  if (coefficients_->two_step) {
    library_.two_step_weights(h, step_.values(at.last_weights, coefficients_->stages),
                              step_.values(at.weights, coefficients_->stages));
  }
  std::optional<Attempt> attempt =
      iteration_.judge(library_.freshness(), [&] { run(t, h, y, statistics); });
  library_.took(iteration_.rate());
  if (attempt && !estimates_) attempt->error = 0.0;
  return attempt;
}

void GeneratedImplicit::run(double t, double h, std::span<const double> y,
                            solution::Statistics& statistics) {
  step_.run(t, h, y);
  const std::size_t iterations = iteration_.all_iterations();
  statistics.newton_iterations += iterations;
  statistics.f_evals += iterations * coefficients_->stages + 1;
  statistics.linear_solves +=
      iterations * (coefficients_->reals.size() + coefficients_->pairs.size()) + 1;
}

void GeneratedImplicit::accept(double h) {
  iteration_.accept();
  library_.accept(h);
}

void GeneratedImplicit::go_on_from(const GeneratedImplicit& other) {
  library_.go_on_from(other.library_);
  iteration_.forget_rate();
  iteration_.take_jacobian(other.iteration_);
}

void GeneratedImplicit::prepare_interpolation(double t, double h, std::span<const double> y,
                                              Evaluator& evaluator) {
  if (is_generated_) library_.take_jacobian(h, iteration_.jacobian());
  library_.prepare_interpolation(t, h, y, evaluator);
}

}  // namespace daedalus::integrate
