// A move that is shorter than the tolerances, as recorders see it.
#pragma once

#include <algorithm>
#include <span>

#include "daedalus/solution/recorder.hpp"

namespace daedalus::hybrid {

// Across the edge of a domain: before its end, y is the state at its start, since nothing else is
// known to be defined.
class Leap final : public solution::DenseStep {
 public:
  Leap(double begin, std::span<const double> begin_state, double end,
       std::span<const double> end_state)
      : DenseStep(begin, end, 0.0), begin_state_(begin_state), end_state_(end_state) {}

  std::span<const double> end_state() const override { return end_state_; }
  void at(double t, std::span<double> y) const override {
    std::ranges::copy(t == end() ? end_state_ : begin_state_, y.begin());
  }

 private:
  std::span<const double> begin_state_;
  std::span<const double> end_state_;
};

}  // namespace daedalus::hybrid
