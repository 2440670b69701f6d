#include "daedalus/system/held.hpp"

#include <atomic>

namespace daedalus::system {

// Each thread takes many stamps at once, so that threads do not wait for each other at every event.
std::uint64_t Held::new_stamp() {
  constexpr std::uint64_t taken_at_once = std::uint64_t{1} << 20;
  static std::atomic<std::uint64_t> taken = 0;
  thread_local std::uint64_t last = 0, end = 0;
  if (last == end) {
    last = taken.fetch_add(taken_at_once, std::memory_order_relaxed);
    end = last + taken_at_once;
  }
  return ++last;
}

}  // namespace daedalus::system
