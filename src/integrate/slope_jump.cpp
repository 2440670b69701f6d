#include "integrate/slope_jump.hpp"

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {

void SlopeJump::judge(double h, double gamma, std::span<const double> y0,
                      std::span<const double> y1, const ErrorNorm& norm, Attempt& attempt) {
  judge_inside(find(h, gamma), share_, y0, y1, norm, attempt);
}

// The scale along the step is not below that at its start.
void SlopeJump::judge_quickly(double h, double gamma, std::span<const double> y0,
                              std::span<const double> y1, const ErrorNorm& norm, Attempt& attempt) {
  const std::span<const double> jump = find(h, gamma);
  if (share_ * share_ * norm.square(jump) <= attempt.error * attempt.error) return;
  judge_inside(jump, share_, y0, y1, norm, attempt);
}

std::span<const double> SlopeJump::find(double h, double gamma) {
  const double of_last = gamma * h / last_h_;
  linalg::with_size(n_, [&](auto n) {
    const double* last = memory_.data();
    const double* begin = last + n;
    double* jump = memory_.data() + 2 * n;
    for (std::size_t i = 0; i < n; ++i) jump[i] = of_last * last[i] - gamma * begin[i];
  });
  return std::span(memory_).last(n_);
}

void judge_inside(std::span<const double> error, double share, std::span<const double> y0,
                  std::span<const double> y1, const ErrorNorm& norm, Attempt& attempt) {
  const ErrorNorm::Size size = norm.along(y0, y1, error);
  if (!(share * size.norm > attempt.error)) return;
  attempt.error = share * size.norm;
  attempt.square = -1.0;
  attempt.worst = size.worst;
}

}  // namespace daedalus::integrate
