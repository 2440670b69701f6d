#include "hybrid/event_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::hybrid {
namespace {

constexpr std::size_t ratios = 5;          // that must be steady
constexpr double steadiness = 0.1;         // how far they may be apart, in units of 1 - ratio
constexpr double no_progress = 16.0;       // in units of the resolution of time
constexpr double least_interval = 200.0;   // in the same units, for a ratio to make sense
constexpr double rapid = 1e-3;             // of the time since the start
constexpr double at_zero = 2.0;            // excursion that cannot be distinguished from 0
constexpr double shrinking = 0.5;          // over most_repeats intervals
constexpr std::size_t most_unseen = 4;     // excursions
constexpr std::size_t most_repeats = 64;   // of an indicator without progress
constexpr std::size_t most_events = 1000;  // without progress, and as many per indicator

}  // namespace

EventHistory::EventHistory(std::size_t indicators, double rtol, double start, double unseen)
    : rtol_(rtol),
      unseen_(unseen),
      start_(start),
      last_(-std::numeric_limits<double>::infinity()),
      traces_(indicators) {}

bool EventHistory::is_rapid(std::size_t i, double t) const {
  const Trace& trace = traces_[i];
  return trace.count > 0 && t - trace.times[trace.count - 1] <= rapid * (t - start_);
}

EventHistory::Verdict EventHistory::note(double t, std::size_t i, double resolution,
                                         double excursion) {
  const bool stayed_at_zero = excursion <= at_zero;
  indicator_ = i;
  Trace& trace = traces_[i];
  if (trace.count > 0) {
    double& last = trace.times[trace.count - 1];
    const double interval = t - last;
    const bool is_same_time = interval <= no_progress * resolution;
    if (!is_same_time && !stayed_at_zero) trace.repeats = 0;
    if (trace.repeats++ == 0) trace.first_interval = interval;
    if (trace.repeats > most_repeats) {
      if (is_same_time || interval > shrinking * trace.first_interval) return Verdict::Chatters;
      trace.repeats = 0;
    }
    if (is_same_time) {
      last = t;
      return Verdict::GoesOn;
    }
  }
  keep(trace, t);
  const bool is_unseen = excursion <= unseen_;
  trace.unseen = is_unseen ? trace.unseen + 1 : 0;
  if (accumulates(trace, 1, resolution, is_unseen) || accumulates(trace, 2, resolution, is_unseen))
    return Verdict::Accumulates;
  return trace.unseen > most_unseen ? Verdict::Unseen : Verdict::GoesOn;
}

EventHistory::Verdict EventHistory::note(double t, double resolution) {
  without_progress_ = t - last_ <= no_progress * resolution ? without_progress_ + 1 : 0;
  last_ = t;
  return without_progress_ >= most_events * (1 + traces_.size()) ? Verdict::Chatters
                                                                 : Verdict::GoesOn;
}

void EventHistory::keep(Trace& trace, double t) {
  if (trace.count == kept) {
    std::shift_left(trace.times.begin(), trace.times.end(), 1);
    --trace.count;
  }
  trace.times[trace.count++] = t;
}

// Without computing a root: the ratio is more than that of the last to the first interval, so that
// the time left is more as well.
bool EventHistory::is_far_from_a_limit(double last, double first, double newest) const {
  if (!(last < first)) return true;
  const double least_left = last * last / (first - last);
  return least_left > std::max(rapid, rtol_) * (std::abs(newest) + std::abs(start_) + least_left);
}

// Whether the intervals shrink by a steady ratio r, so that all remaining ones add up to
// d r / (1 - r), and either this sum or what happens between the events is less than the tolerance
// resolves. A contact that opens as well as closes has a period of 2.
bool EventHistory::accumulates(const Trace& trace, std::size_t period, double resolution,
                               bool is_unseen) {
  if (trace.count < (ratios + 1) * period + 1) return false;
  const double* const newest = trace.times.data() + trace.count - 1;
  const auto interval = [&](std::size_t k) {
    return *(newest - k * period) - *(newest - (k + 1) * period);
  };
  if (interval(0) > interval(1) + 4.0 * resolution) return false;
  if (interval(0) < least_interval * resolution) return false;
  if (is_far_from_a_limit(interval(0), interval(ratios), *newest)) return false;
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0.0;
  for (std::size_t k = 0; k < ratios; ++k) {
    const double ratio = interval(k) / interval(k + 1);
    least = std::min(least, ratio);
    greatest = std::max(greatest, ratio);
  }
  const double last = interval(0);
  const double rounding = 4.0 * resolution / last;
  const double ratio = std::pow(last / interval(ratios), 1.0 / ratios);
  if (!(ratio < 1.0)) return false;
  if (greatest - least > steadiness * (1.0 - ratio) + rounding) return false;
  const double left = last * ratio / (1.0 - ratio);
  limit_ = *newest + left;
  if (is_unseen && left <= rapid * (limit_ - start_)) return true;
  return left <= rtol_ * std::max(std::abs(limit_), limit_ - start_);
}

}  // namespace daedalus::hybrid
