// The flat model: variables with their attributes, equations, and what the model says about its
// experiment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/source.hpp"
#include "daedalus/expr/arena.hpp"

namespace daedalus::model {

using expr::ExprId;
using VariableId = expr::SymbolId;  // a symbol of the model's arena is a variable
using EquationId = Index<struct EquationTag>;
using FamilyId = Index<struct FamilyTag>;

enum class Type { Real, Integer, Boolean };
enum class Variability { Constant, Parameter, Continuous };

// How willing the model says that a variable is to be a state.
enum class StateSelect { Never, Avoid, Default, Prefer, Always };

std::string_view type_name(Type type);
std::string_view state_select_name(StateSelect select);  // as it is written: "StateSelect.never"

// Expressions that are none were not given.
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
  bool is_input = false;       // comes from outside; without that it keeps to its binding
  bool is_output = false;      // what the model shows to the outside
  bool is_structural = false;  // a parameter whose value decided a size, a range or a subscript
  std::string unit = {};
  std::string description = {};
  Span span = {};                 // its name in the declaration
  Span start_span = {};           // of the start attribute, where there is one
  Span binding_span = {};         // of the value, where there is one
  Span state_select_span = {};    // of the attribute, where there is one
  VariableId derivative = {};     // der(this), where the model uses it
  VariableId derivative_of = {};  // what this is the derivative of
};

struct Equation {
  ExprId left;
  ExprId right;
  Span span = {};
  Type type = Type::Real;
  FamilyId family = {};  // shared by what one for-equation or array equation gave; none for others
};

struct Experiment {
  std::optional<double> start_time = {}, stop_time = {}, tolerance = {}, interval = {};
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

  static constexpr VariableId time{0};
  const Variable& operator[](VariableId id) const { return variables[index(id)]; }
  Variable& operator[](VariableId id) { return variables[index(id)]; }
  bool is_unknown(VariableId id) const {
    return id != time && (*this)[id].variability == Variability::Continuous;
  }
  bool is_state(VariableId id) const { return !(*this)[id].derivative.is_none(); }
};

// The variable der(of), made if the model has none yet.
VariableId derivative_of(FlatModel& flat, VariableId of);

// Whether it changes with time as a Real does; so does time itself.
bool varies(const FlatModel& flat, VariableId id);

// d/dt of an expression, by the chain rule; derivatives that the model has not are made.
ExprId time_derivative(FlatModel& flat, expr::Walker& walker, ExprId id);

expr::Names names_of(const FlatModel& flat);

// The model as stable text.
std::string to_string(const FlatModel& flat);
std::string to_string(const FlatModel& flat, const Equation& equation, std::size_t limit = 100'000);

}  // namespace daedalus::model
