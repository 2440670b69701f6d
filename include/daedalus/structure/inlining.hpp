// Inline integration: a model and a method as one system of difference equations, which computes
// the end of a step from its start.
#pragma once

#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/methods/method.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// What one stage computes.
struct InlinedStage {
  std::vector<VariableId> states;       // in the order of the model's
  std::vector<VariableId> derivatives;  // of the states
  std::vector<VariableId> increments;   // u of a Rosenbrock method; otherwise empty
  // By variable of the model: its copy in this stage; none for parameters, aliases and everything
  // else that the dynamics do not determine.
  std::vector<VariableId> copies;
};

// Further inputs of a Rosenbrock method's step: J and df/dt at its start.
struct InlinedJacobian {
  std::vector<VariableId> entries;           // those of StructuredModel::jacobian, in their order
  std::vector<VariableId> time_derivatives;  // of the derivatives, explicit in time; by state
};

// A system that must be solved in each step: a block with tearing variables.
struct NewtonSystem {
  std::size_t size = 0;  // tearing variables
  bool linear = false;
};

// One step. Variables of the model keep their numbers: time and the states stand for their values
// at the start of the step (`uC[begin]`), parameters for themselves; derivatives and algebraic
// variables have a copy in each stage (`iC[stage 1]`) and are not used themselves. Kernels of the
// model are not valid here, because temporaries have other numbers.
struct InlinedStep {
  methods::Method method;
  model::FlatModel flat;               // without equations: those are in `sorted`
  std::vector<double> values;          // of constants and parameters; by variable
  std::vector<Attributes> attributes;  // by variable
  // The inputs: step_size > 0, time and begin, parameters, and, with a Rosenbrock method, the
  // Jacobian. The blocks then give everything else. Those that do not feed a derivative of a stage
  // or a state at the end are not needed for the integration. Constant coefficients change with the
  // step size.
  SortedSystem sorted;
  VariableId step_size;
  std::vector<VariableId> begin;  // the model's states
  std::vector<InlinedStage> stages;
  InlinedJacobian jacobian;
  std::vector<VariableId> end;  // of the states; the last stage's where that is the result
  std::vector<ExprId> pivots;   // depend on parameters and must not become 0
  std::size_t symbol_count = 0;
  // Before sorting, including trivial ones: for each stage, those of the model and one of the
  // integrator for each state. The sums that compute the end are not counted.
  std::size_t equation_count = 0;

  std::vector<NewtonSystem> newton_systems() const;  // in the order in which they are solved
  std::size_t iteration_variables() const;           // of all of them
};

// The unknowns that an integrator's equation x[i] = x0 + h sum a[i][j] x'[j] may be solved for.
enum class IntegratorPivots {
  States,                // x[i]
  StatesAndDerivatives,  // x'[j], too, which divides by h a[i][j]: the smallest systems, but digits
                         // are lost in a step that is much shorter or longer than a time constant
};

// Replicates the dynamics for each stage, with time t0 + c[i] h, and adds the integrator's
// equations x[i] = x0 + h sum a[i][j] x'[j], so that derivatives become unknowns like others; then
// sorts and tears. An explicit stage is a list of assignments, diagonally implicit ones give one
// system each, fully implicit ones are solved together. Each stage of a Rosenbrock method is one
// linear system for the increments of the states, which is not torn, as all stages share its
// matrix. A method of variable order is an Error; so is a Rosenbrock method for a model without a
// symbolic Jacobian. Near-linear in stages times equations.
Result<InlinedStep> inline_step(const StructuredModel& model, const methods::Method& method,
                                IntegratorPivots pivots = IntegratorPivots::States);

// The blocks as stable text.
std::string to_string(const InlinedStep& step);

}  // namespace daedalus::structure
