// How the work of a run is distributed over the simulated time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"

namespace daedalus::solution {

// A stretch of the simulated time and the attempts that started in it.
struct TimeSlice {
  double begin = 0.0;
  double end = 0.0;
  std::size_t attempts = 0;
  std::size_t rejected = 0;

  std::size_t steps() const { return attempts - rejected; }
};

// Slices of equally many attempts, not of equal length: a run that spends its steps in the first of
// ten decades shows that decade in detail. Its size is constant however long the run is: when all
// slices are full, they are merged in pairs.
class TimeProfile {
 public:
  // Leaves the slots uninitialised: clearing them could take longer than a short run.
  TimeProfile() {}
  TimeProfile(const TimeProfile& other) { *this = other; }
  TimeProfile& operator=(const TimeProfile& other) {
    std::copy_n(other.slots_.begin(), other.used_, slots_.begin());
    used_ = other.used_;
    attempts_per_slot_ = other.attempts_per_slot_;
    return *this;
  }

  // An attempt from t, which never decreases. Inline, like reject(): small steps take 100 ns.
  void attempt(double t) {
    if (used_ == 0 || slots_[used_ - 1].attempts == attempts_per_slot_) open_slot(t);
    ++slots_[used_ - 1].attempts;
  }
  void add(const TimeProfile& later);
  void reject() { ++slots_[used_ - 1].rejected; }  // the last attempt

  // At most `most` slices without gaps from the first attempt to `end`, where the run ended; all
  // but the last have equally many attempts.
  std::vector<TimeSlice> slices(double end, std::size_t most) const;

  // The shortest sequence of slices with at least half of the attempts, as one slice.
  TimeSlice busiest_half(double end) const;

  void archive(Archive& a) {
    a(used_, attempts_per_slot_);
    Archive::require(used_ <= capacity);
    std::span<Slot> used = std::span(slots_).first(used_);
    a(used);
  }

 private:
  struct Slot {
    double begin;
    std::size_t attempts;
    std::size_t rejected;
  };
  static constexpr std::size_t capacity = 200;

  void open_slot(double t);
  void halve();
  TimeSlice joined(std::size_t first, std::size_t last, double end) const;

  std::array<Slot, capacity> slots_;  // the first used_ of them are in use
  std::size_t used_ = 0;
  std::size_t attempts_per_slot_ = 1;
};

}  // namespace daedalus::solution
