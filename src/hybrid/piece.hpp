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
      : step_(step), begin_(begin), end_(end), end_state_(end_state) {}

  double begin() const override { return begin_; }
  double end() const override { return end_; }
  double error() const override { return step_.error(); }
  std::span<const double> end_state() const override { return end_state_; }
  void at(double t, std::span<double> y) const override {
    if (t == end_) {
      std::ranges::copy(end_state_, y.begin());
    } else {
      step_.at(t, y);
    }
  }

 private:
  const solution::DenseStep& step_;
  double begin_;
  double end_;
  std::span<const double> end_state_;
};

}  // namespace daedalus::hybrid
