// Differentiates the equations that constrain states (Pantelides 1988).
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// What was differentiated. New equations stand behind the old ones in the model.
struct Differentiation {
  std::vector<std::uint32_t> derivative_of;  // by equation: what it is the derivative of, or none
  std::vector<std::uint32_t> derivative;     // by equation: its derivative, or none
  std::vector<int> times;                    // by equation: how often its origin was differentiated

  static constexpr std::uint32_t none = ~std::uint32_t{0};
};

// Adds derivatives of equations, and of variables where they need them, until each equation can
// determine a variable of highest derivative of its own. The model must be solvable once states and
// derivatives count as one unknown: then this comes to an end.
Differentiation differentiate_constraints(model::FlatModel& flat,
                                          const std::vector<Alias>& aliases);

}  // namespace daedalus::structure
