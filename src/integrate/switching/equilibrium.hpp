// Whether stability holds the steps of an explicit method at its limit.
#pragma once

#include <bit>
#include <cstdint>

#include "daedalus/base/archive.hpp"
#include "daedalus/methods/switching.hpp"

namespace daedalus::integrate {

// At the limit of stability, steps are so short that even a method of order 1 would be accurate
// enough (Shampine 1977; Cameron and Gani 1988, (36)-(37)).
class EquilibriumTest {
 public:
  explicit EquilibriumTest(const methods::EquilibriumRule& rule) : rule_(rule) {}

  void start() { history_ = 0; }

  // An accepted step of the explicit method, and whether that of order 1 would have succeeded.
  void step(bool first_order_succeeds) {
    history_ = (history_ << 1U | (first_order_succeeds ? 1U : 0U)) & mask(rule_.window);
  }

  bool is_reached() const {
    if (std::popcount(history_) >= rule_.successes) return true;
    const std::uint64_t row = mask(rule_.in_a_row);
    return rule_.in_a_row > 0 && (history_ & row) == row;
  }

  void archive(Archive& a) { a(history_); }

 private:
  static std::uint64_t mask(int steps) {
    return steps >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << static_cast<unsigned>(steps)) - 1;
  }

  methods::EquilibriumRule rule_;
  std::uint64_t history_ = 0;  // a bit for each step, the last one first; 1: success
};

}  // namespace daedalus::integrate
