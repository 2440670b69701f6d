// Loops of a length known to the compiler, for the short vectors of small systems.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

namespace daedalus::linalg {

// Calls `act` with n, as a constant where it is small: a loop over two or three components would
// spend its time on counting.
template <class Act>
[[gnu::always_inline]] inline auto with_size(std::size_t n, Act act) {
  const auto with = [&]<std::size_t size>() {
    return act(std::integral_constant<std::size_t, size>{});
  };
  switch (n) {
    case 1:
      return with.template operator()<1>();
    case 2:
      return with.template operator()<2>();
    case 3:
      return with.template operator()<3>();
    case 4:
      return with.template operator()<4>();
    case 5:
      return with.template operator()<5>();
    case 6:
      return with.template operator()<6>();
    case 7:
      return with.template operator()<7>();
    case 8:
      return with.template operator()<8>();
    default:
      return act(n);
  }
}

// sum += factor x
inline void add_multiple(double factor, std::span<const double> x, std::span<double> sum) {
  with_size(sum.size(), [&](auto n) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += factor * x[i];
  });
}

// Whether all components are equal, and none is NaN.
inline bool are_equal(std::span<const double> a, std::span<const double> b) {
  unsigned different = 0;
  with_size(a.size(), [&](auto n) {
    for (std::size_t i = 0; i < n; ++i) different |= a[i] == b[i] ? 0U : 1U;
  });
  return different == 0;
}

// to = from, where `from` was stored component by component just now: a wide load, as in memmove(),
// would have to wait until the components have left the store buffer. Reads of a volatile are not
// merged into one.
inline void copy_fresh(std::span<const double> from, std::span<double> to) {
  if (from.size() > 8) {
    std::copy(from.begin(), from.end(), to.begin());
    return;
  }
  const volatile double* values = from.data();
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = values[i];
}

}  // namespace daedalus::linalg
