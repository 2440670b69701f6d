#include "integrate/switching/switching_stepper.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::integrate {

using solution::SwitchReason;

namespace {

// The implicit method needs about three steps to the end of the run, with two evaluations for each
// of three stages and a Jacobian by differences, the explicit one three evaluations for each step
// ((38) and (39)).
constexpr double steps_besides_components = 7.0;

// Of Newton's iteration that the next step should have. Without this, a step that does not converge
// is followed by one that is as long, as long as its error is small.
constexpr double slowest_rate = 0.3;

}  // namespace

SwitchingStepper::SwitchingStepper(const methods::Switching& method,
                                   std::unique_ptr<ExplicitStepper> nonstiff,
                                   std::unique_ptr<DiagonalStepper> stiff, double stop)
    : method_(method),
      nonstiff_(std::move(nonstiff)),
      stiff_(std::move(stiff)),
      stop_(stop),
      equilibrium_(method.to_stiff),
      spectral_radius_(nonstiff_->begin().size()),
      stability_watch_(nonstiff_->begin().size()) {}

Evaluation SwitchingStepper::start(double t, std::span<const double> y,
                                   std::span<const double> slope, Evaluator& evaluator) {
  constexpr std::size_t many = 1000;
  evaluator.statistics.switches.reserve(many);  // steps allocate nothing
  evaluator.statistics.unstable.reserve(many);
  is_stiff_ = false;
  equilibrium_.start();
  spectral_radius_.start();
  stability_watch_.start(t);
  lambda_ = 0.0;
  jacobians_ = 0;
  decision_ = {.reason = SwitchReason::Start, .is_begun = true};
  return nonstiff_->start(t, y, slope, evaluator);
}

Evaluation SwitchingStepper::restart(double t, std::span<const double> y,
                                     std::span<const double> slope, Evaluator& evaluator) {
  equilibrium_.start();
  if (decision_) decision_->is_begun = true;
  return active().restart(t, y, slope, evaluator);
}

Attempt SwitchingStepper::attempt(double t, double h, std::span<const double> y,
                                  Evaluator& evaluator, ErrorNorm& norm) {
  if (decision_ && !decision_->is_begun && begin_method(t, y, evaluator) == Evaluation::Undefined)
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  end_ = t + h;
  Attempt attempt = active().attempt(t, h, y, evaluator, norm);
  if (is_stiff_) {
    read_jacobian(evaluator.statistics);
    // Stages of longer steps converge more slowly, by about as much.
    attempt.most_growth = std::max(1.0, slowest_rate / attempt.rate);
  } else {
    first_order_succeeds_ = nonstiff_->first_order_error(h, norm) <= 1.0;
  }
  if (decision_) record(t, h, evaluator.statistics);
  return attempt;
}

// The implicit method takes the f that the explicit one has. The other way round, the k of a stage
// is f only as accurately as Newton's iteration has found it, so that f is evaluated.
Evaluation SwitchingStepper::begin_method(double t, std::span<const double> y,
                                          Evaluator& evaluator) {
  if (is_stiff_) {
    stiff_->go_on_from(y, nonstiff_->derivative(), evaluator.statistics);
  } else if (nonstiff_->start(t, y, {}, evaluator) == Evaluation::Undefined) {
    return Evaluation::Undefined;
  }
  decision_->is_begun = true;
  return Evaluation::Defined;
}

void SwitchingStepper::record(double t, double h, solution::Statistics& statistics) {
  const auto names = [&](bool is_stiff) {
    return (is_stiff ? method_.stiff : method_.nonstiff)->name;
  };
  const bool is_first = decision_->reason == SwitchReason::Start;
  statistics.switches.push_back({.t = t,
                                 .h = h,
                                 .lambda = lambda_,
                                 .from = is_first ? "" : names(!is_stiff_),
                                 .to = names(is_stiff_),
                                 .reason = decision_->reason});
  decision_.reset();
}

void SwitchingStepper::read_jacobian(const solution::Statistics& statistics) {
  if (jacobians_ == statistics.jac_evals) return;
  jacobians_ = statistics.jac_evals;
  lambda_ = spectral_radius_.estimate(*stiff_->jacobian());
  stability_watch_.look(*stiff_->jacobian(), lambda_);
}

void SwitchingStepper::accept(double h) {
  active().accept(h);
  if (is_stiff_) {
    std::ranges::copy(stiff_->result(), begin().begin());
    stability_watch_.step(end_, h, *statistics_);
  } else {
    equilibrium_.step(first_order_succeeds_);
  }
}

std::size_t SwitchingStepper::regime(double next_h) {
  if (!is_stiff_ && equilibrium_.is_reached() && is_worth_switching(next_h))
    decide(true, SwitchReason::Stability);
  else if (is_stiff_ && lambda_ * next_h < method_.share_of_limit * method_.stability_limit)
    decide(false, SwitchReason::Accuracy);
  return is_stiff_ ? 1 : 0;
}

bool SwitchingStepper::is_worth_switching(double h) const {
  const double components = static_cast<double>(nonstiff_->result().size());
  return (stop_ - end_) / h > components + steps_besides_components;
}

void SwitchingStepper::decide(bool is_stiff, SwitchReason reason) {
  is_stiff_ = is_stiff;
  equilibrium_.start();
  stability_watch_.forget();
  decision_ = {.reason = reason, .is_begun = false};
}

void SwitchingStepper::archive(Archive& a) {
  nonstiff_->archive(a);
  stiff_->archive(a);
  a(equilibrium_, spectral_radius_, stability_watch_, is_stiff_, decision_, first_order_succeeds_,
    end_, lambda_, jacobians_);
}

}  // namespace daedalus::integrate
