#include "daedalus/base/timing.hpp"

#include <sys/resource.h>

namespace daedalus {

std::size_t peak_memory() {
  rusage usage{};
  constexpr std::size_t unit = 1024;  // on Linux
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::size_t>(usage.ru_maxrss) * unit : 0;
}

}  // namespace daedalus
