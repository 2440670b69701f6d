// Methods whose stages depend on each other in both directions.
#include <cmath>

#include "catalogue.hpp"

namespace daedalus::methods {

const std::vector<RungeKutta>& fully_implicit_methods() {
  const Real s6 = std::sqrt(Real{6});
  static const std::vector<RungeKutta> all = {
      {.name = "radau5",
       .title = "Radau IIA of order 5",
       .source =
           "Ehle 1969; Hairer and Wanner 1996, Solving Ordinary Differential Equations II, IV.8",
       .order = 5,
       .A = {{(88 - 7 * s6) / 360, (296 - 169 * s6) / 1800, (-2 + 3 * s6) / 225},
             {(296 + 169 * s6) / 1800, (88 + 7 * s6) / 360, (-2 - 3 * s6) / 225},
             {(16 - s6) / 36, (16 + s6) / 36, frac(1, 9)}},
       .b = {(16 - s6) / 36, (16 + s6) / 36, frac(1, 9)},
       .error = FilteredQuadrature{}},
  };
  return all;
}

}  // namespace daedalus::methods
