#include "daedalus/solution/time_profile.hpp"

#include <algorithm>

namespace daedalus::solution {

void TimeProfile::open_slot(double t) {
  if (used_ == capacity) halve();
  slots_[used_++] = {.begin = t, .attempts = 0, .rejected = 0};
}

void TimeProfile::halve() {
  static_assert(capacity % 2 == 0);
  for (std::size_t i = 0; i < capacity / 2; ++i) {
    const Slot& first = slots_[2 * i];
    const Slot& second = slots_[2 * i + 1];
    slots_[i] = {.begin = first.begin,
                 .attempts = first.attempts + second.attempts,
                 .rejected = first.rejected + second.rejected};
  }
  used_ = capacity / 2;
  attempts_per_slot_ *= 2;
}

void TimeProfile::add(const TimeProfile& other) {
  std::vector<Slot> slots(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(used_));
  slots.insert(slots.end(), other.slots_.begin(),
               other.slots_.begin() + static_cast<std::ptrdiff_t>(other.used_));
  std::ranges::stable_sort(slots, {}, &Slot::begin);
  used_ = 0;
  attempts_per_slot_ = 1;
  for (const Slot& slot : slots) {
    for (std::size_t k = 0; k < slot.attempts; ++k) {
      attempt(slot.begin);
      if (k < slot.rejected) reject();
    }
  }
}

TimeSlice TimeProfile::joined(std::size_t first, std::size_t last, double end) const {
  TimeSlice slice{
      .begin = slots_[first].begin,
      .end = last < used_ ? slots_[last].begin : std::max(end, slots_[used_ - 1].begin)};
  for (std::size_t i = first; i < last; ++i) {
    slice.attempts += slots_[i].attempts;
    slice.rejected += slots_[i].rejected;
  }
  return slice;
}

std::vector<TimeSlice> TimeProfile::slices(double end, std::size_t most) const {
  std::vector<TimeSlice> result;
  const std::size_t together = (used_ + most - 1) / most;
  for (std::size_t i = 0; i < used_; i += together) {
    result.push_back(joined(i, std::min(i + together, used_), end));
  }
  return result;
}

TimeSlice TimeProfile::busiest_half(double end) const {
  if (used_ == 0) return {};
  const TimeSlice all = joined(0, used_, end);
  TimeSlice shortest = all;
  for (std::size_t first = 0, last = 1; last <= used_; ++last) {
    for (; first < last; ++first) {
      const TimeSlice slice = joined(first, last, end);
      if (2 * slice.attempts < all.attempts) break;
      if (slice.end - slice.begin < shortest.end - shortest.begin) shortest = slice;
    }
  }
  return shortest;
}

}  // namespace daedalus::solution
