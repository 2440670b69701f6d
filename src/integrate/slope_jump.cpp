#include "integrate/slope_jump.hpp"

#include <cmath>

namespace daedalus::integrate {

bool may_damp(double h, std::span<const double> jacobian) {
  constexpr std::size_t few_entries = 16;
  if (jacobian.empty() || jacobian.size() > few_entries) return true;
  double sum = 0.0;
  for (const double entry : jacobian) sum += std::abs(entry);
  return !(h * sum < 4.0);
}

void SlopeJump::judge(double h, double gamma, std::span<const double> y0,
                      std::span<const double> y1, const ErrorNorm& norm, Attempt& attempt) {
  const double ratio = h / last_h_;
  for (std::size_t i = 0; i < jump_.size(); ++i) jump_[i] = gamma * (ratio * last_[i] - begin_[i]);
  judge_inside(jump_, share_, y0, y1, norm, attempt);
}

void SlopeJump::accept(double h) {
  last_h_ = h;
  is_last_known_ = false;
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
