// Differentiates the equations that constrain states (Pantelides 1988).
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// What was differentiated. New equations follow the old ones in the model.
struct Differentiation {
  std::vector<std::uint32_t> derivative_of;  // by equation: the one it is the derivative of, or
                                             // none
  std::vector<std::uint32_t> derivative;     // by equation: its derivative, or none
  std::vector<int> times;                    // by equation: how often its origin was differentiated

  static constexpr std::uint32_t none = ~std::uint32_t{0};
};

// Adds derivatives of equations, and of variables where those need them, until each equation can
// determine a variable of highest derivative of its own. This terminates because the model must be
// solvable with each state and its derivative as one unknown.
Differentiation differentiate_constraints(model::FlatModel& flat,
                                          const std::vector<Alias>& aliases);

}  // namespace daedalus::structure
