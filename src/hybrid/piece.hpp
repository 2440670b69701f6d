// A part of a step, as recorders see it.
#pragma once

#include <algorithm>
#include <span>

#include "daedalus/solution/recorder.hpp"

namespace daedalus::hybrid {

class Piece final : public solution::DenseStep {
 public:
  // Of `step`, from `begin` to `end`, where y is `end_state`.
  Piece(const solution::DenseStep& step, double begin, double end,
        std::span<const double> end_state)
      : DenseStep(begin, end, step.error()), step_(step), end_state_(end_state) {}

  std::span<const double> end_state() const override { return end_state_; }
  void at(double t, std::span<double> y) const override {
    if (t == end()) {
      std::ranges::copy(end_state_, y.begin());
    } else {
      step_.at(t, y);
    }
  }

 private:
  const solution::DenseStep& step_;
  std::span<const double> end_state_;
};

}  // namespace daedalus::hybrid
