// Shared by steps that iterate on their stages, whatever the family.
#pragma once

#include "steps/elimination.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

// Places for the iteration, its Jacobian and estimates over two steps, given the number of stages
// and the number of values from which each is predicted.
void make_iteration_places(Frame& frame, std::size_t stages, std::size_t predictors);

// Writes the Jacobian for the steps that ask for a new one, which is expected in this fraction of
// them. It stays in the frame; returns its entries.
Vector write_jacobian(Frame& frame, double expected);

// Of the stages of this step and the last one, with the weights in the frame.
Vector two_step_estimate(Frame& frame, const std::vector<Vector>& stages);

// The difference by which a derivative at the end contradicts the stages, and what is needed to
// judge it.
struct Contradiction {
  Vector difference;
  Term length;                      // this times the difference is its effect on the result
  const Elimination<Term>& filter;  // and filtered
  const Vector& result;
};

// Records whether it exceeds both the allowed error and rounding. As in
// integrate/newton/contradiction.hpp.
void write_doubt(Frame& frame, const Contradiction& contradiction, const Vector& weights);

}  // namespace daedalus::steps
