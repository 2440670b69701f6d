#include "hybrid/indicator_probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hybrid/slope.hpp"

namespace daedalus::hybrid {
namespace {

using system::Evaluation;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr double reach = 10.0;  // of differences, in units of what probe_length() suggests
constexpr double share_of_noise = 0.125;  // in differences: the noise is an upper bound
constexpr double at_once = 64.0;          // in units of the resolution of time
constexpr int most_tries = 8;             // each twice as far as the previous one
constexpr double overshoot = 1.0 / 64;    // of the way to the edge

}  // namespace

IndicatorProbe::IndicatorProbe(const system::System& system, const system::Events& events,
                               const system::Held& held, system::Scratch& scratch,
                               const Options& tolerances)
    : system_(system),
      events_(events),
      held_(held),
      scratch_(scratch),
      tolerances_(tolerances),
      y_(system.size()),
      f_(system.size()),
      point_(system.size()),
      here_(events.indicator_count()),
      near_(events.indicator_count()),
      further_(events.indicator_count()) {
  for (std::size_t k = 0; k < system.size(); ++k)
    sizes_.push_back(tolerances.atol[tolerances.atol.size() == 1 ? 0 : k] / tolerances.rtol);
}

bool IndicatorProbe::is_tolerated(double ahead) const {
  for (std::size_t k = 0; k < y_.size(); ++k) {
    if (ahead * std::abs(f_[k]) > tolerances_.rtol * (std::abs(y_[k]) + sizes_[k])) return false;
  }
  return true;
}

bool IndicatorProbe::evaluate(double t, std::span<const double> y, std::span<double> margins) {
  std::ranges::fill(margins, not_known);
  return events_.indicators(t, y, margins, {held_, scratch_}) == Evaluation::Defined;
}

void IndicatorProbe::move_along(double by) {
  for (std::size_t k = 0; k < y_.size(); ++k) point_[k] = y_[k] + by * f_[k];
}

bool IndicatorProbe::find_slope(double t, std::span<const double> y) {
  if (system_.form() != system::Form::Explicit) return false;
  t_ = t;
  std::ranges::copy(y, y_.begin());
  if (system_.derivatives(t, y_, f_, {held_, scratch_}) == Evaluation::Undefined ||
      !std::ranges::all_of(f_, [](double rate) { return std::isfinite(rate); }))
    return false;
  length_ = probe_length(y_, f_, sizes_, reach, std::numeric_limits<double>::infinity());
  return true;
}

bool IndicatorProbe::move_to(double t, std::span<const double> y) {
  return find_slope(t, y) && evaluate(t, y_, here_);
}

bool IndicatorProbe::is_positive_after(double t, std::span<const double> y, std::size_t i) {
  if (!find_slope(t, y)) return false;
  move_along(length_);
  return evaluate(t_ + length_, point_, near_) && near_[i] > 0.0;
}

std::optional<IndicatorProbe::Pace> IndicatorProbe::pace(std::size_t i, double noise) {
  if (length_ == 0.0) return Pace{};
  const auto margin = [&](double t, std::span<const double> y) -> std::optional<double> {
    if (!evaluate(t, y, near_)) return std::nullopt;
    return near_[i];
  };
  std::optional<Pace> known;
  for (const double further : {1.0, 10.0, 1e2, 1e3}) {
    const double length = further * length_;
    const std::optional<double> pace = slope_along(t_, y_, f_, 1.0, length, point_, margin);
    if (!pace || (known && std::abs(*pace - known->pace) > known->error)) return known;
    known = Pace{*pace, share_of_noise * noise / length};
    if (std::abs(*pace) > known->error) return known;
  }
  return known;
}

// From two points on the way that led here: the model may be undefined ahead.
std::optional<IndicatorProbe::Edge> IndicatorProbe::edge(double resolution) {
  if (length_ == 0.0) return std::nullopt;
  move_along(-length_);
  if (!evaluate(t_ - length_, point_, near_)) return std::nullopt;
  move_along(-2.0 * length_);
  if (!evaluate(t_ - 2.0 * length_, point_, further_)) return std::nullopt;
  std::optional<Edge> nearest;
  for (std::size_t i = 0; i < here_.size(); ++i) {
    const double pace = (3.0 * here_[i] - 4.0 * near_[i] + further_[i]) / (2.0 * length_);
    if (!(pace < 0.0 && here_[i] >= 0.0)) continue;
    const double ahead = here_[i] / -pace;
    if (!nearest || ahead < nearest->ahead) nearest = Edge{i, ahead};
  }
  if (nearest && (nearest->ahead <= at_once * resolution || is_tolerated(nearest->ahead)))
    nearest->is_near = look_ahead(*nearest, resolution);
  return nearest;
}

bool IndicatorProbe::look_ahead(Edge& edge, double resolution) {
  edge.ahead = std::max(edge.ahead * (1.0 + overshoot), resolution);
  for (int tries = 0; tries < most_tries; ++tries, edge.ahead *= 2.0) {
    move_along(edge.ahead);
    evaluate(t_ + edge.ahead, point_, near_);
    if (near_[edge.indicator] < 0.0 || std::isnan(near_[edge.indicator])) return true;
  }
  return false;
}

}  // namespace daedalus::hybrid
