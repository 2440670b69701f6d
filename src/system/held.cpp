#include "daedalus/system/held.hpp"

#include <atomic>

namespace daedalus::system {

void Held::Stamps::take_more() {
  constexpr std::uint64_t at_once = std::uint64_t{1} << 16;
  static std::atomic<std::uint64_t> taken = 0;
  last_ = taken.fetch_add(at_once, std::memory_order_relaxed);
  end_ = last_ + at_once;
}

}  // namespace daedalus::system
