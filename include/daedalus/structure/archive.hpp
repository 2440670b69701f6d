// The members of a structured model, for archives. The structured bindings fail to compile when a
// member is added.
#pragma once

#include "daedalus/model/archive.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

template <class Archive>
void archive(Archive& a, Kernel& kernel) {
  auto& [assignments, outputs] = kernel;
  a(assignments, outputs);
}

template <class Archive>
void archive(Archive& a, Block& block) {
  auto& [equations, unknowns, assignments, tearing, residual_equations, residuals, torn, linear,
         constant, sparse, feeds_derivatives, jacobian, entries, coefficients] = block;
  a(equations, unknowns, assignments, torn, linear, constant, sparse, feeds_derivatives, tearing);
  if (tearing.empty()) return;  // there is nothing else
  a(residual_equations, residuals, jacobian, entries, coefficients);
}

template <class Archive>
void archive(Archive& a, SortedSystem& sorted) {
  auto& [equations, blocks] = sorted;
  a(equations, blocks);
}

template <class Archive>
void archive(Archive& a, JacobianStep& step) {
  auto& [kernel, block, solution] = step;
  a(kernel, block, solution);
}

template <class Archive>
void archive(Archive& a, Jacobian& jacobian) {
  auto& [steps, entries, values] = jacobian;
  a(steps, entries, values);
}

template <class Archive>
void archive(Archive& a, StateGroup::Candidate& candidate) {
  auto& [variable, willingness] = candidate;
  a(variable, willingness);
}

template <class Archive>
void archive(Archive& a, StateGroup& group) {
  auto& [constraints, candidates, entries, values, dummies, is_constant] = group;
  a(constraints, candidates, entries, values, dummies, is_constant);
}

template <class Archive>
void archive(Archive& a, Constraint& constraint) {
  auto& [equation, times, residual, partials] = constraint;
  a(equation, times, residual, partials);
}

template <class Archive>
void archive(Archive& a, Switch& one) {
  auto& [kind, symbol, literal, value, difference, is_optional, in_time, span] = one;
  a(kind, symbol, literal, value, difference, is_optional, in_time, span);
}

template <class Archive>
void archive(Archive& a, EventKernels& kernels) {
  auto& [margins, seen_margins, values, time_forms, assignments, actions, seen, seen_forms,
         search] = kernels;
  a(margins, seen_margins, values, time_forms, assignments, actions, seen, seen_forms, search);
}

template <class Archive>
void archive(Archive& a, Discrete& discrete) {
  auto& [switches, equations, assignments, loops, joint, memories, initial_memories, kernels] =
      discrete;
  a(switches, equations, assignments, loops, joint, memories, initial_memories, kernels);
}

template <class Archive>
void archive(Archive& a, StructuredModel& model) {
  auto& [flat, values, attributes, aliases, states, derivatives, structural_index, differentiated,
         groups, constraints, former_states, source, discrete, dynamics, initial, start_values,
         assumed_starts, jacobian, jacobian_pattern, pivots, symbol_count, equation_count] = model;
  a(flat, values, attributes, aliases, states, derivatives, structural_index, differentiated,
    groups, constraints, former_states, source, discrete, dynamics, initial, start_values,
    assumed_starts, jacobian, jacobian_pattern, pivots, symbol_count, equation_count);
}

}  // namespace daedalus::structure
