// How the start values given by a model, or by its user, are used.
#pragma once

#include <span>
#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

struct StartUse {
  enum class Kind {
    Condition,  // the run starts with it
    Guess,      // an iteration, a search or a choice of states may start with it
    Ignored,
  };
  Kind kind = Kind::Condition;
  Span decided_by = {};      // unless it is a condition: the equation that decides
  VariableId same_as = {};   // ignored because this one, which is equal to it, has its own
  VariableId iterated = {};  // a guess, but this is what the iteration starts from
};

// The uses of these variables' start values; none of them are parameters. `written` are the initial
// equations before the analysis. Linear in the size of the model.
std::vector<StartUse> start_uses(const StructuredModel& model,
                                 std::span<const model::Equation> written,
                                 std::span<const VariableId> variables);

}  // namespace daedalus::structure
