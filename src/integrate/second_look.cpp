#include "integrate/second_look.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {
namespace {

constexpr double inside = 0.4;  // of a step: far from the stages of all methods
constexpr double apart = 0.004;

// In tolerances. Dense outputs are less accurate than ends of steps: good steps have up to 60.
// Steps that were accepted by coincidence, with errors of hundreds of tolerances, had 500 or more.
constexpr double most = 100.0;

// By how much a step may differ from another one that it repeats, relative to that one.
constexpr double like = 0.1;

bool is_like(double value, double other) { return std::abs(value - other) <= like * other; }

}  // namespace

SecondLook::SecondLook(const system::System& system, const Options& options)
    : is_on_(options.fixed_step == 0.0 && system.form() == system::Form::Explicit &&
             system.depends_on_time()),
      n_(system.size()),
      memory_(is_on_ ? (4 + most_sound) * n_ : 0) {
  if (!is_on_) return;
  const std::span<double> all = memory_;
  y_ = all.first(n_);
  f_ = all.subspan(n_, n_);
  defect_ = all.subspan(2 * n_, n_);
  work_ = all.subspan(3 * n_, n_);
  for (std::size_t i = 0; i < most_sound; ++i) sound_[i].move = all.subspan((4 + i) * n_, n_);
}

void SecondLook::start() {
  is_expected_ = false;
  for (Sound& sound : sound_) sound.h = 0.0;
}

bool SecondLook::repeats_a_sound_one(const solution::DenseStep& step, std::span<const double> y0,
                                     const ErrorNorm& norm, double error) const {
  const double h = step.end() - step.begin();
  const std::span<const double> y1 = step.end_state();
  return std::ranges::any_of(sound_, [&](const Sound& sound) {
    if (!is_like(h, sound.h) || !is_like(error, sound.error)) return false;
    for (std::size_t i = 0; i < n_; ++i) {
      const double other = sound.move[i];
      if (std::abs(y1[i] - y0[i] - other) > like * std::abs(other) + norm.scale(i)) return false;
    }
    return true;
  });
}

void SecondLook::keep_as_sound(const solution::DenseStep& step, std::span<const double> y0,
                               double error) {
  Sound& sound = sound_[std::exchange(oldest_, (oldest_ + 1) % most_sound)];
  sound.h = step.end() - step.begin();
  sound.error = error;
  for (std::size_t i = 0; i < n_; ++i) sound.move[i] = step.end_state()[i] - y0[i];
}

// h y' of the dense output, by differences of order 4.
void SecondLook::find_slope(const solution::DenseStep& step, double t) {
  const double length = step.end() - step.begin();
  std::ranges::fill(defect_, 0.0);
  const auto add = [&](double distance, double weight) {
    step.at(t + distance * apart * length, work_);
    linalg::add_multiple(weight / (12.0 * apart), work_, defect_);
  };
  add(1.0, 8.0);
  add(-1.0, -8.0);
  add(2.0, -1.0);
  add(-2.0, 1.0);
}

void SecondLook::judge(const solution::DenseStep& step, std::span<const double> y0,
                       Evaluator& evaluator, const ErrorNorm& norm, Attempt& attempt) {
  if (repeats_a_sound_one(step, y0, norm, attempt.error)) return;
  const double h = step.end() - step.begin();
  const double t = step.begin() + inside * h;
  step.at(t, y_);
  if (evaluator.derivatives(t, y_, f_) == Evaluation::Undefined) return;  // of a branch left before
  find_slope(step, t);
  linalg::add_multiple(-h, f_, defect_);
  const ErrorNorm::Size size = norm.along(y0, step.end_state(), defect_);
  if (!(size.norm > most)) return keep_as_sound(step, y0, attempt.error);
  // A stiff component follows what drives it: inside the step its error is the defect divided by
  // the response of f to it, and at the end of the step, which damps it, smaller by the same factor
  // again.
  std::ranges::copy(y_, work_.begin());
  linalg::add_multiple(1.0 / size.norm, defect_, work_);
  std::ranges::copy(f_, y_.begin());
  if (evaluator.derivatives(t, work_, f_) == Evaluation::Undefined) return;
  linalg::add_multiple(-1.0, y_, f_);
  const double answer = h * norm.along(y0, step.end_state(), f_).norm;
  const double error = size.norm / ((1.0 + answer) * (1.0 + answer));
  if (!(error > most)) return;
  attempt.error = error;
  attempt.square = -1.0;
  attempt.worst = size.worst;
}

}  // namespace daedalus::integrate
