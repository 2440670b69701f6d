// What the operations are called and what they do to numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {
namespace {

struct OpInfo {
  std::string_view name;
  int arity;
};

constexpr std::array<OpInfo, 43> operations = {{
    {"constant", 0}, {"symbol", 0}, {"-", 1},     {"not", 1},  {"isTrue", 1},  {"sin", 1},
    {"cos", 1},      {"tan", 1},    {"asin", 1},  {"acos", 1}, {"atan", 1},    {"sinh", 1},
    {"cosh", 1},     {"tanh", 1},   {"exp", 1},   {"log", 1},  {"log10", 1},   {"sqrt", 1},
    {"abs", 1},      {"sign", 1},   {"floor", 1}, {"ceil", 1}, {"noEvent", 1}, {"+", 2},
    {"-", 2},        {"*", 2},      {"/", 2},     {"^", 2},    {"atan2", 2},   {"min", 2},
    {"max", 2},      {"div", 2},    {"mod", 2},   {"rem", 2},  {"<", 2},       {"<=", 2},
    {">", 2},        {">=", 2},     {"==", 2},    {"<>", 2},   {"and", 2},     {"or", 2},
    {"if", 3},
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

}  // namespace

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
