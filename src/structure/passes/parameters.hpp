// The values of constants, parameters and attributes.
#pragma once

#include <optional>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

struct ParameterValues {
  std::vector<double> values;  // by variable; 0 for unknowns
  std::vector<Attributes> attributes;
};

// Evaluates bindings in the order of their dependence. Refuses cycles, missing values, values that
// are not finite and values outside min and max. Linear.
std::optional<ParameterValues> evaluate_parameters(const model::FlatModel& flat,
                                                   Diagnostics& diagnostics);

}  // namespace daedalus::structure
