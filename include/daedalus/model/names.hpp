// Names of variables in sentences.
#pragma once

#include <span>
#include <string>

#include "daedalus/model/flat_model.hpp"

namespace daedalus::model {

// `a`, `b`, `c` and 7 more. What the text has no name for, as the condition of a when-clause, is
// counted at the end: `a` and 2 conditions.
std::string quoted_names(const FlatModel& flat, std::span<const VariableId> variables);

}  // namespace daedalus::model
