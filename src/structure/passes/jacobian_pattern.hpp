// Which derivatives depend on which states.
#pragma once

#include <optional>
#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

struct JacobianPattern {
  std::vector<Entry> entries = {};  // derivative, state; column by column
  std::size_t products = 0;         // a lower bound for those in the Jacobian's expressions
};

// Through every block that feeds the derivatives, without forming any derivative: where there are
// too many for expressions, differences need the pattern all the more. None where it is too dense
// to save anything. Linear in the number of dependences.
std::optional<JacobianPattern> jacobian_pattern(const model::FlatModel& flat,
                                                const SortedSystem& dynamics,
                                                const std::vector<VariableId>& states,
                                                const std::vector<VariableId>& derivatives);

}  // namespace daedalus::structure
