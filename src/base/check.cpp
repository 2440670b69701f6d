#include "daedalus/base/check.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace daedalus {

void broken_invariant(const char* condition, const char* file, int line) {
  throw std::logic_error(
      fmt::format("internal error: {} does not hold ({}:{})", condition, file, line));
}

}  // namespace daedalus
