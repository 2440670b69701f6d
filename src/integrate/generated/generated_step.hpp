// A generated step and the frame in which it runs.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "daedalus/linalg/norm.hpp"
#include "integrate/combination.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/newton/convergence.hpp"
#include "integrate/newton/freshness.hpp"
#include "integrate/recycled.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

class GeneratedStep {
 public:
  GeneratedStep(const StepCode& code, Estimation estimation, const ErrorNorm& norm)
      : code_(code), places_(*code_.places), frame_(code_.frame_size) {
    std::copy_n(code_.values->begin(), code_.model_symbols, frame_.begin());
    std::ranges::copy(norm.atol(), vector(places_.atol).begin());
    frame_[places_.rtol] = norm.relative_weight();
    frame_[places_.norm_factor] = norm.factor();
    frame_[places_.error_factor] = estimation == Estimation::On ? 1.0 : 0.0;
    frame_[places_.remaining] = 1.0;
    if (places_.jacobian_size != 0)
      frame_[places_.jacobian_size] = std::numeric_limits<double>::infinity();
  }

  const StepPlaces& places() const { return places_; }
  double& operator[](std::size_t place) { return frame_[place]; }
  double operator[](std::size_t place) const { return frame_[place]; }
  std::span<double> vector(std::size_t place) { return {frame_.data() + place, code_.size}; }
  std::span<const double> vector(std::size_t place) const {
    return {frame_.data() + place, code_.size};
  }
  std::span<double> values(std::size_t place, std::size_t count) {
    return {frame_.data() + place, count};
  }
  std::span<const double> values(std::size_t place, std::size_t count) const {
    return {frame_.data() + place, count};
  }
  // Two vectors that the next run overwrites: f at the end and the estimate.
  bool estimates_error() const { return frame_[places_.error_factor] != 0.0; }
  std::span<double> work() { return values(places_.f1, 2 * code_.size); }
  std::span<const double> jacobian() const {
    return {frame_.data() + places_.jacobian, places_.jacobian_entries};
  }
  double jacobian_size() const { return frame_[places_.jacobian_size]; }
  void take_jacobian(const GeneratedStep& other) {
    std::ranges::copy(other.jacobian(), values(places_.jacobian, places_.jacobian_entries).begin());
  }
  std::span<const double> stage(std::size_t i) const {
    return vector(places_.stages + i * places_.stage_stride);
  }

  void run(double t, double h, std::span<const double> y) {
    frame_[places_.t] = t;
    frame_[places_.h] = h;
    if (y.data() != frame_.data() + places_.y) std::ranges::copy(y, vector(places_.y).begin());
    (*code_.run)(frame_.data());
  }

  // The values of the model's symbols, near which the solutions of its loops are searched.
  std::span<double> model_values() { return {frame_.data(), code_.model_symbols}; }
  std::span<const double> model_values() const { return {frame_.data(), code_.model_symbols}; }

  // After an attempt that was handed back.
  void take_back(const Evaluator& evaluator, const Attempt& attempt) {
    if (attempt.rejection() == Rejection::None) take_values(evaluator, Taken::All);
  }
  void take_values(const Evaluator& evaluator, Taken what) {
    if (what == Taken::Held) return evaluator.show_held(model_values());
    const std::span<const double> found = evaluator.values();
    std::copy_n(found.data(), std::min(found.size(), code_.model_symbols), frame_.data());
    if (code_.form == StepForm::Torn) frame_[places_.knows_last_step] = 0.0;
  }

  // The last attempt becomes a step: loops keep the solutions that it found.
  void accept() {
    if (frame_[places_.knows_last_step] == 0.0) return;  // the library has taken it
    for (const FoundAt& found : places_.found) frame_[found.symbol] = frame_[found.place];
  }

  // For methods that iterate.
  void set_limits(const NewtonLimits& limits) {
    frame_[places_.accuracy] = limits.accuracy;
    frame_[places_.most_iterations] = limits.most_iterations;
    frame_[places_.least_remaining] = limits.least_remaining;
  }
  void forget_rate() { frame_[places_.remaining] = 1.0; }
  void ask_for(const Renewal& renewal) {
    frame_[places_.new_jacobian] = renewal.jacobian ? 1.0 : 0.0;
    frame_[places_.new_factors] = renewal.factors ? 1.0 : 0.0;
  }
  // The next run starts the iteration where the last one ended, trusting nothing.
  void go_on() {
    set_goes_on(1.0);
    ask_for({});
    forget_rate();
  }
  void begin_anew() { set_goes_on(0.0); }
  bool is_doubtful() const { return frame_[places_.is_doubtful] != 0.0; }
  StepVerdict verdict() const { return static_cast<StepVerdict>(frame_[places_.verdict]); }
  int iterations() const { return static_cast<int>(frame_[places_.iterations]); }
  std::size_t all_iterations() const {
    return static_cast<std::size_t>(frame_[places_.all_iterations]);
  }
  double rate() const { return frame_[places_.rate]; }
  double step_factor() const { return frame_[places_.step_factor]; }
  // Whether the iteration had finite values, and factors that can be trusted.
  bool can_be_judged() const {
    return verdict() != StepVerdict::NotFinite && frame_[places_.growth] <= largest_growth;
  }

  double error() const { return frame_[places_.error]; }
  double error_square() const { return frame_[places_.error_square]; }
  std::size_t worst() const {
    const auto worst = static_cast<std::size_t>(frame_[places_.worst]);
    return frame_[places_.error_vector + worst] == 0.0 ? Evaluator::none : worst;
  }
  std::span<const double> result() const { return vector(places_.result); }

  // Whether the elimination went well and all results are finite.
  bool is_sound() const {
    return frame_[places_.growth] <= largest_growth && std::isfinite(error()) &&
           linalg::all_finite(result()) &&
           (error() > 1.0 || linalg::all_finite(vector(places_.f1)));
  }

  void archive(Archive& a) {
    std::span<double> all(frame_);
    a(all);
  }

 private:
  void set_goes_on(double value) {  // if the method's steps have this input
    if (places_.goes_on != 0) frame_[places_.goes_on] = value;
  }

  StepCode code_;
  const StepPlaces& places_;
  std::vector<double, RecyclingAllocator<double>> frame_;
};

// The frame, if there is one.
inline void archive_frame(Archive& a, std::optional<GeneratedStep>& generated) {
  if (generated) a(*generated);
}

// The values of the model's symbols, if there is a frame.
inline std::span<const double> values_of(const std::optional<GeneratedStep>& generated) {
  return generated ? generated->model_values() : std::span<const double>();
}

// Stages that are in the frame, if there is one.
inline Stages make_last_stages(std::size_t count, std::size_t n,
                               std::optional<GeneratedStep>& generated) {
  if (!generated) return Stages(count, n);
  return Stages(generated->values(generated->places().last_stages, count * stride(n)), n);
}
inline Stages make_stages(std::size_t count, std::size_t n,
                          std::optional<GeneratedStep>& generated) {
  if (!generated) return Stages(count, n);
  return Stages(generated->values(generated->places().stages, count * stride(n)), n);
}

}  // namespace daedalus::integrate
