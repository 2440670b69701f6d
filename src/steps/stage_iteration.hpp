// What steps that iterate on their stages have in common, whatever the family.
#pragma once

#include "steps/elimination.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

// Places for the iteration, its Jacobian and estimates over two steps, for so many stages of which
// each is predicted from so many values.
void make_iteration_places(Frame& frame, std::size_t stages, std::size_t predictors);

// Writes the Jacobian, where a new one is asked for, which is expected in such a part of the steps.
// It stays in the frame; returns its entries.
Vector write_jacobian(Frame& frame, double expected);

// Of the stages of this step and the last one, with the weights in the frame.
Vector two_step_estimate(Frame& frame, const std::vector<Vector>& stages);

// A derivative at the end that contradicts the stages by a difference, and what judges it.
struct Contradiction {
  Vector difference;
  Term length;                      // what it counts as in the result, times the difference
  const Elimination<Term>& filter;  // and filtered
  const Vector& result;
};

// Says whether it is more than the error that is allowed and more than rounding. As in
// integrate/newton/contradiction.hpp.
void write_doubt(Frame& frame, const Contradiction& contradiction, const Vector& weights);

}  // namespace daedalus::steps
