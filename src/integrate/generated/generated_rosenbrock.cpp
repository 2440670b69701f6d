#include "integrate/generated/generated_rosenbrock.hpp"

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {

GeneratedRosenbrock::GeneratedRosenbrock(std::shared_ptr<const RosenbrockCoefficients> coefficients,
                                         const system::System& system, const StepCode& code,
                                         const ErrorNorm& norm, Estimation estimation)
    : coefficients_(std::move(coefficients)),
      system_(system),
      estimation_(estimation),
      stages_(coefficients_->stages),
      step_(code, estimation, norm),
      u_(step_.values(step_.places().stages, stages_ * stride(system.size())), system.size()),
      inside_(*coefficients_, system.size()) {}

RosenbrockStepper& GeneratedRosenbrock::library() {
  if (!library_) library_.emplace(coefficients_, system_, estimation_);
  return *library_;
}

Evaluation GeneratedRosenbrock::start(double t, std::span<const double> y, std::span<const double>,
                                      Evaluator& evaluator) {
  is_library_ = false;
  largest_ = 0.0;
  inside_.start();
  jacobian_cause_ = first_cause(evaluator.statistics);
  return evaluator.derivatives(t, y, step_.vector(step_.places().f0));
}

Attempt GeneratedRosenbrock::attempt(double t, double h, std::span<const double> y,
                                     Evaluator& evaluator, ErrorNorm& norm) {
  const bool estimates = estimation_ == Estimation::On;
  if (estimates) inside_.keep_last(is_library_ ? library_->stages() : u_);
  largest_ = std::max(largest_, linalg::largest_absolute(y));
  is_library_ = is_demanding(norm.smallest_atol(), largest_);
  if (!is_library_) {
    step_.run(t, h, y);
    is_library_ = !step_.is_sound();
  }
  if (is_library_) {
    ++evaluator.statistics.handed_back;
    library().begin_at(derivative(), jacobian_cause_);
    step_.hand_over(evaluator);
    Attempt attempt = library_->attempt(t, h, y, evaluator, norm);
    if (estimates) inside_.judge(h, y, library_->result(), library_->stages(), true, norm, attempt);
    step_.take_back(evaluator, attempt);
    return attempt;
  }
  solution::Statistics& statistics = evaluator.statistics;
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
  if (estimates)
    inside_.judge(h, y, step_.result(), u_, may_damp(h, step_.jacobian()), norm, attempt);
  return attempt;
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

void GeneratedRosenbrock::prepare_interpolation(double, double, std::span<const double>,
                                                Evaluator&) {
  if (is_library_) return;
  for (std::size_t i = 0; i < stages_; ++i) library().set_stage(i, step_.stage(i));
  library().set_result(step_.result());
}

}  // namespace daedalus::integrate
