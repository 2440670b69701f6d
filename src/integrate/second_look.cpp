#include "integrate/second_look.hpp"

#include <algorithm>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {
namespace {

constexpr double inside = 0.4;  // of a step: far from the stages of all methods
constexpr double apart = 0.004;

// In tolerances. Dense outputs are less accurate than ends of steps: sound steps have up to 60.
// Steps that were accepted by coincidence, with errors of hundreds of tolerances, had 500 or more.
constexpr double most = 100.0;

}  // namespace

SecondLook::SecondLook(const system::System& system, const Options& options)
    : is_on_(options.fixed_step == 0.0 && system.form() == system::Form::Explicit &&
             system.depends_on_time()),
      n_(system.size()),
      memory_(is_on_ ? 4 * n_ : 0) {
  if (!is_on_) return;
  const std::span<double> all = memory_;
  y_ = all.first(n_);
  f_ = all.subspan(n_, n_);
  defect_ = all.subspan(2 * n_, n_);
  work_ = all.last(n_);
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
  const double h = step.end() - step.begin();
  const double t = step.begin() + inside * h;
  step.at(t, y_);
  if (evaluator.derivatives(t, y_, f_) == Evaluation::Undefined) return;  // of a branch left before
  find_slope(step, t);
  linalg::add_multiple(-h, f_, defect_);
  const ErrorNorm::Size size = norm.along(y0, step.end_state(), defect_);
  if (!(size.norm > most)) return;
  // A stiff component follows what drives it: inside of the step it is off by the defect divided by
  // how f answers to it, and at the end of the step, which damps it, by as much less again.
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
