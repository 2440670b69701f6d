// The operations of expressions, and all that is known of each of them in one row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace daedalus::expr {

enum class Op : std::uint8_t {
  Constant,
  Symbol,
  Negate,
  Not,
  IsTrue,  // false where its argument is undefined, too; only for tests that we make
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Exp,
  Log,
  Log10,
  Sqrt,
  Abs,
  Sign,
  Floor,
  Ceil,
  NoEvent,  // its argument, whose relations and jumps trigger no events
  Whole,    // its argument, an Integer; undefined from 2^53 on, where a double may lack digits
  Add,
  Subtract,
  Multiply,
  Divide,
  Power,
  Atan2,
  Min,
  Max,
  Quotient,
  Modulo,
  Remainder,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or,
  If,
};

// How tightly an operation binds, from the grammar of the language.
enum class Binding : std::uint8_t {
  Choice,
  Or,
  And,
  Not,
  Relation,
  Sum,
  Product,
  Power,
  Call,      // a function of the language
  Internal,  // not in the language
};

// Whether a op b op c means (a op b) op c; otherwise it needs parentheses.
constexpr bool chains(Binding binding) {
  return binding != Binding::Relation && binding != Binding::Power;
}

enum class Gives : std::uint8_t {
  OfArguments,  // of the type that they have in common
  Real,
  WholeReal,  // a Real that is a whole number
  Integer,
  Truth,
};

// For which real arguments the operation is defined.
enum class Domain : std::uint8_t { All, NonzeroDivisor, WholeExponent, Part };

// Whether one smooth formula holds for all arguments. Where one formula takes over from another
// there is an event if the operation is switched.
enum class Formula : std::uint8_t { Smooth, Piecewise, Switched };

// The magnitude of results for Integers.
enum class Magnitude : std::uint8_t {
  Any,
  OfArgument,       // so nothing is rounded
  WithinArguments,  // not larger than one of them, or than 1
};

struct Interval;  // interval.hpp

struct Operation {
  Op op;
  std::string_view name;  // as the language writes it: `sin`, `+`, `div`
  int arity = 1;
  Binding binding = Binding::Call;
  Gives gives = Gives::Real;
  Domain domain = Domain::All;
  Formula formula = Formula::Smooth;
  Magnitude magnitude = Magnitude::Any;
  // In nanoseconds, when many independent ones are executed; measured in procedures of 400 and of
  // 2,000 assignments.
  double cost = 0.3;
  bool is_library_function = false;  // code calls the C library function of this name
  // The value, by the number of arguments.
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  // For Integers, exactly; none: the result is not an Integer, or has more than 64 bits.
  std::optional<std::int64_t> (*whole)(std::int64_t, std::int64_t) = nullptr;
  // Encloses all values over intervals; none: they may be anything. Truth values need no function.
  Interval (*unary_range)(const Interval&) = nullptr;
  Interval (*binary_range)(const Interval&, const Interval&) = nullptr;
};

constexpr std::size_t operation_count = static_cast<std::size_t>(Op::If) + 1;
extern const std::array<Operation, operation_count> operations;  // by Op

inline const Operation& operation(Op op) { return operations[static_cast<std::size_t>(op)]; }
inline std::string_view op_name(Op op) { return operation(op).name; }
inline int arity(Op op) { return operation(op).arity; }
inline bool is_relation(Op op) { return operation(op).binding == Binding::Relation; }
inline bool is_truth(Op op) { return operation(op).gives == Gives::Truth; }

// The operation applied to numbers; true is 1 and false is 0. The one definition of the semantics,
// also for constant folding; generated code must agree with it. NaN stands for undefined, and what
// is computed from it is undefined, too: a relation, or a choice by an undefined condition. Only
// `false and e` and `true or e` are known whatever e is.
double apply(Op op, double a, double b = 0.0, double c = 0.0);

}  // namespace daedalus::expr
