// Invariants between phases: a broken one is our defect, and is reported before it does harm.
#pragma once

namespace daedalus {

[[noreturn]] void broken_invariant(const char* condition, const char* file, int line);

}  // namespace daedalus

#define DAEDALUS_CHECK(condition) \
  ((condition) ? void(0) : ::daedalus::broken_invariant(#condition, __FILE__, __LINE__))
