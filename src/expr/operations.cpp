// What the operations are called and what they do to numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "daedalus/expr/number.hpp"

namespace daedalus::expr {
namespace {

struct OpInfo {
  std::string_view name;
  int arity;
};

constexpr std::array<OpInfo, 44> operations = {{
    {"constant", 0}, {"symbol", 0}, {"-", 1},     {"not", 1},  {"isTrue", 1},  {"sin", 1},
    {"cos", 1},      {"tan", 1},    {"asin", 1},  {"acos", 1}, {"atan", 1},    {"sinh", 1},
    {"cosh", 1},     {"tanh", 1},   {"exp", 1},   {"log", 1},  {"log10", 1},   {"sqrt", 1},
    {"abs", 1},      {"sign", 1},   {"floor", 1}, {"ceil", 1}, {"noEvent", 1}, {"whole", 1},
    {"+", 2},        {"-", 2},      {"*", 2},     {"/", 2},    {"^", 2},       {"atan2", 2},
    {"min", 2},      {"max", 2},    {"div", 2},   {"mod", 2},  {"rem", 2},     {"<", 2},
    {"<=", 2},       {">", 2},      {">=", 2},    {"==", 2},   {"<>", 2},      {"and", 2},
    {"or", 2},       {"if", 3},
}};

static_assert(static_cast<std::size_t>(Op::If) + 1 == operations.size());

double truth(bool value) { return value ? 1.0 : 0.0; }

bool is_true(double a) { return a != 0.0 && !std::isnan(a); }

double relation(Op op, double a, double b) {
  switch (op) {
    case Op::Less:
      return truth(a < b);
    case Op::LessEqual:
      return truth(a <= b);
    case Op::Greater:
      return truth(a > b);
    case Op::GreaterEqual:
      return truth(a >= b);
    case Op::Equal:
      return truth(a == b);
    default:
      return truth(a != b);
  }
}

double apply_unary(Op op, double a) {
  switch (op) {
    case Op::Negate:
      return -a;
    case Op::Not:
      return std::isnan(a) ? a : truth(a == 0.0);
    case Op::IsTrue:
      return truth(is_true(a));
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Asin:
      return std::asin(a);
    case Op::Acos:
      return std::acos(a);
    case Op::Atan:
      return std::atan(a);
    case Op::Sinh:
      return std::sinh(a);
    case Op::Cosh:
      return std::cosh(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::Exp:
      return std::exp(a);
    case Op::Log:
      return std::log(a);
    case Op::Log10:
      return std::log10(a);
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Abs:
      return std::fabs(a);
    case Op::Sign:
      return a > 0.0 ? 1.0 : (a < 0.0 ? -1.0 : a);  // NaN stays NaN
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    case Op::Whole:
      return std::fabs(a) < integer_limit ? a : std::numeric_limits<double>::quiet_NaN();
    default:
      return a;
  }
}

double apply_binary(Op op, double a, double b) {
  const double undefined = std::isnan(a) ? a : b;  // if one of them is
  const bool is_defined = !std::isnan(undefined);
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::Divide:
      return a / b;
    case Op::Power:  // by itself, 1^NaN and NaN^0 would be 1
      return is_defined ? std::pow(a, b) : undefined;
    case Op::Atan2:
      return std::atan2(a + 0.0, b + 0.0);  // zero has no sign
    case Op::Min:
      return is_defined ? (a < b ? a : b) : undefined;
    case Op::Max:
      return is_defined ? (a > b ? a : b) : undefined;
    case Op::Quotient:
      return std::trunc(a / b);
    case Op::Modulo:
      return a - std::floor(a / b) * b;
    case Op::Remainder:
      return a - std::trunc(a / b) * b;
    case Op::And:
      if (a == 0.0 || b == 0.0) return 0.0;
      return is_defined ? 1.0 : undefined;
    case Op::Or:
      if (is_true(a) || is_true(b)) return 1.0;
      return is_defined ? 0.0 : undefined;
    default:
      return is_defined ? relation(op, a, b) : undefined;
  }
}

constexpr double least_whole = -0x1p63;  // of 64 bits

// Of Integers; none where the operation makes no Integer of them, or none of 64 bits.
std::optional<std::int64_t> whole_result(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto unless = [&](bool overflows) {
    return overflows ? std::nullopt : std::optional(result);
  };
  const bool divides = b != 0 && b != -1;  // the least one divided by -1 overflows
  switch (op) {
    case Op::Negate:
      return unless(__builtin_sub_overflow(std::int64_t{0}, a, &result));
    case Op::Abs:
      return a < 0 ? whole_result(Op::Negate, a, 0) : a;
    case Op::Floor:
    case Op::Ceil:
      return a;
    case Op::Sign:
      return (a > 0) - (a < 0);
    case Op::Add:
      return unless(__builtin_add_overflow(a, b, &result));
    case Op::Subtract:
      return unless(__builtin_sub_overflow(a, b, &result));
    case Op::Multiply:
      return unless(__builtin_mul_overflow(a, b, &result));
    case Op::Quotient:
      if (b == -1) return whole_result(Op::Negate, a, 0);
      return divides ? std::optional(a / b) : std::nullopt;
    case Op::Remainder:
      if (b == -1) return 0;
      return divides ? std::optional(a % b) : std::nullopt;
    case Op::Modulo: {
      const std::optional<std::int64_t> rest = whole_result(Op::Remainder, a, b);
      return rest.value_or(0) != 0 && (*rest < 0) != (b < 0) ? *rest + b : rest;
    }
    case Op::Min:
      return std::min(a, b);
    case Op::Max:
      return std::max(a, b);
    case Op::Less:
      return a < b;
    case Op::LessEqual:
      return a <= b;
    case Op::Greater:
      return a > b;
    case Op::GreaterEqual:
      return a >= b;
    case Op::Equal:
      return a == b;
    case Op::NotEqual:
      return a != b;
    default:
      return std::nullopt;
  }
}

}  // namespace

Number apply_exactly(Op op, const Number& a, const Number& b, const Number& c) {
  if (op == Op::NoEvent || op == Op::Whole) return a;
  if (op == Op::If && !std::isnan(a.value)) return a.value != 0.0 ? b : c;
  const bool are_whole = a.is_whole && (arity(op) < 2 || b.is_whole);
  if (are_whole) {
    if (const auto whole = whole_result(op, a.whole, b.whole)) return Number::of(*whole);
  }
  const double value = apply(op, a.value, b.value, c.value);
  const bool overflows = op == Op::Add || op == Op::Subtract || op == Op::Multiply;
  if (are_whole && overflows && value == least_whole)  // by rounding: it lies beyond
    return Number::real(std::nextafter(value, -std::numeric_limits<double>::infinity()));
  const bool makes_whole = op == Op::Floor || op == Op::Ceil || op == Op::Sign;  // also of Reals
  return makes_whole ? Number::of(value) : Number::real(value);
}

std::string_view op_name(Op op) { return operations[static_cast<std::size_t>(op)].name; }

int arity(Op op) { return operations[static_cast<std::size_t>(op)].arity; }

bool is_relation(Op op) { return op >= Op::Less && op <= Op::NotEqual; }

double apply(Op op, double a, double b, double c) {
  switch (arity(op)) {
    case 1:
      return apply_unary(op, a);
    case 2:
      return apply_binary(op, a, b);
    case 3:
      if (std::isnan(a)) return a;
      return a != 0.0 ? b : c;
    default:
      return a;
  }
}

}  // namespace daedalus::expr
