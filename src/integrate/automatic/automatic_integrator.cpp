#include "integrate/automatic/automatic_integrator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "daedalus/methods/method.hpp"
#include "integrate/assembly.hpp"
#include "integrate/family.hpp"

namespace daedalus::integrate {

using solution::SwitchReason;

namespace {

// Of a bound on that, below which nothing that is damped limits the steps.
constexpr double least_trace = 0.01;
constexpr double eigenvalue_accuracy = 0.1;  // more would hardly change a decision
// By so many times an explicit step may grow before its stability is looked at again.
constexpr double far_from_limit = 8.0;

// Steps from a Jacobian that the method has anyway, and that is far too stiff for the other one, to
// the next one that is looked at; and how often only at its norm.
constexpr std::size_t apart_while_stiff = 4;
constexpr std::size_t most_looks_at_norms = 8;
// An infinity norm exceeds the largest eigenvalue hardly more than so often.
constexpr double norm_over_eigenvalue = 20.0;

// Of an implicit method, by generated code: so many that generating another method takes no longer.
constexpr double steps_as_long_as_generating = 2000.0;

// Of the sum of all eigenvalues to the size of the largest one, at least, where a model may be
// stiff. With less, what moves fast is not damped: the solution moves with it, and needs steps as
// short.
constexpr double least_damping = 0.1;

// A Jacobian whose norm and trace have hardly changed is taken to have the same eigenvalues.
bool is_near(double value, double before) {
  constexpr double share = 0.01;
  return std::abs(value - before) <= share * std::abs(before);
}

double stability_limit(const std::string& method) {
  if (method.empty()) return 0.0;
  const Family family = family_of(methods::require_method(method).value()).value();
  return std::get<std::shared_ptr<const ExplicitCoefficients>>(family)->stability_boundary;
}

Judge make_judge(const Members& members, const system::System& system, const Options& options) {
  return {step_costs(members, system, options), stability_limit(members.nonstiff)};
}

}  // namespace

Result<std::unique_ptr<Integrator>> AutomaticIntegrator::make(const system::System& system,
                                                              Options options,
                                                              FindSteps find_steps) {
  auto made = std::unique_ptr<AutomaticIntegrator>(
      new AutomaticIntegrator(system, std::move(options), std::move(find_steps)));
  if (!made->may_change()) {
    if (std::optional<Error> error = made->prepare(Side::Implicit)) return *error;
  }
  return std::unique_ptr<Integrator>(std::move(made));
}

AutomaticIntegrator::AutomaticIntegrator(const system::System& system, Options options,
                                         FindSteps find_steps)
    : system_(system),
      options_(std::move(options)),
      find_steps_(std::move(find_steps)),
      members_(choose_members(system, options_)),
      evaluator_(system),
      judge_(make_judge(members_, system, options_)),
      spectral_radius_(system.size()) {}

// Makes the loop of a method if there is none yet.
std::optional<Error> AutomaticIntegrator::prepare(Side side) {
  if (loop(side)) return std::nullopt;
  const std::string& name = method(side);
  const std::vector<StepCode> codes = find_steps_ ? find_steps_(name) : std::vector<StepCode>();
  Result<StepLoopParts> parts =
      assemble(methods::require_method(name).value(), system_, options_, codes);
  if (!parts) return parts.error();
  loop(side) = std::make_unique<StepLoop>(std::move(*parts), system_, options_, &evaluator_);
  constexpr std::size_t many = 100;
  if (loops_[0] && loops_[1])
    evaluator_.statistics.switches.reserve(many);  // steps do not allocate
  if (find_steps_)
    judge_.expect_preparation(loop(Side::Explicit) ? 0.0 : steps_as_long_as_generating);
  return std::nullopt;
}

solution::Ended AutomaticIntegrator::start(std::span<const double> y) {
  decision_.reset();
  judge_.start();
  spectral_radius_.start();
  lambda_ = bound_ = 0.0;
  measured_ = {};
  share_of_bound_ = 1.0 / norm_over_eigenvalue;
  looks_at_norms_ = 0;
  jacobians_ = 0;
  side_ = first_side(y);
  if (prepare(side_)) side_ = Side::Explicit;  // there is no room for a Jacobian
  active_ = loop(side_).get();
  if (side_ == Side::Explicit) limit_steps();
  const solution::Ended ended = active_->start(y);
  record(SwitchReason::Start, side_);
  return ended;
}

AutomaticIntegrator::Side AutomaticIntegrator::first_side(std::span<const double> y) {
  if (!may_change()) return Side::Implicit;
  if (!system_.has_jacobian()) return Side::Explicit;
  look(options_.start, y);
  const double length = std::min(options_.stop - options_.start, 1e300);
  const auto would_be_stiff = [&](double lambda) {
    return options_.initial_step > 0.0 ? options_.initial_step > judge_.longest_stable_step(lambda)
                                       : judge_.starts_stiff(length, lambda);
  };
  if (!would_be_stiff(lambda_)) return Side::Explicit;
  const auto is_damped = [&] { return -trace_ >= least_damping * lambda_; };
  // The largest eigenvalue is at least as large as the mean of all.
  const double mean = std::abs(trace_) / static_cast<double>(system_.size());
  if (is_damped() && would_be_stiff(mean)) return Side::Implicit;
  measure();
  return is_damped() && would_be_stiff(lambda_) ? Side::Implicit : Side::Explicit;
}

// Evaluates a Jacobian to know a bound on its largest eigenvalue, which may be enough.
void AutomaticIntegrator::look(double t, std::span<const double> y) {
  judge_.looked();
  lambda_ = trace_ = 0.0;
  is_measured_ = false;
  if (!jacobian_) jacobian_.emplace(system_);
  if (evaluator_.jacobian(t, y, jacobian_->own_values()) == Evaluation::Undefined) return;
  ++evaluator_.statistics.jac_evals;
  ++evaluator_.statistics.jacobians_by[solution::JacobianCause::Stiffness];
  jacobians_ = evaluator_.statistics.jac_evals;
  const double bound = jacobian_->infinity_norm();
  if (!std::isfinite(bound)) return;
  lambda_ = bound;
  trace_ = jacobian_->trace();
}

// The eigenvalue itself.
void AutomaticIntegrator::measure() {
  if (lambda_ == 0.0) return;
  const double bound = lambda_;
  if (!is_near(bound, measured_.bound) || !is_near(trace_, measured_.trace)) {
    spectral_radius_.estimate(*jacobian_, eigenvalue_accuracy);
    if (!std::isfinite(spectral_radius_.guess())) return;
    measured_ = {.bound = bound, .trace = trace_, .lambda = spectral_radius_.guess()};
  }
  lambda_ = measured_.lambda;
  is_measured_ = true;
}

solution::Ended AutomaticIntegrator::advance() {
  if (decision_) {
    if (auto ended = change()) return ended;
  }
  if (auto ended = active_->advance()) return rescue(*ended);
  if (may_change()) judge();
  return std::nullopt;
}

void AutomaticIntegrator::judge() {
  decision_ = side_ == Side::Explicit ? judge_explicit() : judge_implicit();
}

std::optional<SwitchReason> AutomaticIntegrator::judge_explicit() {
  auto decision =
      judge_.after_explicit(active_->stiffness(), active_->was_limited(), active_->step_size());
  if (decision && !judge_.may_pay(options_.stop - active_->time(), active_->step_size()))
    decision.reset();
  if (decision || !judge_.is_look_due() || !system_.has_jacobian()) return decision;
  look(active_->time(), active_->state());
  const bool is_far = judge_.longest_stable_step(lambda_) > far_from_limit * active_->step_size();
  const bool is_undamped = -trace_ < least_trace * lambda_;
  if (!is_far && !is_undamped) measure();
  limit_steps();
  return std::nullopt;
}

// Of steps beyond the stability of an explicit method, the ends may look right for a while where
// values between them are wrong: fast components grow from rounding errors there.
void AutomaticIntegrator::limit_steps() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double longest = is_measured_ ? judge_.longest_stable_step(lambda_) : infinite;
  loop(Side::Explicit)->limit_steps(longest);
}

// The norm of a Jacobian decides if it is small, and so does the eigenvalue that goes with it if
// the last one did and that is large enough.
void AutomaticIntegrator::estimate(const Jacobian& jacobian, double h) {
  bound_ = jacobian.infinity_norm();
  is_measured_ = false;
  lambda_ = share_of_bound_ * bound_;
  if (judge_.is_surely_stable(h, bound_)) {
    lambda_ = bound_;
  } else if (!is_clearly_stiff(h) || ++looks_at_norms_ == most_looks_at_norms) {
    lambda_ = spectral_radius_.estimate(jacobian, eigenvalue_accuracy);
    is_measured_ = true;
    share_of_bound_ = bound_ > 0.0 ? lambda_ / bound_ : 1.0;
    looks_at_norms_ = 0;
  }
}

bool AutomaticIntegrator::is_clearly_stiff(double h) const {
  constexpr double largest_error = 2.0;
  return !judge_.is_surely_stable(h, lambda_ / largest_error);
}

std::optional<SwitchReason> AutomaticIntegrator::judge_implicit() {
  const double h = active_->step_size();
  if (auto decision = judge_.on_trial(h, lambda_)) return decision;
  const Jacobian* const jacobian = active_->stepper().jacobian();
  if (!judge_.is_look_due()) {
    if (jacobian != nullptr) judge_.still_stiff();
    return std::nullopt;
  }
  if (jacobian == nullptr) {
    if (!system_.has_jacobian()) return std::nullopt;
    look(active_->time(), active_->state());
    if (!judge_.is_surely_stable(h, lambda_)) measure();
  } else {
    const bool is_new = std::exchange(jacobians_, evaluator_.statistics.jac_evals) !=
                        evaluator_.statistics.jac_evals;
    if (is_new) estimate(*jacobian, h);
    judge_.looked(is_clearly_stiff(h) ? apart_while_stiff : 1);
  }
  return lambda_ > 0.0 ? judge_.after_implicit(h, lambda_) : std::nullopt;
}

// The step has been recorded, and events in it have been dealt with.
solution::Ended AutomaticIntegrator::change() {
  const SwitchReason reason = *std::exchange(decision_, std::nullopt);
  const Side from = side_, to = from == Side::Explicit ? Side::Implicit : Side::Explicit;
  judge_.changed();
  if (prepare(to)) return std::nullopt;  // there is no room for a Jacobian: the method stays
  const double h = active_->step_size();
  if (to == Side::Explicit) limit_steps();
  StepLoop& before = *active_;
  side_ = to;
  active_ = loop(to).get();
  if (auto ended = active_->go_on_from(before, h)) return ended;
  record(reason, from);
  return std::nullopt;
}

// A step for which the explicit method would have to be too short may be one for the other.
solution::Ended AutomaticIntegrator::rescue(const solution::Outcome& outcome) {
  using solution::Reason;
  const bool has_tried = evaluator_.statistics.rejected() > 0;  // else time has no resolution
  const bool may_help =
      side_ == Side::Explicit && outcome.status == solution::Status::Failed && has_tried &&
      (outcome.reason == Reason::StepTooSmall || outcome.reason == Reason::Domain);
  if (!may_help) return outcome;
  decision_ = SwitchReason::Failure;
  if (change() || side_ == Side::Explicit) return outcome;
  const solution::Ended ended = active_->advance();
  // Where the model ends, its own reason says more than that of steps which come ever closer.
  const bool says_less = ended && ended->reason == Reason::StepTooSmall;
  return says_less && outcome.reason == Reason::Domain ? outcome : ended;
}

void AutomaticIntegrator::record(SwitchReason reason, Side from) {
  const bool is_first = reason == SwitchReason::Start;
  evaluator_.statistics.switches.push_back({.t = active_->time(),
                                            .h = active_->step_size(),
                                            .lambda = lambda_,
                                            .from = is_first ? "" : method(from),
                                            .to = method(side_),
                                            .reason = reason});
}

void AutomaticIntegrator::archive(Archive& a) {
  a(evaluator_, side_, judge_, decision_, spectral_radius_, lambda_, is_measured_, bound_,
    share_of_bound_, looks_at_norms_, measured_, jacobians_);
  for (const Side side : {Side::Explicit, Side::Implicit}) {
    bool exists = loop(side) != nullptr;
    a(exists);
    if (!exists) loop(side).reset();
    if (!exists) continue;
    Archive::require(!method(side).empty() && !prepare(side));
    loop(side)->archive(a);
  }
  active_ = loop(side_).get();
  Archive::require(active_ != nullptr);
}

}  // namespace daedalus::integrate
