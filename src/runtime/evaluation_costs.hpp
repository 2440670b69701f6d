// What evaluations of a model take, by the operations in its code.
#pragma once

#include "daedalus/structure/structured.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::runtime {

// Near-linear in the model.
system::Costs evaluation_costs(const structure::StructuredModel& model);

}  // namespace daedalus::runtime
