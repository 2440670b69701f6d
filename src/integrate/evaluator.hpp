// Evaluates the system on behalf of an integrator: counts, checks, and remembers what was wrong.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/norm.hpp"
#include "daedalus/solution/statistics.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::integrate {

using system::Evaluation;

class Evaluator {
 public:
  explicit Evaluator(const system::System& system)
      : system_(system),
        form_(system.form()),
        is_looked_at_(system.finds_nonfinite()),
        scratch_(system.make_scratch()),
        guesses_(system.guesses()),
        found_(guesses_.size()) {
    statistics.largest_errors.resize(system.size());
  }
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // What the run holds, which lives longer. Without: what the system starts with.
  void hold(system::Held& held) {
    held_ = &held;
    context_.emplace(held, *scratch_);
  }
  system::Held& held() { return *held_; }

  std::size_t size() const { return system_.size(); }
  std::string variable_name(std::size_t i) const { return system_.variable_name(i); }

  // Counts from 0. Whoever remembers anything of earlier runs tells them apart by their number.
  void start_run() {
    if (held_ == &own_held_) own_held_ = system_.make_held();
    notes_guesses_ = false;
    statistics.clear();
    steepest_ = none;
    first_cause_ = solution::JacobianCause::Event;
    ++run_;
    ++arc_;
  }
  std::size_t run() const { return run_; }

  // A run goes on after an event, or with another method. Counts like the runs.
  void start_arc() { ++arc_; }
  std::size_t arc() const { return arc_; }

  // Why a stepper that starts, or starts again, evaluates its first Jacobian. The steps of another
  // method have gone before if that is said ahead of the start.
  void begins_with_another_method() { first_cause_ = solution::JacobianCause::Switch; }
  solution::JacobianCause first_cause() {
    if (statistics.jac_evals == 0) return solution::JacobianCause::First;
    return std::exchange(first_cause_, solution::JacobianCause::Event);
  }

  // Undefined also when the system did not notice that a derivative is not finite.
  Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt) {
    ++statistics.f_evals;
    const Evaluation said = check(system_.derivatives(t, y, dydt, *context_), dydt);
    if (notes_guesses_ && said == Evaluation::Defined) note_guesses(t);
    return said;
  }
  // What the system says; whether the values are finite is not looked at.
  Evaluation jacobian(double t, std::span<const double> y, std::span<double> values) {
    return system_.jacobian(t, y, values, *context_);
  }

  bool has_preconditioner() const { return system_.has_preconditioner(); }
  Evaluation prepare_preconditioner(double t, std::span<const double> y, double alpha) {
    return system_.prepare_preconditioner(t, y, alpha, *context_);
  }
  Evaluation precondition(double t, std::span<const double> y, double alpha, std::span<double> x) {
    return system_.precondition(t, y, alpha, x, *context_);
  }

  // Where the system's loops have their solutions along the motion: the next attempt begins; the
  // last one is accepted; its end is where the next step begins. The solutions of an attempt are
  // those of the evaluation that is latest in time, or `values` at t, where generated code took it.
  bool follows_guesses() const { return !guesses_.empty(); }
  void begin_attempt() {
    notes_guesses_ = !guesses_.empty();
    noted_at_ = nowhere;
  }
  void accept_attempt() { notes_guesses_ = false; }
  void leave_step(double t, std::span<const double> values) {
    if (guesses_.empty()) return;
    if (noted_at_ == nowhere && !values.empty()) {
      read_guesses(values);
      noted_at_ = t;
    }
    if (noted_at_ != nowhere) system_.hold_guesses(noted_at_, found_, *held_);
    noted_at_ = nowhere;
  }

  // What is left of the equations at a stage: f - M y', or -F(t, y, y').
  Evaluation defect(double t, std::span<const double> y, std::span<const double> slope,
                    std::span<double> left);
  Evaluation residual_jacobian(double t, std::span<const double> y, std::span<const double> slope,
                               double a, std::span<double> values);

  system::Form form() const { return form_; }
  bool is_explicit() const { return form_ == system::Form::Explicit; }

  // sum += factor M x, where M may be the identity. Not for the Form Residual.
  void add_mass_times(double factor, std::span<const double> x, std::span<double> sum) const;

  // All that the last evaluation has computed, as the system has it; and what is held among that.
  std::span<const double> values() const { return system_.values(*scratch_); }
  void show_held(std::span<double> values) const { system_.show(*held_, values); }

  // After Undefined: the component whose derivative is not finite, if that was it, and the words.
  std::size_t faulty_component() const { return faulty_; }
  system::Fault why_undefined() const;

  // After a matrix that could not be factored: the variable that it grows most with.
  void blame_for_singular(std::size_t component) { steepest_ = component; }
  std::size_t steepest_component() const { return steepest_; }

  // With what is held, which may be somebody else's.
  void archive(Archive& a) {
    a(*held_, found_, noted_at_, notes_guesses_, faulty_, steepest_, first_cause_, run_, arc_,
      statistics);
  }

  solution::Statistics statistics;
  static constexpr std::size_t none = ~std::size_t{0};

 private:
  static constexpr double nowhere = -std::numeric_limits<double>::infinity();

  void note_guesses(double t) {
    if (t < noted_at_) return;
    noted_at_ = t;
    read_guesses(values());
  }
  void read_guesses(std::span<const double> values) {
    for (std::size_t k = 0; k < guesses_.size(); ++k) found_[k] = values[guesses_[k]];
  }
  Evaluation check(Evaluation said, std::span<const double> values) {
    if (said == Evaluation::Defined && (is_looked_at_ || linalg::all_finite(values)))
      return Evaluation::Defined;
    return find_fault(values);
  }
  Evaluation find_fault(std::span<const double> values);

  const system::System& system_;
  system::Form form_;
  bool is_looked_at_;  // whether values are finite, by the system
  std::unique_ptr<system::Scratch> scratch_;
  system::Held own_held_;
  system::Held* held_ = &own_held_;
  // Made once: making it for each evaluation would take longer than a small evaluation may.
  std::optional<system::Context> context_{std::in_place, own_held_, *scratch_};
  std::span<const std::uint32_t> guesses_;  // symbols
  std::vector<double> found_;               // their values in the last attempt,
  double noted_at_ = nowhere;               // as of this time
  bool notes_guesses_ = false;
  std::size_t faulty_ = none;
  std::size_t steepest_ = none;
  solution::JacobianCause first_cause_ = solution::JacobianCause::Event;
  std::size_t run_ = 0;
  std::size_t arc_ = 0;
};

}  // namespace daedalus::integrate
