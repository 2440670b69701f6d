#include "modelica/typing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daedalus/base/names.hpp"
#include "daedalus/expr/calculus.hpp"
#include "modelica/lexer.hpp"

namespace daedalus::modelica {
namespace {

using expr::Op;
using model::Variability;

constexpr std::size_t most_suggestions = 50;

enum class Gives { Real, Integer, SameAsArguments };

struct Function {
  std::string_view name;
  Op op;
  std::size_t arguments;
  Gives gives;
};

// Modelica 3.6, sections 3.7.1 to 3.7.3.
constexpr std::array<Function, 25> functions = {{
    {"sin", Op::Sin, 1, Gives::Real},
    {"cos", Op::Cos, 1, Gives::Real},
    {"tan", Op::Tan, 1, Gives::Real},
    {"asin", Op::Asin, 1, Gives::Real},
    {"acos", Op::Acos, 1, Gives::Real},
    {"atan", Op::Atan, 1, Gives::Real},
    {"atan2", Op::Atan2, 2, Gives::Real},
    {"sinh", Op::Sinh, 1, Gives::Real},
    {"cosh", Op::Cosh, 1, Gives::Real},
    {"tanh", Op::Tanh, 1, Gives::Real},
    {"exp", Op::Exp, 1, Gives::Real},
    {"log", Op::Log, 1, Gives::Real},
    {"log10", Op::Log10, 1, Gives::Real},
    {"sqrt", Op::Sqrt, 1, Gives::Real},
    {"abs", Op::Abs, 1, Gives::SameAsArguments},
    {"sign", Op::Sign, 1, Gives::Integer},
    {"floor", Op::Floor, 1, Gives::Real},
    {"ceil", Op::Ceil, 1, Gives::Real},
    {"integer", Op::Floor, 1, Gives::Integer},
    {"min", Op::Min, 2, Gives::SameAsArguments},
    {"max", Op::Max, 2, Gives::SameAsArguments},
    {"div", Op::Quotient, 2, Gives::SameAsArguments},
    {"mod", Op::Modulo, 2, Gives::SameAsArguments},
    {"rem", Op::Remainder, 2, Gives::SameAsArguments},
    {"noEvent", Op::Constant, 1, Gives::SameAsArguments},
}};

// Legal Modelica that is not there yet; anything else is unknown.
constexpr std::array<std::string_view, 26> later_functions = {
    "pre",        "edge",     "change",       "sample",
    "reinit",     "initial",  "terminal",     "terminate",
    "assert",     "delay",    "cardinality",  "homotopy",
    "semiLinear", "inStream", "actualStream", "spatialDistribution",
    "sum",        "product",  "size",         "ndims",
    "fill",       "zeros",    "ones",         "cross",
    "transpose",  "String"};

std::vector<std::string> function_names() {
  std::vector<std::string> names = {"der", "smooth"};
  for (const Function& function : functions) names.emplace_back(function.name);
  return names;
}

bool is_function(std::string_view name) {
  return name == "der" || name == "smooth" ||
         std::ranges::find(functions, name, &Function::name) != functions.end();
}

ValueType value_type(model::Type type) {
  switch (type) {
    case model::Type::Real:
      return ValueType::Real;
    case model::Type::Integer:
      return ValueType::Integer;
    case model::Type::Boolean:
      return ValueType::Boolean;
  }
  return ValueType::Wrong;
}

ValueType common_type(const Typed& a, const Typed& b) {
  return a.type == ValueType::Integer && b.type == ValueType::Integer ? ValueType::Integer
                                                                      : ValueType::Real;
}

}  // namespace

std::string_view value_type_name(ValueType type) {
  switch (type) {
    case ValueType::Real:
      return "Real";
    case ValueType::Integer:
      return "Integer";
    case ValueType::Boolean:
      return "Boolean";
    case ValueType::String:
      return "String";
    case ValueType::Wrong:
      return "nothing";
  }
  return "";
}

model::VariableId Translator::find(std::string_view name) const {
  const auto found = known_.find(std::string(name));
  return found == known_.end() ? model::VariableId{} : found->second;
}

Typed Translator::translate(const Expression& expression) {
  offset_ = index(expression.first);
  values_.clear();
  for (std::size_t i = offset_; i <= index(expression.root); ++i) {
    const SyntaxNode& node = tree_.nodes[i];
    switch (node.kind) {
      case NodeKind::Name:
        values_.push_back(name(node));
        break;
      case NodeKind::Operation:
        values_.push_back(operation(node));
        break;
      case NodeKind::Call:
        values_.push_back(call(node));
        break;
      default:
        values_.push_back(literal(node));
        break;
    }
  }
  return values_.back();
}

Typed Translator::literal(const SyntaxNode& node) {
  const expr::ExprId id = flat_.arena.constant(node.number);
  switch (node.kind) {
    case NodeKind::Integer:
      return {id, ValueType::Integer};
    case NodeKind::Boolean:
      return {id, ValueType::Boolean};
    case NodeKind::String:
      return {id, ValueType::String};
    default:
      return {id, ValueType::Real};
  }
}

Typed Translator::name(const SyntaxNode& node) {
  const model::VariableId found = find(node.text);
  if (!found.is_none()) {
    const model::Variable& variable = flat_[found];
    return {flat_.arena.symbol(found), value_type(variable.type), variable.variability};
  }
  if (is_forgiven(node.text)) return {};
  if (is_function(node.text)) {
    diagnostics_
        .error("lookup.unknown-name", node.span,
               fmt::format("`{}` is a function, not a variable", node.text))
        .hint = fmt::format("write its argument in parentheses: {}(...)", node.text);
    return {};
  }
  // A suggestion looks at every name; nobody reads more than a few.
  const bool suggest = diagnostics_.error_count() < most_suggestions;
  const std::string near = suggest ? did_you_mean(node.text, model::names_of(flat_)) : "";
  diagnostics_.error("lookup.unknown-name", node.span, fmt::format("unknown name `{}`", node.text))
      .hint = near.empty() ? fmt::format("declare it, for example as `Real {};`", node.text) : near;
  return {};
}

bool Translator::is_forgiven(std::string_view name) const {
  return forgives_all_ || forgiven_.contains(name.substr(0, name.find('.')));
}

bool Translator::any_wrong(const SyntaxNode& node) const {
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    if (argument(node, i).type == ValueType::Wrong) return true;
  }
  return false;
}

Variability Translator::combined_variability(const SyntaxNode& node) const {
  Variability result = Variability::Constant;
  for (std::size_t i = 0; i < node.argument_count; ++i)
    result = std::max(result, argument(node, i).variability);
  return result;
}

Typed Translator::type_error(const SyntaxNode& operand, std::string_view expected, ValueType found,
                             std::string_view where) {
  Diagnostic& diagnostic = diagnostics_.error(
      "type.mismatch", operand.span,
      fmt::format("`{}` needs {}, this is {}", where, expected, value_type_name(found)));
  const bool wants_number = expected == "numbers";
  if (wants_number && found == ValueType::Boolean) {
    diagnostic.hint = "to count with a Boolean, write (if b then 1 else 0)";
  }
  if (!wants_number && found != ValueType::String)
    diagnostic.hint = "compare it with something, for example x > 0";
  return {};
}

Typed Translator::operation(const SyntaxNode& node) {
  if (any_wrong(node)) return {};
  switch (node.op) {
    case Op::And:
    case Op::Or:
    case Op::Not:
      return logic(node);
    case Op::If:
      return choice(node);
    default:
      return is_relation(node.op) ? relation(node) : arithmetic(node);
  }
}

Typed Translator::arithmetic(const SyntaxNode& node) {
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    const Typed& operand = argument(node, i);
    if (!operand.is_number()) {
      return type_error(argument_node(node, i), "numbers", operand.type, expr::op_name(node.op));
    }
  }
  const Typed& a = argument(node, 0);
  if (node.argument_count == 1) return {flat_.arena.make(node.op, a.id), a.type, a.variability};
  const Typed& b = argument(node, 1);
  const bool always_real = node.op == Op::Divide || node.op == Op::Power;
  return {flat_.arena.make(node.op, a.id, b.id), always_real ? ValueType::Real : common_type(a, b),
          combined_variability(node)};
}

Typed Translator::logic(const SyntaxNode& node) {
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    if (argument(node, i).type != ValueType::Boolean) {
      return type_error(argument_node(node, i), "Booleans", argument(node, i).type,
                        expr::op_name(node.op));
    }
  }
  const expr::ExprId id = node.argument_count == 1 ? flat_.arena.make(node.op, argument(node, 0).id)
                                                   : flat_.arena.make(node.op, argument(node, 0).id,
                                                                      argument(node, 1).id);
  return {id, ValueType::Boolean, combined_variability(node)};
}

Typed Translator::relation(const SyntaxNode& node) {
  const Typed &a = argument(node, 0), &b = argument(node, 1);
  const bool booleans = a.type == ValueType::Boolean && b.type == ValueType::Boolean;
  if (!booleans) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (!argument(node, i).is_number()) {
        return type_error(argument_node(node, i), "numbers", argument(node, i).type,
                          expr::op_name(node.op));
      }
    }
  }
  return {flat_.arena.make(node.op, a.id, b.id), ValueType::Boolean, combined_variability(node)};
}

Typed Translator::choice(const SyntaxNode& node) {
  const Typed &condition = argument(node, 0), &yes = argument(node, 1), &no = argument(node, 2);
  if (condition.type != ValueType::Boolean) {
    return type_error(argument_node(node, 0), "a Boolean condition", condition.type, "if");
  }
  const bool numbers = yes.is_number() && no.is_number();
  if (!numbers && yes.type != no.type) {
    diagnostics_
        .error("type.mismatch", argument_node(node, 2).span,
               fmt::format("the branches have different types: {} and {}",
                           value_type_name(yes.type), value_type_name(no.type)))
        .related.push_back({argument_node(node, 1).span, "the other branch"});
    return {};
  }
  return {flat_.arena.choose(condition.id, yes.id, no.id),
          numbers ? common_type(yes, no) : yes.type, combined_variability(node)};
}

Typed Translator::call(const SyntaxNode& node) {
  if (!is_function(node.text)) return unknown_function(node);
  if (any_wrong(node)) return {};
  if (node.text == "der") return derivative(node);
  if (node.text == "smooth") return check_argument_count(node, 2) ? argument(node, 1) : Typed{};
  const auto function = std::ranges::find(functions, node.text, &Function::name);
  if (!check_argument_count(node, function->arguments)) return {};
  if (node.text == "noEvent") return argument(node, 0);
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    if (!argument(node, i).is_number()) {
      return type_error(argument_node(node, i), "numbers", argument(node, i).type, node.text);
    }
  }
  const Typed& a = argument(node, 0);
  Typed result{{}, ValueType::Real, combined_variability(node)};
  if (function->gives == Gives::Integer) result.type = ValueType::Integer;
  if (function->gives == Gives::SameAsArguments) {
    result.type = function->arguments == 1 ? a.type : common_type(a, argument(node, 1));
  }
  result.id = function->arguments == 1 ? flat_.arena.make(function->op, a.id)
                                       : flat_.arena.make(function->op, a.id, argument(node, 1).id);
  return result;
}

Typed Translator::unknown_function(const SyntaxNode& node) {
  if (std::ranges::find(later_functions, node.text) != later_functions.end()) {
    diagnostics_.error("unsupported.function", node.name_span,
                       fmt::format("the function `{}` is not supported yet", node.text));
    return {};
  }
  if (is_forgiven(node.text)) return {};
  const std::string near = did_you_mean(node.text, function_names());
  const bool is_variable = !find(node.text).is_none();
  diagnostics_
      .error("lookup.unknown-function", node.name_span,
             fmt::format("unknown function `{}`", node.text))
      .hint = is_variable    ? fmt::format("`{}` is a variable; to multiply, write `{}*(...)`",
                                           node.text, node.text)
              : near.empty() ? "functions of your own are not supported yet"
                             : near;
  return {};
}

bool Translator::check_argument_count(const SyntaxNode& node, std::size_t expected) {
  const std::size_t found = node.argument_count;
  if (found == expected) return true;
  diagnostics_.error("type.argument-count", node.span,
                     fmt::format("`{}` takes {} argument{}, here {} {}", node.text, expected,
                                 expected == 1 ? "" : "s", found == 1 ? "is" : "are",
                                 found == 0 ? "none" : std::to_string(found)));
  return false;
}

Typed Translator::derivative(const SyntaxNode& node) {
  if (!check_argument_count(node, 1)) return {};
  const Typed& of = argument(node, 0);
  const bool varies = of.variability == Variability::Continuous;
  if (of.type == ValueType::Boolean || of.type == ValueType::String ||
      (of.type == ValueType::Integer && varies)) {
    diagnostics_.error("type.der-of-discrete", argument_node(node, 0).span,
                       fmt::format("only Real expressions have a derivative, this is {}",
                                   value_type_name(of.type)));
    return {};
  }
  return total_derivative(node, of);
}

// The chain rule: d/dt e = sum of de/dx der(x) + de/dt. A plain variable gives der(x) itself.
Typed Translator::total_derivative(const SyntaxNode& node, const Typed& argument) {
  const auto varies = [&](expr::SymbolId id) {
    return flat_[id].variability == Variability::Continuous && flat_[id].type == model::Type::Real;
  };
  const std::vector<expr::Partial> partials = gradient(flat_.arena, walker_, argument.id, varies);
  expr::ExprId sum = flat_.arena.constant(0.0);
  for (const expr::Partial& partial : partials) {
    if (partial.symbol == model::FlatModel::time) {
      sum = flat_.arena.add(sum, partial.value);
      continue;
    }
    if (!flat_[partial.symbol].derivative_of.is_none()) {
      diagnostics_
          .error("unsupported.higher-derivative", node.span,
                 "second derivatives are not supported yet")
          .hint = "declare a variable for the first derivative: v = der(x); a = der(v)";
      return {};
    }
    const model::VariableId rate = model::derivative_of(flat_, partial.symbol);
    sum = flat_.arena.add(sum, flat_.arena.multiply(partial.value, flat_.arena.symbol(rate)));
  }
  return {sum, ValueType::Real, argument.variability};
}

}  // namespace daedalus::modelica
