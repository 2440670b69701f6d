// The members of a flat model, for archives. The bindings fail to compile when a member is added.
#pragma once

#include "daedalus/base/archive.hpp"
#include "daedalus/model/flat_model.hpp"

namespace daedalus::model {

template <class Archive>
void archive(Archive& a, Variable& variable) {
  auto& [name, type, variability, binding, start, min, max, nominal, fixed, state_select, is_final,
         is_input, is_output, is_structural, unit, description, span, start_span, binding_span,
         state_select_span, derivative, derivative_of, pre, pre_of, is_memory, is_hidden] =
      variable;
  a(name, type, variability, binding, start, min, max, nominal, fixed, state_select, is_final,
    is_input, is_output, is_structural, unit, description, span, start_span, binding_span,
    state_select_span, derivative, derivative_of, pre, pre_of, is_memory, is_hidden);
}

template <class Archive>
void archive(Archive& a, MessagePart& part) {
  auto& [text, value, type, significant_digits] = part;
  a(text, value, type, significant_digits);
}

template <class Archive>
void archive(Archive& a, Action& action) {
  auto& [kind, guard, target, value, message, level, span] = action;
  a(kind, guard, target, value, message, level, span);
}

template <class Archive>
void archive(Archive& a, FlatModel& flat) {
  auto& [name, description, arena, variables, equations, initial_equations, experiment,
         initial_flag, terminal_flag, samplers, whens, actions, placed] = flat;
  a(name, description, arena, variables, equations, initial_equations, experiment, initial_flag,
    terminal_flag, samplers, whens, actions, placed);
}

}  // namespace daedalus::model
