// Loops whose length the compiler knows, for the short vectors of small systems.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace daedalus::linalg {

// Calls `act` with n, as a constant where it is small: a loop over two or three components would
// spend its time on counting.
template <class Act>
auto with_size(std::size_t n, Act act) {
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

}  // namespace daedalus::linalg
