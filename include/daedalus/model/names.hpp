// Names of variables in sentences.
#pragma once

#include <span>
#include <string>

#include "daedalus/model/flat_model.hpp"

namespace daedalus::model {

// `a`, `b`, `c` and 7 more.
std::string quoted_names(const FlatModel& flat, std::span<const VariableId> variables);

}  // namespace daedalus::model
