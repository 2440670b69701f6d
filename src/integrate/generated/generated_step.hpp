// A generated step and the frame in which it runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "daedalus/linalg/norm.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
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
  }
  GeneratedStep(const GeneratedStep&) = delete;
  GeneratedStep& operator=(const GeneratedStep&) = delete;

  const StepPlaces& places() const { return places_; }
  // Those of the family that the code was generated for.
  template <class Places>
  const Places& places_of() const {
    return std::get<Places>(places_.family);
  }
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
  std::span<const double> stage(std::size_t i) const {
    return vector(places_.stages + i * places_.stage_stride);
  }
  bool estimates_error() const { return frame_[places_.error_factor] != 0.0; }
  // Two vectors that the next run overwrites: f at the end and the estimate.
  std::span<double> work() { return values(places_.f1, 2 * code_.size); }

  void run(double t, double h, std::span<const double> y) {
    frame_[places_.t] = t;
    frame_[places_.h] = h;
    if (y.data() != frame_.data() + places_.y) std::ranges::copy(y, vector(places_.y).begin());
    (*code_.run)(frame_.data());
  }

  // The values of the model's symbols, near which the solutions of its loops are searched.
  std::span<double> model_values() { return {frame_.data(), code_.model_symbols}; }
  std::span<const double> model_values() const { return {frame_.data(), code_.model_symbols}; }

  void take_values(const Evaluator& evaluator, Taken what) {
    if (what == Taken::Held) return evaluator.show_held(model_values());
    const std::span<const double> found = evaluator.values();
    std::copy_n(found.data(), std::min(found.size(), code_.model_symbols), frame_.data());
  }
  // After an attempt that was handed back.
  void take_back(const Evaluator& evaluator, const Attempt& attempt) {
    if (attempt.rejection() == Rejection::None) take_values(evaluator, Taken::All);
  }

  double growth() const { return frame_[places_.growth]; }
  double error() const { return frame_[places_.error]; }
  double error_square() const { return frame_[places_.error_square]; }
  std::size_t worst() const {
    const auto worst = static_cast<std::size_t>(frame_[places_.worst]);
    return frame_[places_.error_vector + worst] == 0.0 ? Evaluator::none : worst;
  }
  std::span<const double> result() const { return vector(places_.result); }

  // Whether the elimination went well and all results are finite.
  bool is_sound() const {
    return growth() <= largest_growth && std::isfinite(error()) && linalg::all_finite(result()) &&
           (error() > 1.0 || linalg::all_finite(vector(places_.f1)));
  }

  void archive(Archive& a) {
    std::span<double> all(frame_);
    a(all);
  }

 private:
  StepCode code_;
  const StepPlaces& places_;
  std::vector<double, RecyclingAllocator<double>> frame_;
};

}  // namespace daedalus::integrate
