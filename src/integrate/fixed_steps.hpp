// Where steps of a fixed size end: on a grid that events do not shift.
#pragma once

#include <cmath>
#include <cstddef>

#include "daedalus/base/archive.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

// Fixed steps are counted, not summed up, so that rounding does not move them.
class FixedSteps {
 public:
  explicit FixedSteps(const Options& options) : options_(options) {}

  void start() {
    passed_ = 0;
    is_between_ = false;
  }
  // Goes on from t, which need not be on the grid: steps end where they would end without the
  // event.
  void go_on(double t) {
    constexpr double rounding = 1e-6;  // of a step
    const double steps = (t - options_.start) / options_.fixed_step;
    passed_ = static_cast<std::size_t>(std::floor(steps + rounding));
    is_between_ = std::abs(steps - static_cast<double>(passed_)) > rounding;
  }
  // A step has ended at t.
  void pass(double t) {
    if (t != next_end()) return go_on(t);
    ++passed_;
    is_between_ = false;
  }

  double next_end() const {
    return options_.start + static_cast<double>(passed_ + 1) * options_.fixed_step;
  }
  // The size of the next step, from t.
  double size(double t) const {
    if (!is_between_) return fit_fixed_to_end(t, options_);
    return std::min(options_.stop, next_end()) - t;
  }

  void archive(Archive& a) { a(passed_, is_between_); }

 private:
  const Options& options_;
  std::size_t passed_ = 0;   // from the start to the last end that is not after t
  bool is_between_ = false;  // t is not such an end
};

}  // namespace daedalus::integrate
