#include "integrate/slope_jump.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/linalg/norm.hpp"

namespace daedalus::integrate {
namespace {

// A component determined by larger ones, such as a small one that completes a sum, has their
// rounding errors, which do not decrease with the step.
void remove_rounding(std::span<const double> y, std::span<double> error) {
  constexpr double roundings = 64.0;  // stages that are added and subtracted
  const double most =
      roundings * std::numeric_limits<double>::epsilon() * linalg::largest_absolute(y);
  for (double& value : error) value = std::copysign(std::max(std::abs(value) - most, 0.0), value);
}

}  // namespace

void SlopeJump::judge(const Stride& stride, double gamma, const ErrorNorm& norm, Attempt& attempt) {
  judge_error(stride, find(stride.h, gamma), share_, norm, attempt);
}

// The scale during the step is not below that at its start.
void SlopeJump::judge_quickly(const Stride& stride, double gamma, double unit,
                              const ErrorNorm& norm, Attempt& attempt) {
  const double of_last = gamma * stride.h / last_h_, of_begin = -gamma * unit;
  const double* const reciprocals = norm.reciprocals().data();
  const std::span<double> jump = std::span(memory_).last(n_);
  const double squares = linalg::with_size(n_, [&](auto n) {
    const double* const last = memory_.data();
    const double* const begin = last + n;
    double* const to = memory_.data() + 2 * n;
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = of_last * last[i] + of_begin * begin[i];
      const double ratio = to[i] * reciprocals[i];
      sum += ratio * ratio;
    }
    return sum;
  });
  if (share_ * norm.of_squares(squares, jump) <= attempt.error) return;
  judge_error(stride, jump, share_, norm, attempt);
}

std::span<double> SlopeJump::find(double h, double gamma) {
  const double of_last = gamma * h / last_h_;
  linalg::with_size(n_, [&](auto n) {
    const double* last = memory_.data();
    const double* begin = last + n;
    double* jump = memory_.data() + 2 * n;
    for (std::size_t i = 0; i < n; ++i) jump[i] = of_last * last[i] - gamma * begin[i];
  });
  return std::span(memory_).last(n_);
}

void SlopeJump::judge_error(const Stride& stride, std::span<double> error, double share,
                            const ErrorNorm& norm, Attempt& attempt) {
  ErrorNorm::Size size = norm.along(stride.y0, stride.y1, error);
  if (!(share * size.norm > attempt.error)) return;
  remove_rounding(stride.y0, error);
  size = norm.along(stride.y0, stride.y1, error);
  if (!(share * size.norm > attempt.error) || !is_explained(share * size.norm, stride.h)) return;
  attempt.error = share * size.norm;
  attempt.square = -1.0;
  attempt.worst = size.worst;
}

// Whether the length of the step may be the reason. A start that misses an algebraic equation, by
// no more than the tolerances allow, causes a jump that hardly depends on the length of the step.
bool SlopeJump::is_explained(double error, double h) {
  constexpr double most = 10.0;  // that the tolerances may leave
  constexpr double far_longer = 4.0;
  if (!may_start_off_) return true;
  if (error <= unexplained_ && h <= far_longer * unexplained_h_) return false;
  if (error <= 1.0) return true;
  const double ratio = h / rejected_h_;
  if (rejected_ > 0.0 && error <= most && error > ratio * ratio * rejected_) {
    unexplained_ = 2.0 * error;
    unexplained_h_ = h;
    return false;
  }
  rejected_ = error;
  rejected_h_ = h;
  return true;
}

}  // namespace daedalus::integrate
