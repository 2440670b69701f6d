// The sizes of the last steps.
#pragma once

#include <array>
#include <cstddef>

#include "daedalus/base/archive.hpp"

namespace daedalus::integrate {

constexpr std::size_t highest_multistep_order = 12;

class StepHistory {
 public:
  // As if all earlier steps had been of this size.
  void start(double h) { sizes_.fill(h); }

  void push(double h) {
    for (std::size_t i = sizes_.size() - 1; i > 0; --i) sizes_[i] = sizes_[i - 1];
    sizes_[0] = h;
  }

  double operator[](std::size_t i) const { return sizes_[i]; }  // the latest first

  void archive(Archive& a) { a(sizes_); }

 private:
  std::array<double, highest_multistep_order + 1> sizes_ = {};
};

}  // namespace daedalus::integrate
