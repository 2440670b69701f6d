// The sorted system of a model, as a picture shows it.
#pragma once

#include "daedalus/engine/analysis.hpp"
#include "daedalus/report/incidence.hpp"

namespace daedalus::cli {

// For a model that was accepted. Linear in the size of the equations.
report::Incidence incidence_of(const engine::Analysis& analysis);

}  // namespace daedalus::cli
