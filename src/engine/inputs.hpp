// Values for the inputs of a model that runs on its own.
#pragma once

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/model/flat_model.hpp"

namespace daedalus::engine {

// Each input gets the equation `input = binding`, or `input = start` if it has no binding. False if
// an input has neither, which is reported.
bool bind_inputs(model::FlatModel& flat, Diagnostics& diagnostics);

}  // namespace daedalus::engine
