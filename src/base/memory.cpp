#include "daedalus/base/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace daedalus {

double memory_limit() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  double most = std::numeric_limits<double>::infinity();
  if (pages > 0 && size > 0) most = static_cast<double>(pages) * static_cast<double>(size);
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
    most = std::min(most, static_cast<double>(addresses.rlim_cur));
  return most;
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 1000.0 && unit + 1 < std::size(units); ++unit) bytes /= 1000.0;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace daedalus
