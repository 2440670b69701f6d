// Names of variables in sentences.
#pragma once

#include <span>
#include <string>

#include "daedalus/model/flat_model.hpp"

namespace daedalus::model {

// `a`, `b`, `c` and 7 more. Variables without a name in the text, such as conditions of
// when-clauses, are counted at the end: `a` and 2 conditions.
std::string quoted_names(const FlatModel& flat, std::span<const VariableId> variables);

}  // namespace daedalus::model
