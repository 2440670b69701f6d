#include "modelica/typing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "daedalus/base/names.hpp"
#include "daedalus/expr/calculus.hpp"
#include "modelica/lexer.hpp"

namespace daedalus::modelica {
namespace {

using expr::Op;
using model::Variability;

constexpr std::size_t most_suggestions = 50;

constexpr std::array<std::string_view, 10> array_functions = {
    "size", "ndims",   "fill",     "zeros",    "ones",
    "sum",  "product", "linspace", "identity", "transpose"};

// Legal Modelica that is not supported yet; anything else is unknown.
constexpr std::array<std::string_view, 28> later_functions = {"actualStream",
                                                              "cardinality",
                                                              "cat",
                                                              "cross",
                                                              "delay",
                                                              "diagonal",
                                                              "homotopy",
                                                              "matrix",
                                                              "scalar",
                                                              "skew",
                                                              "inStream",
                                                              "semiLinear",
                                                              "vector",
                                                              "outerProduct",
                                                              "symmetric",
                                                              "spatialDistribution",
                                                              "Clock",
                                                              "hold",
                                                              "previous",
                                                              "subSample",
                                                              "superSample",
                                                              "shiftSample",
                                                              "backSample",
                                                              "noClock",
                                                              "interval",
                                                              "firstTick",
                                                              "getInstanceName",
                                                              "promote"};

constexpr std::array<std::string_view, 8> event_functions = {
    "pre", "edge", "change", "sample", "initial", "terminal", "smooth", "String"};

constexpr std::array<std::string_view, 3> statements = {"reinit", "assert", "terminate"};

// The operation for a function of the language (Modelica 3.6, sections 3.7.1 to 3.7.3); none if it
// is not an operation.
const expr::Operation* function_of(std::string_view name) {
  if (name == "integer") name = op_name(Op::Floor);
  const auto found = std::ranges::find_if(expr::operations, [&](const expr::Operation& row) {
    return row.binding == expr::Binding::Call && row.name == name;
  });
  return found == expr::operations.end() ? nullptr : &*found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names = {"der", "integer"};
  names.insert(names.end(), event_functions.begin(), event_functions.end());
  for (const expr::Operation& row : expr::operations) {
    if (row.binding == expr::Binding::Call) names.emplace_back(row.name);
  }
  names.insert(names.end(), array_functions.begin(), array_functions.end());
  return names;
}

bool is_array_function(std::string_view name) {
  return std::ranges::find(array_functions, name) != array_functions.end();
}

bool is_event_function(std::string_view name) {
  return std::ranges::find(event_functions, name) != event_functions.end();
}

bool is_function(std::string_view name) {
  return name == "der" || is_event_function(name) || is_array_function(name) ||
         function_of(name) != nullptr;
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

bool fits(const Typed& value, model::Type type) {
  switch (type) {
    case model::Type::Real:
      return value.is_number();
    case model::Type::Integer:
      return value.type == ValueType::Integer;
    case model::Type::Boolean:
      return value.type == ValueType::Boolean;
  }
  return false;
}

ComponentId Translator::declare(Component component) {
  const ComponentId id(components_.size());
  if (!known_.emplace(component.name, id).second) return {};
  components_.push_back(std::move(component));
  return id;
}

ComponentId Translator::find(std::string_view name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? ComponentId{} : found->second;
}

Typed Translator::translate(const Expression& expression) {
  offset_ = index(expression.first);
  const std::size_t count = index(expression.root) - offset_ + 1;
  if (values_.size() < count) values_.resize(count);
  evaluate_nodes(expression.first, expression.root);
  if (!held_back_.empty()) report_held_back();
  return std::move(values_[count - 1]);
}

// The repeated part is left to the node with the iterator.
void Translator::evaluate_nodes(NodeId first, NodeId last) {
  for (std::size_t i = index(first); i <= index(last); ++i) {
    const SyntaxNode& node = tree_.nodes[i];
    if (node.kind != NodeKind::Body) {
      values_[i - offset_] = node_value(NodeId(i));
    } else if (!node.body.is_none()) {
      i = index(node.body);
    }
  }
}

Typed Translator::node_value(NodeId id) {
  const SyntaxNode& node = tree_[id];
  switch (node.kind) {
    case NodeKind::Name:
      return node.is_target ? with_targets([&] { return name(id); }) : name(id);
    case NodeKind::ShapeOf:
      return shape_of(id);
    case NodeKind::End:
      return dimension_end(id);
    case NodeKind::Element:
      return node.is_target ? with_targets([&] { return element(id); }) : element(id);
    case NodeKind::Operation:
      return checked_integer(node, operation(node));
    case NodeKind::Call:
      return checked_integer(node, call(node));
    case NodeKind::Array:
    case NodeKind::Row:
      return constructor(node);
    case NodeKind::Range:
      return range(node);
    default:
      return literal(node);
  }
}

expr::ExprId Translator::expression_of(const Typed& value) {
  return value.id.is_none() ? flat_.arena.constant(value.number) : value.id;
}

expr::ExprId Translator::element_of(const Typed& value, std::int64_t element) {
  return value.is_array() ? value.elements[static_cast<std::size_t>(element)]
                          : expression_of(value);
}

Typed Translator::number(ValueType type, const expr::Number& value) {
  Typed result{.type = type, .number = value.value};
  if (!value.is_exact_double()) result.id = flat_.arena.constant(value);
  return result;
}

Typed Translator::literal(const SyntaxNode& node) {
  switch (node.kind) {
    case NodeKind::Integer: {
      std::int64_t whole = 0;
      std::from_chars(node.text.data(), node.text.data() + node.text.size(), whole);
      return number(ValueType::Integer, expr::Number::of(whole));
    }
    case NodeKind::Colon:  // the node with the subscripts knows what it stands for
      return {.type = ValueType::Integer, .number = node.number};
    case NodeKind::Boolean:
      return {.type = ValueType::Boolean, .number = node.number};
    case NodeKind::String:
      return text_literal(node);
    case NodeKind::Word:  // the function knows what it stands for
      return {.type = ValueType::String};
    default:
      return {.type = ValueType::Real, .number = node.number};
  }
}

Translator::Resolution Translator::resolve(NodeId id) {
  Resolution& resolution = resolutions_[index(id)];
  if (resolution.kind != Resolution::Kind::Unknown) return resolution;
  const SyntaxNode& node = tree_[id];
  for (std::size_t i = loops_.size(); i-- > 0;) {
    if (loops_[i].name == node.text) {
      return resolution = {Resolution::Kind::Loop, static_cast<std::uint32_t>(i)};
    }
  }
  const ComponentId found = find(node.text);
  resolution =
      found.is_none() ? unknown_name(node) : Resolution{Resolution::Kind::Declared, found.value};
  return resolution;
}

Translator::Resolution Translator::unknown_name(const SyntaxNode& node) {
  const Resolution wrong{Resolution::Kind::Wrong};
  if (is_forgiven(node.text)) return wrong;
  const Span span = node.kind == NodeKind::Element ? node.name_span : node.span;
  if (is_function(node.text)) {
    diagnostics_
        .error("lookup.unknown-name", span,
               fmt::format("`{}` is a function, not a variable", node.text))
        .hint = fmt::format("write its argument in parentheses: {}(...)", node.text);
    return wrong;
  }
  // A suggestion compares every name, and users read no more than a few.
  const bool suggest = diagnostics_.error_count() < most_suggestions;
  const std::string near = suggest ? did_you_mean(node.text, known_names()) : "";
  diagnostics_.error("lookup.unknown-name", span, fmt::format("unknown name `{}`", node.text))
      .hint = near.empty() ? fmt::format("declare it, for example as `Real {};`", node.text) : near;
  return wrong;
}

std::vector<std::string> Translator::known_names() const {
  std::vector<std::string> names;
  names.reserve(components_.size() + loops_.size());
  for (const Component& component : components_) names.emplace_back(component.name);
  for (const LoopVariable& loop : loops_) names.emplace_back(loop.name);
  return names;
}

Typed Translator::name(NodeId id) {
  const Resolution resolution = resolve(id);
  if (resolution.kind == Resolution::Kind::Wrong) return {};
  if (resolution.kind == Resolution::Kind::Loop) {
    return {.type = ValueType::Integer,
            .number = static_cast<double>(loops_[resolution.place].value)};
  }
  Component& component = components_[resolution.place];
  if (!may_read(component, tree_[id].span)) return {};
  if (component.shape.empty()) {
    const bool known = tree_[id].in_subscript && is_fixed_in_time(component.variability);
    return known ? known_variable(ComponentId(resolution.place)) : variable(component, 0);
  }
  Typed all{.type = value_type(component.type),
            .variability = wants_values_ ? Variability::Constant : component.variability,
            .shape = component.shape};
  const std::int64_t count = element_count(component.shape);
  all.elements.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    all.elements.push_back(expression_of(variable(component, i)));
  return all;
}

// A scalar parameter by its value: computations with it leave no expressions in the arena.
Typed Translator::known_variable(ComponentId id) {
  if (!require(id, Goal::Value)) return {};
  Component& component = components_[index(id)];
  component.is_structural = true;
  return number(value_type(component.type), component.values.front());
}

// Whether its variables exist, or, while sizes are being found, its values.
bool Translator::may_read(Component& component, Span span) {
  if (component.is_wrong()) return false;
  if (!wants_values_) return true;
  component.is_structural = true;
  if (is_fixed_in_time(component.variability)) return component.value_progress == Progress::Known;
  diagnostics_
      .error("type.not-a-parameter-expression", span,
             fmt::format("`{}` varies, a size must be known before the run", component.name))
      .hint = "use constants and parameters";
  return false;
}

Typed Translator::variable(const Component& component, std::int64_t element) {
  const auto place = static_cast<std::size_t>(element);
  if (wants_values_) return number(value_type(component.type), component.values[place]);
  return {
      .type = value_type(component.type),
      .variability = component.variability,
      .id = assigned_value(flat_.arena.symbol(model::VariableId(index(component.first) + place)))};
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
  if (node.op == Op::If && !held_back_.empty()) return taken_branch(node);
  if (any_wrong(node)) return {};
  if (node.op == Op::If) return choice(node);
  if (is_relation(node.op)) return relation(node);
  return is_truth(node.op) ? logic(node) : arithmetic(node);
}

Typed Translator::arithmetic(const SyntaxNode& node) {
  const bool texts = node.op == Op::Add && node.argument_count == 2 &&
                     argument(node, 0).type == ValueType::String &&
                     argument(node, 1).type == ValueType::String;
  if (texts) return concatenation(node);
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    const Typed& operand = argument(node, i);
    if (!operand.is_number()) {
      return type_error(argument_node(node, i), "numbers", operand.type, expr::op_name(node.op));
    }
  }
  const Typed& a = argument(node, 0);
  if (node.argument_count == 1) return elementwise(node.op, a);
  const Typed& b = argument(node, 1);
  Typed result = a.is_array() || b.is_array() ? array_operation(node) : elementwise(node.op, a, b);
  if (result.is_wrong()) return {};
  const bool always_real = expr::operation(node.op).gives == expr::Gives::Real;
  result.type = always_real ? ValueType::Real : common_type(a, b);
  return result;
}

// Known numbers that an Integer cannot have are refused where they are written.
Typed Translator::checked_integer(const SyntaxNode& node, Typed result) {
  if (result.type != ValueType::Integer) return result;
  const auto is_too_large = [&](expr::ExprId id) {
    return flat_.arena.is_constant(id) && !flat_.arena.exact_value(id).is_whole;
  };
  const bool overflows = result.is_array() ? std::ranges::any_of(result.elements, is_too_large)
                         : result.is_plain_number() ? !expr::Number::of(result.number).is_whole
                                                    : is_too_large(result.id);
  if (!overflows) return result;
  diagnostics_.error("type.integer-overflow", node.span, "this is beyond the 64 bits of an Integer")
      .hint = "Integers go from -2^63 to 2^63 - 1; for a Real, write a number with a decimal point";
  return {};
}

Typed Translator::logic(const SyntaxNode& node) {
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    if (argument(node, i).type != ValueType::Boolean) {
      return type_error(argument_node(node, i), "Booleans", argument(node, i).type,
                        expr::op_name(node.op));
    }
  }
  const Typed& a = argument(node, 0);
  if (node.argument_count == 1) return elementwise(node.op, a);
  const Typed& b = argument(node, 1);
  if (a.shape != b.shape) {
    return size_error(node.span,
                      fmt::format("`{}` of different sizes: {} and {}", expr::op_name(node.op),
                                  describe(a.shape), describe(b.shape)));
  }
  return elementwise(node.op, a, b);
}

Typed Translator::relation(const SyntaxNode& node) {
  const Typed &a = argument(node, 0), &b = argument(node, 1);
  const bool booleans = a.type == ValueType::Boolean && b.type == ValueType::Boolean;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!booleans && !argument(node, i).is_number()) {
      return type_error(argument_node(node, i), "numbers", argument(node, i).type,
                        expr::op_name(node.op));
    }
    if (!check_scalar(argument_node(node, i), argument(node, i), expr::op_name(node.op))) return {};
  }
  const bool tests_equality = node.op == expr::Op::Equal || node.op == expr::Op::NotEqual;
  if (tests_equality && (a.type == ValueType::Real || b.type == ValueType::Real)) {
    diagnostics_
        .error("type.equality-of-reals", node.span,
               fmt::format("`{}` compares Reals, which rounding makes equal or not by chance",
                           expr::op_name(node.op)))
        .hint = "compare abs(a - b) with a tolerance, or use Integers";
    return {};
  }
  Typed result = elementwise(node.op, a, b);
  result.type = ValueType::Boolean;
  return result;
}

// A branch that cannot be computed may still be left out by a condition that is known before the
// run.
Typed Translator::taken_branch(const SyntaxNode& node) {
  const Typed& condition = argument(node, 0);
  const NodeId behind = argument_id(node, 0), last = argument_id(node, 2);
  const bool matters = index(held_back_.back().first) > index(behind);
  const bool is_known = condition.type == ValueType::Boolean && !condition.is_array() &&
                        is_fixed_in_time(condition.variability);
  std::optional<double> value;
  if (matters && is_known)
    value = known_real(expression_of(condition), argument_node(node, 0).span);
  if (!value) return any_wrong(node) ? Typed{} : choice(node);
  const NodeId yes = argument_id(node, 1);
  forget_held_back(*value != 0.0 ? yes : behind, *value != 0.0 ? last : yes);
  return argument(node, *value != 0.0 ? 1 : 2);
}

Typed Translator::choice(const SyntaxNode& node) {
  const Typed &condition = argument(node, 0), &yes = argument(node, 1), &no = argument(node, 2);
  if (condition.type != ValueType::Boolean) {
    return type_error(argument_node(node, 0), "a Boolean condition", condition.type, "if");
  }
  if (!check_scalar(argument_node(node, 0), condition, "if")) return {};
  const bool numbers = yes.is_number() && no.is_number();
  if (!numbers && yes.type != no.type) {
    diagnostics_
        .error("type.mismatch", argument_node(node, 2).span,
               fmt::format("the branches have different types: {} and {}",
                           value_type_name(yes.type), value_type_name(no.type)))
        .related.push_back({argument_node(node, 1).span, "the other branch"});
    return {};
  }
  if (yes.shape != no.shape) {
    return size_error(node.span, fmt::format("the branches have different sizes: {} and {}",
                                             describe(yes.shape), describe(no.shape)));
  }
  if (condition.is_plain_number()) {
    Typed taken = condition.number != 0.0 ? yes : no;
    if (numbers) taken.type = common_type(yes, no);
    return taken;
  }
  Typed result{.type = numbers ? common_type(yes, no) : yes.type,
               .variability = combined_variability(node),
               .shape = yes.shape};
  if (!yes.is_array()) {
    result.id = flat_.arena.choose(condition.id, expression_of(yes), expression_of(no));
    return result;
  }
  for (std::size_t i = 0; i < yes.elements.size(); ++i)
    result.elements.push_back(flat_.arena.choose(condition.id, yes.elements[i], no.elements[i]));
  return result;
}

Typed Translator::call(const SyntaxNode& node) {
  if (!is_function(node.text)) return unknown_function(node);
  if (node.iterator_count > 0) return comprehension(node);
  if (any_wrong(node)) return {};
  if (node.text == "der") return derivative(node);
  if (is_event_function(node.text)) return event_function(node);
  const bool extremum = node.text == "min" || node.text == "max";
  if (is_array_function(node.text) || (extremum && node.argument_count == 1))
    return array_function(node);
  return scalar_function(node);
}

// A function of scalars, applied to every element of an array.
Typed Translator::scalar_function(const SyntaxNode& node) {
  const expr::Operation& row = *function_of(node.text);
  if (!check_argument_count(node, static_cast<std::size_t>(row.arity))) return {};
  const Typed& a = argument(node, 0);
  if (node.text == "noEvent") return a.type == ValueType::String ? a : elementwise(Op::NoEvent, a);
  const bool extremum = node.text == "min" || node.text == "max";
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    if (!argument(node, i).is_number()) {
      return type_error(argument_node(node, i), "numbers", argument(node, i).type, node.text);
    }
    if (extremum && !check_scalar(argument_node(node, i), argument(node, i), node.text)) return {};
  }
  if (row.arity == 2) {
    const Typed& b = argument(node, 1);
    if (a.is_array() && b.is_array() && a.shape != b.shape) {
      return size_error(node.span, fmt::format("`{}` of different sizes: {} and {}", node.text,
                                               describe(a.shape), describe(b.shape)));
    }
  }
  const Typed& last = argument(node, node.argument_count - 1);
  Typed result = row.arity == 1 ? elementwise(row.op, a) : elementwise(row.op, a, last);
  result.type = ValueType::Real;
  if (row.gives == expr::Gives::Integer || node.text == "integer") result.type = ValueType::Integer;
  if (row.gives == expr::Gives::OfArguments) result.type = common_type(a, last);
  return result;
}

Typed Translator::unknown_function(const SyntaxNode& node) {
  if (std::ranges::find(later_functions, node.text) != later_functions.end()) {
    diagnostics_.error("unsupported.function", node.name_span,
                       fmt::format("the function `{}` is not supported yet", node.text));
    return {};
  }
  if (std::ranges::find(statements, node.text) != statements.end()) {
    diagnostics_
        .error("lookup.unknown-function", node.name_span,
               fmt::format("`{}` is a statement and has no value", node.text))
        .hint = "write it as a line of its own";
    return {};
  }
  if (is_forgiven(node.text)) return {};
  const std::string near = did_you_mean(node.text, function_names());
  const ComponentId variable = find(node.text);
  const bool is_variable = !variable.is_none();
  const bool is_array = is_variable && !components_[index(variable)].shape.empty();
  diagnostics_
      .error("lookup.unknown-function", node.name_span,
             fmt::format("unknown function `{}`", node.text))
      .hint = is_array       ? fmt::format("subscripts stand in brackets: `{}[...]`", node.text)
              : is_variable  ? fmt::format("`{}` is a variable; to multiply, write `{}*(...)`",
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
  const bool varies = !is_fixed_in_time(of.variability);
  if (of.type == ValueType::Boolean || of.type == ValueType::String ||
      (of.type == ValueType::Integer && varies)) {
    diagnostics_.error("type.der-of-discrete", argument_node(node, 0).span,
                       fmt::format("only Real expressions have a derivative, this is {}",
                                   value_type_name(of.type)));
    return {};
  }
  if (of.variability == Variability::Discrete) {
    diagnostics_
        .error("type.der-of-discrete", argument_node(node, 0).span,
               "what changes at events only has no derivative")
        .hint = "reinit(x, e) in a when-clause gives a state a new value";
    return {};
  }
  Typed result{.type = ValueType::Real, .variability = of.variability, .shape = of.shape};
  if (!of.is_array()) {
    result.id = total_derivative(node, expression_of(of));
    return result.id.is_none() ? Typed{} : result;
  }
  for (const expr::ExprId element : of.elements) {
    result.elements.push_back(total_derivative(node, element));
    if (result.elements.back().is_none()) return {};
  }
  return result;
}

// None if it was refused.
expr::ExprId Translator::total_derivative(const SyntaxNode& node, expr::ExprId of) {
  constexpr int most_times = 16;  // names grow with the order
  const auto is_of_highest_order = [&](expr::SymbolId id) {
    int order = 0;
    for (; order < most_times && !flat_[id].derivative_of.is_none(); ++order)
      id = flat_[id].derivative_of;
    return order == most_times;
  };
  if (!expr::depends_on(flat_.arena, walker_, of, is_of_highest_order)) {
    return model::time_derivative(flat_, walker_, of);
  }
  diagnostics_
      .error("unsupported.higher-derivative", node.span,
             fmt::format("derivatives of an order above {} are not supported", most_times))
      .hint = "declare a variable for one of the lower derivatives: v = der(x)";
  return {};
}

}  // namespace daedalus::modelica
