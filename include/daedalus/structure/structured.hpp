// The structured model: equations sorted into blocks, torn, and ready to be generated.
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
  bool constant = false;  // linear with coefficients that can change at events only
  bool sparse = false;    // the Jacobian is solved with as a sparse matrix
  bool feeds_derivatives = true;
  Kernel jacobian = {};             // of the residuals; its outputs belong to `entries`
  std::vector<Entry> entries = {};  // residual, tearing variable
  Few<SymbolId> coefficients = {};  // if constant: what the Jacobian is computed from

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
  Kernel kernel = {};  // outputs: right-hand sides, tearing.size() for each column
  std::optional<std::size_t> block = {};  // in the sorted dynamic system
  std::vector<SymbolId> solution = {};    // as the outputs
};

struct Jacobian {
  std::vector<JacobianStep> steps = {};
  std::vector<Entry> entries = {};  // derivative, state; column by column
  std::vector<ExprId> values = {};
};

// What could jump while time goes on, and is held between events instead.
struct Switch {
  enum class Kind {
    Relation,    // true where the difference is positive
    Floor,       // of the difference
    Truncation,  // of the difference, towards 0
  };
  Kind kind = Kind::Relation;
  VariableId symbol = {};  // a memory with the value that is held
  ExprId literal = {};     // as the model writes it
  ExprId value = {};       // what it is now, by the difference
  ExprId difference = {};
  bool is_optional = false;  // of abs() or sign(): held only where that helps the integration
  std::optional<expr::LinearForm> in_time = {};  // the difference, where nothing else moves it
  Span span = {};                                // of the equation or action
};

// pre(v): what v was before an event.
struct Memory {
  VariableId symbol = {};
  VariableId of = {};  // not an alias
  int sign = 1;
  bool is_discrete = true;    // otherwise the left limit of a variable that moves
  bool is_condition = false;  // of a when-clause, which nothing triggers at the start
};

// What events compute.
struct EventKernels {
  Kernel margins = {};       // one or two for each switch that not only time moves
  Kernel seen_margins = {};  // the same, and 1 where nothing depends on the switch
  Kernel values = {};        // of these switches, as they should be
  Kernel time_forms = {};    // rate and rest, for each of the other switches
  Kernel assignments = {};   // of discrete variables
  Kernel actions = {};       // guard and value of each
  Kernel seen = {};          // whether anything depends on a switch that not only time moves
  Kernel seen_forms = {};    // of the other switches, NaN where one is seen and undefined
  // Values, time forms and assignments in one, where a model has few; without outputs otherwise.
  // What all switches (those that only time moves first) and discrete variables should be, one
  // after the other; when the next switch changes that only time moves; and the sum of 1 if any
  // value is another one, 2 if any differs by more than rounding, 4 if the dynamics read one of
  // these, 8 if another search may find more because of one, 16 if a switch is undefined, which
  // then keeps what it holds.
  Kernel search = {};
};

// What Reals that are found by going round a loop may differ by, relative to their size.
constexpr double held_rounding = 4 * std::numeric_limits<double>::epsilon();

// What happens at events. The values of `assignments` are computed in their order, again and again
// until none changes; the dynamics and the switches with them.
struct Discrete {
  std::vector<Switch> switches = {};
  std::vector<model::Equation> equations = {};  // as they were written
  std::vector<Assignment> assignments = {};     // from these, in their order
  // Assignments of Integers and Booleans that need each other stand at the end, loop by loop: as
  // many belong to each.
  std::vector<std::size_t> loops = {};
  // The dynamics and the equations of discrete Reals as one sorted system, where such a Real is in
  // a loop with others or with the dynamics: then that is solved at events, and the assignments of
  // Reals are not computed.
  std::optional<SortedSystem> joint = {};
  std::vector<Memory> memories = {};
  std::vector<Assignment> initial_memories = {};  // at the start, where the model says something
  EventKernels kernels = {};

  bool is_empty(const model::FlatModel& flat) const {
    return switches.empty() && assignments.empty() && memories.empty() && flat.actions.empty() &&
           flat.samplers.empty();
  }
};

// Where an eliminated variable lives now.
struct Alias {
  VariableId variable;
  VariableId representative;
  int sign = 1;
  Span span = {};  // of an equation that says so
};

// Constraints that were differentiated, and the derivatives that may stand for them: as many as
// there are constraints become algebraic variables (dummy derivatives, Mattsson and Soderlind
// 1993), and what they are derivatives of are no states.
struct StateGroup {
  struct Constraint {
    EquationId equation;  // differentiated
    int times = 0;        // how often
  };
  // To become a dummy for a constraint that was differentiated so often, so that as many of the
  // variables below it are no states.
  struct Willingness {
    bool must = false, must_not = false;  // as one of them says (StateSelect.never, .always)
    int asked = 0;  // how many rather would (.avoid), less how many rather would not (.prefer)
    int degree = 0;
  };
  struct Candidate {
    VariableId variable;
    std::vector<Willingness> willingness = {};  // by how often, less one

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
  bool is_constant = true;               // whatever the variables are

  // Whether other dummies may be better elsewhere.
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
  std::vector<double> values;          // of constants and parameters; by variable
  std::vector<Attributes> attributes;  // by variable
  std::vector<Alias> aliases;          // in the order of their declaration
  std::vector<VariableId> states;
  std::vector<VariableId> derivatives;    // of the states, in their order
  int index = 0;                          // structural: 0, 1, or one more than differentiations
  std::size_t differentiated = 0;         // equations that were added
  std::vector<StateGroup> groups;         // where states are chosen
  std::vector<Constraint> constraints;    // empty for a model whose states were chosen anew
  std::vector<VariableId> former_states;  // those that gave way to constraints
  std::shared_ptr<const StructuredModel>
      source;  // before, where another choice may be better later
  Discrete discrete;
  SortedSystem dynamics;
  SortedSystem initial;
  // Of the states, where the model says no more about its start than their values: the dynamics
  // then give the rest, and `initial` is empty.
  std::optional<std::vector<Assignment>> start_values;
  std::vector<VariableId> assumed_starts;  // states whose start value was taken as given
  std::optional<Jacobian> jacobian;        // none when it would be too large to be worth it
  // Of the Jacobian, where there is none: derivative, state; column by column. Empty: it is full.
  std::vector<Entry> jacobian_pattern;
  std::vector<ExprId> pivots;      // that depend on parameters and must not become 0
  std::size_t symbol_count = 0;    // variables and temporaries
  std::size_t equation_count = 0;  // before aliases were taken out
};

}  // namespace daedalus::structure
