#include "integrate/generated/generated_rosenbrock.hpp"

#include <limits>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {

GeneratedRosenbrock::GeneratedRosenbrock(std::shared_ptr<const RosenbrockCoefficients> coefficients,
                                         const system::System& system, const StepCode& code,
                                         const ErrorNorm& norm, Estimation estimation)
    : coefficients_(std::move(coefficients)),
      system_(system),
      estimation_(estimation),
      judges_inside_(estimation == Estimation::On && system.depends_on_time()),
      stages_(coefficients_->stages),
      step_(code, estimation, norm),
      jacobian_size_(step_.places_of<RosenbrockPlaces>().jacobian_size),
      u_(stages_, system.size(),
         step_.values(step_.places().stages, stages_ * stride(system.size()))),
      inside_(*coefficients_, system) {
  step_[jacobian_size_] = std::numeric_limits<double>::infinity();
}

RosenbrockStepper& GeneratedRosenbrock::library() {
  if (!library_) library_.emplace(coefficients_, system_, estimation_);
  return *library_;
}

Evaluation GeneratedRosenbrock::start(double t, std::span<const double> y, std::span<const double>,
                                      Evaluator& evaluator) {
  is_library_ = false;
  largest_ = 0.0;
  inside_.start();
  jacobian_cause_ = evaluator.first_cause();
  return evaluator.derivatives(t, y, step_.vector(step_.places().f0));
}

// Whether the step is as good as the library's would be.
inline bool GeneratedRosenbrock::takes_step(double t, double h, std::span<const double> y,
                                            const ErrorNorm& norm) {
  largest_ = std::max(largest_, linalg::largest_absolute(y));
  if (is_demanding(norm.smallest_atol(), largest_)) return false;
  step_.run(t, h, y);
  return step_.is_sound();
}

Attempt GeneratedRosenbrock::hand_back(double t, double h, std::span<const double> y,
                                       Evaluator& evaluator, ErrorNorm& norm) {
  ++evaluator.statistics.handed_back;
  library().begin_at(derivative(), jacobian_cause_);
  Attempt attempt = library_->attempt(t, h, y, evaluator, norm);
  if (judges_inside_ && inside_.is_in_doubt(attempt, true))
    inside_.judge(h, y, library_->result(), library_->stages(), norm, attempt);
  step_.take_back(evaluator, attempt);
  return attempt;
}

// The result of a step that the library has not taken.
inline Attempt GeneratedRosenbrock::judged(double h, std::span<const double> y,
                                           solution::Statistics& statistics,
                                           const ErrorNorm& norm) {
  statistics.f_evals += stages_ - 1 + (step_.error() <= 1.0 ? 1 : 0);
  statistics.linear_solves += stages_;
  ++statistics.jac_evals;
  ++statistics.jacobians_by[jacobian_cause_];
  ++statistics.factorizations;
  ++statistics.factorizations_by[solution::FactorizationCause::NewJacobian];
  Attempt attempt{.error = step_.error(),
                  .square = step_.error_square(),
                  .iterations = 1,
                  .rate = 1.0,
                  .worst = step_.worst()};
  if (judges_inside_ && inside_.is_in_doubt(attempt, may_damp(h)))
    inside_.judge(h, y, step_.result(), u_, norm, attempt);
  return attempt;
}

Attempt GeneratedRosenbrock::attempt(double t, double h, std::span<const double> y,
                                     Evaluator& evaluator, ErrorNorm& norm) {
  if (inside_.is_last_wanted()) inside_.keep_last(stages());
  is_library_ = !takes_step(t, h, y, norm);
  return is_library_ ? hand_back(t, h, y, evaluator, norm)
                     : judged(h, y, evaluator.statistics, norm);
}

void GeneratedRosenbrock::accept(double h) {
  jacobian_cause_ = solution::JacobianCause::EveryStep;
  inside_.accept(h);
  const std::span<double> f0 = step_.vector(step_.places().f0);
  if (is_library_) {
    library_->accept(h);
    linalg::copy_fresh(library_->begin(), begin());
    linalg::copy_fresh(library_->derivative(), f0);
  } else {
    linalg::copy_fresh(step_.result(), begin());
    linalg::copy_fresh(step_.vector(step_.places().f1), f0);
  }
}

void GeneratedRosenbrock::reject(Rejection why) { jacobian_cause_ = cause_after(why); }

void GeneratedRosenbrock::archive(Archive& a) {
  bool has_library = library_.has_value();
  a(step_, inside_, largest_, is_library_, jacobian_cause_, has_library);
  if (has_library) a(library());
}

}  // namespace daedalus::integrate
