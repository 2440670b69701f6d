// What a system holds between events, as a value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace daedalus::system {

// Numbers whose meaning only the system knows: the side of a comparison, the last output of a
// sampled controller, the next tick of a clock, and where the solutions of algebraic loops are
// sought. Can be copied, compared, stored and handed to another thread.
class Held {
 public:
  Held() = default;
  explicit Held(std::vector<double> numbers)
      : numbers_(std::move(numbers)), stamp_(numbers_.empty() ? 0 : stamps_.next()) {}

  std::span<const double> numbers() const { return numbers_; }
  double operator[](std::size_t i) const { return numbers_[i]; }

  // For changing them: this makes all earlier stamps out of date.
  std::span<double> change() {
    stamp_ = stamps_.next();
    return numbers_;
  }

  // Equal stamps mean equal numbers, for as long as the program runs; copies share theirs. A caller
  // that has prepared something for them need not look at the numbers again.
  std::uint64_t stamp() const { return stamp_; }

  // Compares bits, so that NaN is equal to itself.
  friend bool operator==(const Held& one, const Held& other) {
    if (one.stamp_ == other.stamp_) return true;
    return std::ranges::equal(one.numbers_, other.numbers_, {}, bits, bits);
  }

  template <class Archive>
  friend void archive(Archive& a, Held& held) {
    a(held.numbers_);
    if (a.is_reading()) held = Held(std::move(held.numbers_));
  }

 private:
  static std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

  // Each object takes many stamps at once that no other one has; its copies take their own.
  class Stamps {
   public:
    Stamps() = default;
    Stamps(const Stamps&) {}
    Stamps& operator=(const Stamps&) { return *this; }

    std::uint64_t next() {  // never 0
      if (last_ == end_) take_more();
      return ++last_;
    }

   private:
    void take_more();

    std::uint64_t last_ = 0, end_ = 0;
  };

  std::vector<double> numbers_;
  Stamps stamps_;
  std::uint64_t stamp_ = 0;  // 0 is the stamp of no numbers
};

}  // namespace daedalus::system
