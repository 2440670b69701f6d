// From a flat model to a structured one.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/timing.hpp"
#include "daedalus/expr/cyclic.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// Aliases, index reduction, matching, strong components, tearing, the initial system and the
// Jacobian. Errors in the model are reported; then nothing is returned. Each pass adds a phase.
// Near-linear in the number of equations. States are chosen at the start values.
std::optional<StructuredModel> analyse(model::FlatModel flat, Diagnostics& diagnostics,
                                       Phases& phases);

// A model that has a `source`, with other states. Variables keep their numbers.
StructuredModel with_states(const StructuredModel& model, const StateChoice& choice,
                            Phases& phases);

// d(derivatives)/d(time), as a Jacobian of one column; none if it would be too large. The model
// gets temporaries.
std::optional<Jacobian> differentiate_in_time(StructuredModel& model);

// Gives the model the values that its parameters' bindings have now.
enum class ValueUpdate {
  Done,
  Refused,       // the reason was reported
  NewStructure,  // analyse the model again: an unknown that it was solved for has the factor 0
};
ValueUpdate update_values(StructuredModel& model, Diagnostics& diagnostics);

// Assignments that depend on each other, to be solved at events.
expr::CyclicEquations cyclic_equations(const expr::Arena& arena, expr::Walker& walker,
                                       std::span<const Assignment> assignments);

// Names of the variables; for memories, what they hold: a relation, sample(...).
expr::Names names_of(const StructuredModel& model);

// The structure as stable text: states, aliases, and blocks with the unknown that each equation is
// solved for.
std::string to_string(const StructuredModel& model);

// The equation as text; long ones are cut.
std::string equation_text(const model::FlatModel& flat, const model::Equation& equation,
                          const expr::Names& names);

}  // namespace daedalus::structure
