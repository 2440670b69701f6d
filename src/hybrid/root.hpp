// Narrows down where a function becomes negative.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedalus::hybrid {

// Not negative at `before`, negative at `behind`.
struct Bracket {
  double before = 0.0;
  double behind = 0.0;
  double value_before = 0.0;
  double value_behind = 0.0;
};

// Chandrupatla 1997, Adv. Eng. Softw. 28: inverse quadratic interpolation where that is safe,
// bisection otherwise; the bracket is never left. Starts with a guess. Ends with a bracket not
// longer than `resolution`, even where `f` jumps. f is a function of t whose second result says
// whether it is defined.
template <class F>
bool narrow(Bracket& bracket, double guess, double resolution, const F& f) {
  double x1 = bracket.behind, f1 = bracket.value_behind;
  double x2 = bracket.before, f2 = bracket.value_before;
  const double guessed = (guess - x1) / (x2 - x1);
  double fraction = guessed > 0.0 && guessed < 1.0 ? guessed : 0.5;
  while (std::abs(x2 - x1) > resolution) {
    const double x = x1 + fraction * (x2 - x1);
    if (x == x1 || x == x2) break;
    const auto [value, is_defined] = f(x);
    if (!is_defined) return false;
    double x3 = x1, f3 = f1;
    if ((value < 0.0) != (f1 < 0.0)) {
      x3 = std::exchange(x2, x1);
      f3 = std::exchange(f2, f1);
    }
    x1 = x;
    f1 = value;
    const double least = std::min(0.5, 0.5 * resolution / std::abs(x2 - x1));
    const double xi = (x1 - x2) / (x3 - x2);
    const double phi = (f1 - f2) / (f3 - f2);
    fraction = 0.5;
    if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
      fraction =
          f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
    }
    fraction = std::clamp(fraction, least, 1.0 - least);
  }
  bracket = f1 < 0.0 ? Bracket{x2, x1, f2, f1} : Bracket{x1, x2, f1, f2};
  return true;
}

}  // namespace daedalus::hybrid
