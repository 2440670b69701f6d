#include "daedalus/expr/operations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "daedalus/expr/number.hpp"
#include "expr/ranges.hpp"

namespace daedalus::expr {
namespace {

using Whole = std::optional<std::int64_t>;

double truth(bool value) { return value ? 1.0 : 0.0; }

bool is_true(double a) { return a != 0.0 && !std::isnan(a); }

// The function of two numbers; NaN if one of them is NaN.
template <auto f>
double if_defined(double a, double b) {
  const double undefined = std::isnan(a) ? a : b;
  return std::isnan(undefined) ? undefined : f(a, b);
}

double smaller(double a, double b) { return a < b ? a : b; }
double larger(double a, double b) { return a > b ? a : b; }
double power(double a, double b) { return std::pow(a, b); }  // alone 1 for 1^NaN and NaN^0

double conjunction(double a, double b) {
  constexpr auto known = [](double, double) { return 1.0; };
  return a == 0.0 || b == 0.0 ? 0.0 : if_defined<known>(a, b);
}

double disjunction(double a, double b) {
  constexpr auto known = [](double, double) { return 0.0; };
  return is_true(a) || is_true(b) ? 1.0 : if_defined<known>(a, b);
}

Whole whole_sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return {};
  return result;
}

Whole whole_difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return {};
  return result;
}

Whole whole_negative(std::int64_t a, std::int64_t) { return whole_difference(0, a); }

Whole whole_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return {};
  return result;
}

// The smallest Integer divided by -1 overflows.
Whole whole_quotient(std::int64_t a, std::int64_t b) {
  if (b == -1) return whole_negative(a, 0);
  return b == 0 ? Whole{} : a / b;
}

Whole whole_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  return b == 0 ? Whole{} : a % b;
}

Whole whole_modulus(std::int64_t a, std::int64_t b) {
  const Whole rest = whole_remainder(a, b);
  return rest.value_or(0) != 0 && (*rest < 0) != (b < 0) ? *rest + b : rest;
}

template <double (*f)(double), Interval (*range)(const Interval&)>
constexpr Operation library_function(Op op, std::string_view name, double cost,
                                     Domain domain = Domain::All) {
  return {.op = op,
          .name = name,
          .domain = domain,
          .cost = cost,
          .is_library_function = true,
          .unary = f,
          .unary_range = range};
}

template <class Compare>
constexpr Operation relation(Op op, std::string_view name, Formula formula) {
  constexpr auto compare = [](double a, double b) { return truth(Compare{}(a, b)); };
  return {.op = op,
          .name = name,
          .arity = 2,
          .binding = Binding::Relation,
          .gives = Gives::Truth,
          .formula = formula,
          .binary = if_defined<compare>,
          .whole = [](std::int64_t a, std::int64_t b) -> Whole { return Compare{}(a, b); }};
}

}  // namespace

constexpr std::array<Operation, operation_count> operations = {{
    {.op = Op::Constant, .name = "constant", .arity = 0, .binding = Binding::Internal, .cost = 0.0},
    {.op = Op::Symbol, .name = "symbol", .arity = 0, .binding = Binding::Internal, .cost = 0.0},
    {.op = Op::Negate,
     .name = "-",
     .binding = Binding::Sum,
     .gives = Gives::OfArguments,
     .magnitude = Magnitude::OfArgument,
     .cost = 0.15,
     .unary = [](double a) { return -a; },
     .whole = whole_negative,
     .unary_range = ranges::negative},
    {.op = Op::Not,
     .name = "not",
     .binding = Binding::Not,
     .gives = Gives::Truth,
     .formula = Formula::Piecewise,
     .unary = [](double a) { return std::isnan(a) ? a : truth(a == 0.0); }},
    {.op = Op::IsTrue,
     .name = "isTrue",
     .binding = Binding::Internal,
     .gives = Gives::Truth,
     .formula = Formula::Piecewise,
     .unary = [](double a) { return truth(is_true(a)); }},
    library_function<std::sin, ranges::sine>(Op::Sin, "sin", 8.0),
    library_function<std::cos, ranges::cosine>(Op::Cos, "cos", 8.0),
    library_function<std::tan, ranges::tangent>(Op::Tan, "tan", 8.0),
    library_function<std::asin, ranges::arcsine>(Op::Asin, "asin", 8.0, Domain::Part),
    library_function<std::acos, ranges::arccosine>(Op::Acos, "acos", 8.0, Domain::Part),
    library_function<std::atan, ranges::increasing<std::atan>>(Op::Atan, "atan", 8.0),
    library_function<std::sinh, ranges::increasing<std::sinh>>(Op::Sinh, "sinh", 10.0),
    library_function<std::cosh, ranges::hyperbolic_cosine>(Op::Cosh, "cosh", 10.0),
    library_function<std::tanh, ranges::increasing<std::tanh>>(Op::Tanh, "tanh", 10.0),
    library_function<std::exp, ranges::exponential>(Op::Exp, "exp", 3.5),
    library_function<std::log, ranges::logarithm<std::log>>(Op::Log, "log", 3.5, Domain::Part),
    library_function<std::log10, ranges::logarithm<std::log10>>(Op::Log10, "log10", 10.0,
                                                                Domain::Part),
    {.op = Op::Sqrt,
     .name = "sqrt",
     .domain = Domain::Part,
     .cost = 2.0,
     .unary = std::sqrt,
     .unary_range = ranges::root},
    {.op = Op::Abs,
     .name = "abs",
     .gives = Gives::OfArguments,
     .formula = Formula::Switched,
     .magnitude = Magnitude::OfArgument,
     .unary = std::fabs,
     .whole = [](std::int64_t a, std::int64_t) { return a < 0 ? whole_negative(a, 0) : a; },
     .unary_range = ranges::magnitude},
    {.op = Op::Sign,
     .name = "sign",
     .gives = Gives::Integer,
     .formula = Formula::Switched,
     .magnitude = Magnitude::WithinArguments,
     .unary = [](double a) { return a > 0.0 ? 1.0 : (a < 0.0 ? -1.0 : a); },  // NaN stays NaN
     .whole = [](std::int64_t a, std::int64_t) -> Whole { return (a > 0) - (a < 0); },
     .unary_range = ranges::sign},
    {.op = Op::Floor,
     .name = "floor",
     .gives = Gives::WholeReal,
     .formula = Formula::Switched,
     .unary = std::floor,
     .whole = [](std::int64_t a, std::int64_t) -> Whole { return a; },
     .unary_range = ranges::stepped<std::floor>},
    {.op = Op::Ceil,
     .name = "ceil",
     .gives = Gives::WholeReal,
     .formula = Formula::Switched,
     .unary = std::ceil,
     .whole = [](std::int64_t a, std::int64_t) -> Whole { return a; },
     .unary_range = ranges::stepped<std::ceil>},
    {.op = Op::NoEvent,
     .name = "noEvent",
     .gives = Gives::OfArguments,
     .magnitude = Magnitude::OfArgument,
     .cost = 0.0,
     .unary = [](double a) { return a; },
     .unary_range = ranges::same},
    {.op = Op::Whole,
     .name = "whole",
     .binding = Binding::Internal,
     .gives = Gives::Integer,
     .domain = Domain::Part,
     .magnitude = Magnitude::OfArgument,
     .unary =
         [](double a) {
           return std::fabs(a) < integer_limit ? a : std::numeric_limits<double>::quiet_NaN();
         },
     .unary_range = ranges::same},
    {.op = Op::Add,
     .name = "+",
     .arity = 2,
     .binding = Binding::Sum,
     .gives = Gives::OfArguments,
     .cost = 0.15,
     .binary = [](double a, double b) { return a + b; },
     .whole = whole_sum,
     .binary_range = ranges::sum},
    {.op = Op::Subtract,
     .name = "-",
     .arity = 2,
     .binding = Binding::Sum,
     .gives = Gives::OfArguments,
     .cost = 0.15,
     .binary = [](double a, double b) { return a - b; },
     .whole = whole_difference,
     .binary_range = ranges::difference},
    {.op = Op::Multiply,
     .name = "*",
     .arity = 2,
     .binding = Binding::Product,
     .gives = Gives::OfArguments,
     .cost = 0.15,
     .binary = [](double a, double b) { return a * b; },
     .whole = whole_product,
     .binary_range = ranges::product},
    {.op = Op::Divide,
     .name = "/",
     .arity = 2,
     .binding = Binding::Product,
     .domain = Domain::NonzeroDivisor,
     .cost = 1.0,
     .binary = [](double a, double b) { return a / b; },
     .binary_range = ranges::quotient},
    {.op = Op::Power,
     .name = "^",
     .arity = 2,
     .binding = Binding::Power,
     .domain = Domain::WholeExponent,
     .cost = 10.0,
     .binary = if_defined<power>,
     .binary_range = ranges::power},
    {.op = Op::Atan2,
     .name = "atan2",
     .arity = 2,
     .cost = 8.0,
     .binary = [](double a, double b) { return std::atan2(a + 0.0, b + 0.0); },  // 0 has no sign
     .binary_range = ranges::angle},
    {.op = Op::Min,
     .name = "min",
     .arity = 2,
     .gives = Gives::OfArguments,
     .formula = Formula::Piecewise,
     .binary = if_defined<smaller>,
     .whole = [](std::int64_t a, std::int64_t b) -> Whole { return std::min(a, b); },
     .binary_range = ranges::smaller},
    {.op = Op::Max,
     .name = "max",
     .arity = 2,
     .gives = Gives::OfArguments,
     .formula = Formula::Piecewise,
     .binary = if_defined<larger>,
     .whole = [](std::int64_t a, std::int64_t b) -> Whole { return std::max(a, b); },
     .binary_range = ranges::larger},
    {.op = Op::Quotient,
     .name = "div",
     .arity = 2,
     .gives = Gives::OfArguments,
     .domain = Domain::NonzeroDivisor,
     .formula = Formula::Switched,
     .magnitude = Magnitude::WithinArguments,
     .binary = [](double a, double b) { return std::trunc(a / b); },
     .whole = whole_quotient},
    {.op = Op::Modulo,
     .name = "mod",
     .arity = 2,
     .gives = Gives::OfArguments,
     .domain = Domain::NonzeroDivisor,
     .formula = Formula::Switched,
     .magnitude = Magnitude::WithinArguments,
     .binary = [](double a, double b) { return a - std::floor(a / b) * b; },
     .whole = whole_modulus},
    {.op = Op::Remainder,
     .name = "rem",
     .arity = 2,
     .gives = Gives::OfArguments,
     .domain = Domain::NonzeroDivisor,
     .formula = Formula::Switched,
     .magnitude = Magnitude::WithinArguments,
     .binary = [](double a, double b) { return a - std::trunc(a / b) * b; },
     .whole = whole_remainder},
    relation<std::less<>>(Op::Less, "<", Formula::Switched),
    relation<std::less_equal<>>(Op::LessEqual, "<=", Formula::Switched),
    relation<std::greater<>>(Op::Greater, ">", Formula::Switched),
    relation<std::greater_equal<>>(Op::GreaterEqual, ">=", Formula::Switched),
    relation<std::equal_to<>>(Op::Equal, "==", Formula::Piecewise),
    relation<std::not_equal_to<>>(Op::NotEqual, "<>", Formula::Piecewise),
    {.op = Op::And,
     .name = "and",
     .arity = 2,
     .binding = Binding::And,
     .gives = Gives::Truth,
     .formula = Formula::Piecewise,
     .binary = conjunction},
    {.op = Op::Or,
     .name = "or",
     .arity = 2,
     .binding = Binding::Or,
     .gives = Gives::Truth,
     .formula = Formula::Piecewise,
     .binary = disjunction},
    {.op = Op::If,
     .name = "if",
     .arity = 3,
     .binding = Binding::Choice,
     .gives = Gives::OfArguments},
}};

static_assert([] {
  for (std::size_t i = 0; i < operation_count; ++i) {
    const Operation& row = operations[i];
    const bool has_values =
        (row.unary != nullptr) == (row.arity == 1) && (row.binary != nullptr) == (row.arity == 2);
    if (row.op != static_cast<Op>(i) || row.name.empty() || !has_values) return false;
  }
  return true;
}());

double apply(Op op, double a, double b, double c) {
  const Operation& row = operation(op);
  switch (row.arity) {
    case 1:
      return row.unary(a);
    case 2:
      return row.binary(a, b);
    case 3:
      if (std::isnan(a)) return a;
      return a != 0.0 ? b : c;
    default:
      return a;
  }
}

Number apply_exactly(Op op, const Number& a, const Number& b, const Number& c) {
  if (op == Op::NoEvent || op == Op::Whole) return a;
  if (op == Op::If && !std::isnan(a.value)) return a.value != 0.0 ? b : c;
  const Operation& row = operation(op);
  const bool is_of_wholes = row.whole != nullptr && a.is_whole && (row.arity < 2 || b.is_whole);
  if (is_of_wholes) {
    if (const Whole whole = row.whole(a.whole, b.whole)) return Number::of(*whole);
  }
  constexpr double least = -0x1p63;  // of 64 bits
  const double value = apply(op, a.value, b.value, c.value);
  if (is_of_wholes && value == least)  // a rounded value: the exact one may lie beyond
    return Number::real(std::nextafter(value, -std::numeric_limits<double>::infinity()));
  const bool makes_whole = row.gives == Gives::WholeReal || row.gives == Gives::Integer;
  return makes_whole ? Number::of(value) : Number::real(value);
}

double cost(const Arena& arena, const Node& node) {
  if (node.op == Op::Power) {  // small integers become products
    const ExprId exponent(node.b);
    if (arena.is_constant(exponent, 2.0) || arena.is_constant(exponent, 3.0)) return 0.3;
  }
  return operation(node.op).cost;
}

}  // namespace daedalus::expr
