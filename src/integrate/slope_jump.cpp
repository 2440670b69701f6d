#include "integrate/slope_jump.hpp"

namespace daedalus::integrate {

void SlopeJump::judge(double h, double gamma, std::span<const double> y0,
                      std::span<const double> y1, const ErrorNorm& norm, Attempt& attempt) {
  const double ratio = h / last_h_;
  for (std::size_t i = 0; i < jump_.size(); ++i) jump_[i] = gamma * (ratio * last_[i] - begin_[i]);
  judge_inside(jump_, share_, y0, y1, norm, attempt);
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
