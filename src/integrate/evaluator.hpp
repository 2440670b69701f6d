// Evaluates the system on behalf of an integrator: counts, checks, and remembers what was wrong.
#pragma once

#include <memory>
#include <span>
#include <string>

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
        scratch_(system.make_scratch()) {
    statistics.largest_errors.resize(system.size());
  }

  std::size_t size() const { return system_.size(); }
  std::string variable_name(std::size_t i) const { return system_.variable_name(i); }

  // Counts from 0. Whoever remembers anything of earlier runs tells them apart by their number.
  void start_run() {
    statistics.clear();
    steepest_ = none;
    ++run_;
  }
  std::size_t run() const { return run_; }

  // Undefined also when the system did not notice that a derivative is not finite.
  Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt) {
    ++statistics.f_evals;
    return check(system_.derivatives(t, y, dydt, *scratch_), dydt);
  }
  // What the system says; whether the values are finite is not looked at.
  Evaluation jacobian(double t, std::span<const double> y, std::span<double> values) {
    return system_.jacobian(t, y, values, *scratch_);
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

  system::Scratch& scratch() { return *scratch_; }

  // As the system has them.
  std::span<const double> values() const { return system_.values(*scratch_); }
  void set_values(std::span<const double> values) { system_.set_values(values, *scratch_); }

  // After Undefined: the component whose derivative is not finite, if that was it, and the words.
  std::size_t faulty_component() const { return faulty_; }
  std::string why_undefined() const;

  // After a matrix that could not be factored: the variable that it grows most with.
  void blame_for_singular(std::size_t component) { steepest_ = component; }
  std::size_t steepest_component() const { return steepest_; }

  solution::Statistics statistics;
  static constexpr std::size_t none = ~std::size_t{0};

 private:
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
  std::size_t faulty_ = none;
  std::size_t steepest_ = none;
  std::size_t run_ = 0;
};

}  // namespace daedalus::integrate
