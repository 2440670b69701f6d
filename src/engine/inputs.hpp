// What a model takes from outside, when nobody is there.
#pragma once

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/model/flat_model.hpp"

namespace daedalus::engine {

// Each input gets the equation `input = binding`, or keeps to its start value where it has no
// binding. One without either is refused; then false.
bool bind_inputs(model::FlatModel& flat, Diagnostics& diagnostics);

}  // namespace daedalus::engine
