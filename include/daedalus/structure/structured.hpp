// The structured model: equations sorted into blocks, torn, and ready for code generation.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/few.hpp"
#include "daedalus/expr/calculus.hpp"
#include "daedalus/model/flat_model.hpp"

namespace daedalus::structure {

using expr::ExprId;
using expr::SymbolId;
using model::EquationId;
using model::VariableId;

// target := value. Symbols beyond the model's variables are temporaries of the derivatives.
struct Assignment {
  SymbolId target;
  ExprId value;
};

struct Entry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

// Straight-line code: the assignments in order, then the outputs.
struct Kernel {
  std::vector<Assignment> assignments = {};
  std::vector<ExprId> outputs = {};
};

// How the tearing variables of a block were chosen: no smaller set exists; by a greedy choice; or
// all unknowns are iterated on, because a torn system would cost more or lose digits.
enum class Torn { Minimally, Greedily, NotAtAll };

// One strong component. Without tearing variables it is one assignment; otherwise the residuals are
// functions of the tearing variables through the assignments, and Newton's iteration (one linear
// solve if linear) drives them to zero.
struct Block {
  Few<EquationId> equations = {};
  Few<VariableId> unknowns = {};
  Few<Assignment> assignments = {};
  Few<VariableId> tearing = {};
  Few<EquationId> residual_equations = {};
  Few<ExprId> residuals = {};
  Torn torn = Torn::Minimally;
  bool linear = true;     // in the tearing variables
  bool constant = false;  // linear with coefficients that can only change at events
  bool sparse = false;    // the Jacobian is treated as a sparse matrix
  bool feeds_derivatives = true;
  Kernel jacobian = {};             // of the residuals; its outputs belong to `entries`
  std::vector<Entry> entries = {};  // residual, tearing variable
  Few<SymbolId> coefficients = {};  // if constant: the symbols from which its Jacobian is computed

  bool is_explicit() const { return tearing.empty(); }
};

struct SortedSystem {
  std::vector<model::Equation> equations = {};
  std::vector<Block> blocks = {};
};

// d(derivatives)/d(states). Each step runs its assignments; a step that has a block then solves
// (d residual / d tearing) X = -rhs for the derivatives X of the tearing variables, column by
// column.
struct JacobianStep {
  Kernel kernel = {};                     // outputs: right-hand sides, tearing.size() per column
  std::optional<std::size_t> block = {};  // in the sorted dynamic system
  std::vector<SymbolId> solution = {};    // as the outputs
};

struct Jacobian {
  std::vector<JacobianStep> steps = {};
  std::vector<Entry> entries = {};  // derivative, state; column by column
  std::vector<ExprId> values = {};
};

// An expression that could jump as time goes on, and is held between events instead.
struct Switch {
  enum class Kind {
    Relation,    // true where the difference is positive
    Floor,       // of the difference
    Truncation,  // of the difference, towards 0
  };
  Kind kind = Kind::Relation;
  VariableId symbol = {};  // a memory with the held value
  ExprId literal = {};     // as the model writes it
  ExprId value = {};       // its current value, from the difference
  ExprId difference = {};
  bool is_optional = false;  // of abs() or sign(): held only where that helps the integration
  std::optional<expr::LinearForm> in_time = {};  // the difference, if it depends on time alone
  Span span = {};                                // of the equation or action
};

// pre(v): what v was before an event.
struct Memory {
  VariableId symbol = {};
  VariableId of = {};  // not an alias
  int sign = 1;
  bool is_discrete = true;    // otherwise the left limit of a continuous variable
  bool is_condition = false;  // of a when-clause, which is not triggered at the start
};

// What events compute.
struct EventKernels {
  Kernel margins = {};       // one or two for each switch that depends on more than time
  Kernel seen_margins = {};  // the same, and 1 where nothing depends on the switch
  Kernel values = {};        // of these switches: what they should be
  Kernel time_forms = {};    // rate and rest, for each of the other switches
  Kernel assignments = {};   // of discrete variables
  Kernel actions = {};       // guard and value of each
  Kernel seen = {};          // whether anything depends on a switch that depends on more than time
  Kernel seen_forms = {};    // of the other switches; NaN where one is seen and undefined
  // Values, time forms and assignments in one kernel, where a model has few of them; otherwise it
  // has no outputs. In order: what all switches (first those that depend on time alone) and
  // discrete variables should be; when the next switch that depends on time alone changes; and the
  // sum of 1 if any value has changed, 2 if any differs by more than rounding, 4 if the dynamics
  // read one of these, 8 if another search may find more because of one, 16 if a switch is
  // undefined, which then keeps its value.
  Kernel search = {};
};

// The tolerance, relative to their size, for Reals that are found by iterating around a loop.
constexpr double held_rounding = 4 * std::numeric_limits<double>::epsilon();

// What happens at events. The values of `assignments` are computed in order, together with the
// dynamics and the switches, again and again until none changes.
struct Discrete {
  std::vector<Switch> switches = {};
  std::vector<model::Equation> equations = {};  // as they were written
  std::vector<Assignment> assignments = {};     // from these, in their order
  // Assignments of Integers and Booleans that depend on each other stand at the end, loop by loop;
  // these are the lengths of the loops.
  std::vector<std::size_t> loops = {};
  // The dynamics and the equations of discrete Reals as one sorted system, where such a Real is in
  // a loop with others or with the dynamics: this system is then solved at events, and the
  // assignments of Reals are not computed.
  std::optional<SortedSystem> joint = {};
  std::vector<Memory> memories = {};
  std::vector<Assignment> initial_memories = {};  // at the start, where the model gives any
  EventKernels kernels = {};

  bool is_empty(const model::FlatModel& flat) const {
    return switches.empty() && assignments.empty() && memories.empty() && flat.actions.empty() &&
           flat.samplers.empty();
  }
};

// What replaces an eliminated variable.
struct Alias {
  VariableId variable;
  VariableId representative;
  int sign = 1;
  Span span = {};  // of an equation that says so
};

// Constraints that were differentiated, and the derivatives that may stand for them: as many as
// there are constraints become algebraic variables (dummy derivatives, Mattsson and Soderlind
// 1993), and the variables of which they are derivatives are not states.
struct StateGroup {
  struct Constraint {
    EquationId equation;  // differentiated
    int times = 0;        // how often
  };
  // How much a candidate should become a dummy for a constraint that was differentiated this often,
  // so that as many of the variables below it are not states.
  struct Willingness {
    bool must = false, must_not = false;  // as one of them says (StateSelect.never, .always)
    int asked = 0;  // how many are willing (.avoid), less how many are not (.prefer)
    int degree = 0;
  };
  struct Candidate {
    VariableId variable;
    std::vector<Willingness> willingness = {};  // by number of differentiations, less one

    int order() const { return static_cast<int>(willingness.size()); }  // of the derivative
    const Willingness& after(int times) const {
      return willingness[static_cast<std::size_t>(times) - 1];
    }
  };
  std::vector<Constraint> constraints = {};
  std::vector<Candidate> candidates = {};
  std::vector<Entry> entries = {};       // constraint, candidate
  std::vector<ExprId> values = {};       // d residual / d candidate
  std::vector<VariableId> dummies = {};  // chosen, one for each constraint
  bool is_constant = true;               // whatever the values of the variables

  // Whether other dummies may be better at other points.
  bool may_change() const { return !is_constant && candidates.size() > constraints.size(); }
};

// An equation that was differentiated, or a derivative of one. All of them hold.
struct Constraint {
  EquationId equation = {};
  int times = 0;  // how often it was differentiated
  ExprId residual = {};
  std::vector<expr::Partial> partials = {};  // of the residual
};

// The dummies of each group.
using StateChoice = std::vector<std::vector<VariableId>>;

struct Attributes {
  double start = 0.0;
  bool start_given = false;
  std::optional<double> nominal = {};  // the usual size, where the model gives one
  std::optional<double> min = {}, max = {};
};

struct StructuredModel {
  model::FlatModel flat;               // without alias equations
  std::vector<double> values;          // of constants and parameters, by variable
  std::vector<Attributes> attributes;  // by variable
  std::vector<Alias> aliases;          // in the order of their declaration
  std::vector<VariableId> states;
  std::vector<VariableId> derivatives;    // of the states, in their order
  int index = 0;                          // structural: 0, 1, or one more than differentiations
  std::size_t differentiated = 0;         // number of equations added
  std::vector<StateGroup> groups;         // where states are chosen
  std::vector<Constraint> constraints;    // empty for a model whose states were chosen again
  std::vector<VariableId> former_states;  // no longer states because of constraints
  std::shared_ptr<const StructuredModel>
      source;  // the model before the choice, where another one may be better later
  Discrete discrete;
  SortedSystem dynamics;
  SortedSystem initial;
  // Of the states, if the model says nothing else about its start: the dynamics then determine the
  // rest, and `initial` is empty.
  std::optional<std::vector<Assignment>> start_values;
  std::vector<VariableId> assumed_starts;  // states whose start value was taken as given
  std::optional<Jacobian> jacobian;        // none when it would be too large to be worthwhile
  // The pattern, where there is no symbolic Jacobian: derivative, state; column by column. Empty:
  // it is dense.
  std::vector<Entry> jacobian_pattern;
  std::vector<ExprId> pivots;      // depend on parameters and must not become 0
  std::size_t symbol_count = 0;    // variables and temporaries
  std::size_t equation_count = 0;  // before aliases were taken out
};

}  // namespace daedalus::structure
