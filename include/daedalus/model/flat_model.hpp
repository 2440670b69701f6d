// The flat model: variables with their attributes, equations, and what the model says about its
// experiment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/source.hpp"
#include "daedalus/expr/arena.hpp"
#include "daedalus/model/experiment.hpp"

namespace daedalus::model {

using expr::ExprId;
using VariableId = expr::SymbolId;  // a symbol of the model's arena is a variable
using EquationId = Index<struct EquationTag>;
using FamilyId = Index<struct FamilyTag>;

enum class Type { Real, Integer, Boolean };
enum class Variability { Constant, Parameter, Discrete, Continuous };

// Whether it keeps its value during a run.
constexpr bool is_fixed_in_time(Variability variability) {
  return variability <= Variability::Parameter;
}

// How strongly the model wants a variable to be a state.
enum class StateSelect { Never, Avoid, Default, Prefer, Always };

std::string_view type_name(Type type);
std::string_view state_select_name(StateSelect select);  // as written: "StateSelect.never"

// Expressions that are empty were not given.
struct Variable {
  std::string name;
  Type type = Type::Real;
  Variability variability = Variability::Continuous;
  ExprId binding = {};  // of constants, parameters and inputs; a variable's becomes an equation
  ExprId start = {};
  ExprId min = {};
  ExprId max = {};
  ExprId nominal = {};
  bool fixed = false;
  StateSelect state_select = StateSelect::Default;
  bool is_final = false;
  bool is_input = false;       // comes from outside; if it does not, its binding holds
  bool is_output = false;      // what the model shows to the outside
  bool is_structural = false;  // a parameter whose value decided a size, a range or a subscript
  std::string unit = {};
  std::string description = {};
  Span span = {};                 // of its name in the declaration
  Span start_span = {};           // of the start attribute, where there is one
  Span binding_span = {};         // of the value, where there is one
  Span state_select_span = {};    // of the attribute, where there is one
  VariableId derivative = {};     // der(this), where the model uses it
  VariableId derivative_of = {};  // what this is the derivative of
  VariableId pre = {};            // pre(this), where the model uses it
  VariableId pre_of = {};         // what this is the value of before an event
  bool is_memory = false;         // no equation computes it; the run sets it at events
  bool is_hidden = false;         // its name is not from the model: of no interest in results
};

struct Equation {
  ExprId left;
  ExprId right;
  Span span = {};
  Type type = Type::Real;
  FamilyId family = {};  // of what comes from one for-equation or array equation; or none
};

// The position of an expression in the text, where it is not inside that of its equation.
struct PlacedExpression {
  ExprId value;
  Span span = {};
};

// sample(start, interval): a memory that is true at start, start + interval, ...
struct Sampler {
  VariableId variable;
  ExprId start;
  ExprId interval;
  Span span = {};  // of the call
};

// A condition of a when-clause: a hidden Boolean, whose change to true triggers the clause.
struct When {
  VariableId condition;
  Span span = {};  // of the condition
};

// A piece of a message: text, or the value of an expression.
struct MessagePart {
  std::string text = {};
  ExprId value = {};
  Type type = Type::Real;  // of the value
  int significant_digits = 6;
};

// A side effect: it computes nothing.
struct Action {
  enum class Kind { Reinit, Assert, Terminate };
  enum class Level { Error, Warning };
  Kind kind = Kind::Assert;
  ExprId guard = {};                      // executed only while this is true; none: always
  VariableId target = {};                 // of reinit: the state
  ExprId value = {};                      // of reinit: its new value; of assert: the condition
  std::vector<MessagePart> message = {};  // of assert and terminate
  Level level = Level::Error;             // of assert
  Span span = {};
};

// Variable 0 is time.
struct FlatModel {
  std::string name;
  std::string description = {};
  expr::Arena arena = {};
  std::vector<Variable> variables = {};
  std::vector<Equation> equations = {};
  std::vector<Equation> initial_equations = {};
  Experiment experiment = {};
  VariableId initial_flag = {};   // initial(): a memory, where the model uses it
  VariableId terminal_flag = {};  // terminal(): likewise
  std::vector<Sampler> samplers = {};
  std::vector<When> whens = {};
  std::vector<Action> actions = {};
  std::vector<PlacedExpression> placed = {};  // of algorithms, in their order

  static constexpr VariableId time{0};
  const Variable& operator[](VariableId id) const { return variables[index(id)]; }
  Variable& operator[](VariableId id) { return variables[index(id)]; }
  bool is_unknown(VariableId id) const {
    return id != time && !is_fixed_in_time((*this)[id].variability) && !is_memory(id);
  }
  bool is_memory(VariableId id) const { return (*this)[id].is_memory; }
  bool is_state(VariableId id) const { return !(*this)[id].derivative.is_none(); }
};

// The variable der(of), made if the model has none yet.
VariableId derivative_of(FlatModel& flat, VariableId of);

// The variable pre(of), made if the model has none yet.
VariableId memory_of(FlatModel& flat, VariableId of);

// initial() and terminal(), made on first use.
VariableId initial_flag(FlatModel& flat);
VariableId terminal_flag(FlatModel& flat);

// Whether a part of the model depends on events: memories, when-clauses or actions.
bool has_events(const FlatModel& flat);

// Whether it changes with time as a Real does; so does time itself.
bool varies(const FlatModel& flat, VariableId id);

// d/dt of an expression, by the chain rule; derivatives that the model lacks are made.
ExprId time_derivative(FlatModel& flat, expr::Walker& walker, ExprId id);

expr::Names names_of(const FlatModel& flat);

// The model as stable text.
std::string to_string(const FlatModel& flat);
std::string to_string(const FlatModel& flat, const Equation& equation, std::size_t limit = 100'000);

}  // namespace daedalus::model
