// Pairs of an explicit and an implicit Runge-Kutta method, between which an integrator switches.
#pragma once

#include <string>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// When the explicit method has reached the limit of its stability: so many of its last steps would
// have been accurate enough even with its embedded method of order 1.
struct EquilibriumRule {
  int window = 50;  // at most 64 steps
  int successes = 25;
  int in_a_row = 0;  // these are enough, too; 0: they are not
};

struct Switching {
  std::string name;
  std::string title;
  std::string source;
  int order = 0;
  const RungeKutta* nonstiff = nullptr;  // explicit, its first two stages are Euler's and Heun's
  const RungeKutta* stiff = nullptr;     // diagonally implicit and stiffly accurate
  EquilibriumRule to_stiff;
  // |h lambda| where the explicit method becomes unstable, for eigenvalues of any kind; the
  // explicit method is taken again below that share of it.
  double stability_limit = 0.0;
  double share_of_limit = 0.0;
};

// All of them, in the order shown to users.
const std::vector<Switching>& switching_methods();

}  // namespace daedalus::methods
