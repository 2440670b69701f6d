// The linear model around a point of a run.
#pragma once

#include <optional>

#include "daedalus/engine/engine.hpp"
#include "daedalus/solution/linear_model.hpp"

namespace daedalus::engine {

// The run to the point, and the linear model there: none if the run failed on the way or the
// derivatives are not defined at the point; the run's outcome then says why.
struct Linearization {
  solution::Solution run;
  std::optional<solution::LinearModel> linear = {};
};

// Runs the model to options.stop (not given: only initialises it) and linearises it there. The
// matrices are exact derivatives. Eigenvalues are left out above solution::most_dense states; below
// it, their cost grows with the cube of the number of states. Compiles the model a second time.
Result<Linearization> linearize(const Model& model, Options options = {});

}  // namespace daedalus::engine
