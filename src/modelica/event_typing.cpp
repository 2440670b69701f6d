// Functions related to events, and texts of messages.
#include <fmt/format.h>

#include <algorithm>

#include "modelica/lexer.hpp"
#include "modelica/typing.hpp"

namespace daedalus::modelica {
namespace {

using expr::ExprId;
using expr::Op;
using model::Variability;
using model::VariableId;

constexpr std::int64_t most_digits = 17;  // more would not distinguish any two numbers

}  // namespace

Typed Translator::event_function(const SyntaxNode& node) {
  if (node.text == "smooth") return smooth(node);
  if (node.text == "String") return text_of(node);
  if (node.text == "pre" || node.text == "edge" || node.text == "change") return before_event(node);
  if (wants_values_) {
    diagnostics_
        .error("type.not-a-parameter-expression", node.span,
               fmt::format("`{}` varies, a size must be known before the run", node.text))
        .hint = "use constants and parameters";
    return {};
  }
  if (node.text == "sample") return sampled(node);
  if (!check_argument_count(node, 0)) return {};
  const VariableId flag =
      node.text == "initial" ? model::initial_flag(flat_) : model::terminal_flag(flat_);
  if (flat_[flag].span == Span{}) flat_[flag].span = node.span;
  return {.type = ValueType::Boolean,
          .variability = Variability::Discrete,
          .id = flat_.arena.symbol(flag)};
}

// What an algorithm has assigned to the variable, or the variable itself.
ExprId Translator::assigned_value(ExprId variable) const {
  if (assigned_ == nullptr || !flat_.arena.is_symbol(variable)) return variable;
  const auto found = assigned_->find(flat_.arena.symbol_of(variable));
  return found == assigned_->end() ? variable : found->second;
}

// pre(v), edge(b) and change(v) of every element.
Typed Translator::before_event(const SyntaxNode& node) {
  if (!check_argument_count(node, 1)) return {};
  const Typed& of = argument(node, 0);
  const bool is_edge = node.text == "edge";
  if (of.type == ValueType::String || (is_edge && of.type != ValueType::Boolean)) {
    return type_error(argument_node(node, 0), is_edge ? "a Boolean" : "a variable", of.type,
                      node.text);
  }
  const auto element = [&](ExprId variable) {
    const ExprId before = memory(node, variable);
    if (before.is_none() || node.text == "pre") return before;
    const ExprId now = assigned_value(variable);
    if (!is_edge) return flat_.arena.make(Op::NotEqual, now, before);
    return flat_.arena.make(Op::And, now, flat_.arena.make(Op::Not, before));
  };
  Typed result{.type = node.text == "pre" ? of.type : ValueType::Boolean,
               .variability = std::min(of.variability, Variability::Discrete),
               .shape = of.shape};
  if (!of.is_array()) {
    result.id = element(expression_of(of));
    return result.id.is_none() ? Typed{} : result;
  }
  for (const ExprId variable : of.elements) {
    result.elements.push_back(element(variable));
    if (result.elements.back().is_none()) return {};
  }
  return result;
}

// pre(variable); none if it was refused. For what keeps its value, pre() is the same.
ExprId Translator::memory(const SyntaxNode& node, ExprId variable) {
  const Span span = argument_node(node, 0).span;
  const bool is_name = flat_.arena.is_symbol(variable);
  if (is_name && is_fixed_in_time(flat_[flat_.arena.symbol_of(variable)].variability))
    return variable;
  const bool is_variable = is_name && flat_.is_unknown(flat_.arena.symbol_of(variable)) &&
                           flat_[flat_.arena.symbol_of(variable)].derivative_of.is_none();
  if (!is_variable) {
    diagnostics_
        .error("event.no-variable", span,
               fmt::format("`{}` needs the name of a variable", node.text))
        .hint = "declare a variable for this value";
    return {};
  }
  const VariableId id = flat_.arena.symbol_of(variable);
  if (flat_[id].variability == Variability::Continuous && !inside_when_) {
    diagnostics_
        .error("event.pre-of-continuous", node.span,
               fmt::format("`{}` is continuous: `{}` of it stands in when-clauses only",
                           flat_[id].name, node.text))
        .hint = fmt::format(
        "outside of them, give `{}` its value in a when-clause, or make it an "
        "Integer or a Boolean",
        flat_[id].name);
    return {};
  }
  return flat_.arena.symbol(model::memory_of(flat_, id));
}

// sample(start, interval)
Typed Translator::sampled(const SyntaxNode& node) {
  if (!check_argument_count(node, 2)) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const Typed& value = argument(node, i);
    const SyntaxNode& written = argument_node(node, i);
    if (!value.is_number()) return type_error(written, "numbers", value.type, node.text);
    if (!check_scalar(written, value, node.text)) return {};
    if (!is_fixed_in_time(value.variability)) {
      diagnostics_
          .error("type.not-a-parameter-expression", written.span,
                 fmt::format("the {} of `sample` must not depend on variables",
                             i == 0 ? "start" : "interval"))
          .hint = "use constants and parameters only";
      return {};
    }
  }
  const ExprId interval = expression_of(argument(node, 1));
  if (flat_.arena.is_constant(interval) && flat_.arena.constant_value(interval) <= 0.0) {
    diagnostics_
        .error("event.sample-interval", argument_node(node, 1).span,
               fmt::format("the interval of `sample` is {}", flat_.arena.constant_value(interval)))
        .hint = "it must be positive";
    return {};
  }
  flat_.variables.push_back({.name = fmt::format("$sample{}", flat_.samplers.size() + 1),
                             .type = model::Type::Boolean,
                             .variability = Variability::Discrete,
                             .span = node.span,
                             .is_memory = true,
                             .is_hidden = true});
  const VariableId made(flat_.variables.size() - 1);
  flat_.samplers.push_back({made, expression_of(argument(node, 0)), interval, node.span});
  return {.type = ValueType::Boolean,
          .variability = Variability::Discrete,
          .id = flat_.arena.symbol(made)};
}

// smooth(p, e): e is p times continuously differentiable. From p = 1 on, events in it would locate
// nothing that an integrator notices.
Typed Translator::smooth(const SyntaxNode& node) {
  if (!check_argument_count(node, 2)) return {};
  const Span span = argument_node(node, 0).span;
  const std::optional<std::int64_t> order =
      known_integer(argument(node, 0), span, "the order of `smooth`");
  if (!order) return {};
  if (*order < 0) {
    diagnostics_.error("type.mismatch", span, fmt::format("the order of `smooth` is {}", *order))
        .hint = "it is 0 or more";
    return {};
  }
  const Typed& e = argument(node, 1);
  if (!e.is_number()) return type_error(argument_node(node, 1), "numbers", e.type, node.text);
  return *order == 0 ? e : elementwise(Op::NoEvent, e);
}

// String(x), String(x, significantDigits = n)
Typed Translator::text_of(const SyntaxNode& node) {
  const bool with_digits = node.argument_count == 3 &&
                           argument_node(node, 1).kind == NodeKind::Word &&
                           argument_node(node, 1).text == "significantDigits";
  if (node.argument_count != 1 && !with_digits) {
    diagnostics_
        .error("unsupported.expression", node.span, "these arguments of `String` are not supported")
        .hint = "write String(x) or String(x, significantDigits = n)";
    return {};
  }
  const Typed& value = argument(node, 0);
  const SyntaxNode& written = argument_node(node, 0);
  if (!check_scalar(written, value, node.text)) return {};
  if (value.type == ValueType::String) return value;
  model::MessagePart part{.value = expression_of(value)};
  if (value.type == ValueType::Integer) part.type = model::Type::Integer;
  if (value.type == ValueType::Boolean) part.type = model::Type::Boolean;
  if (with_digits) {
    const Span span = argument_node(node, 2).span;
    const std::optional<std::int64_t> digits =
        known_integer(argument(node, 2), span, "`significantDigits`");
    if (!digits) return {};
    if (*digits < 1 || *digits > most_digits) {
      diagnostics_.error("type.mismatch", span, fmt::format("{} digits cannot be shown", *digits))
          .hint = fmt::format("1 to {} can", most_digits);
      return {};
    }
    part.significant_digits = static_cast<int>(*digits);
  }
  return {.type = ValueType::String, .variability = value.variability, .text = {std::move(part)}};
}

Typed Translator::text_literal(const SyntaxNode& node) const {
  return {.type = ValueType::String,
          .text = {{.text = string_value({TokenKind::String, node.span, node.text, 0.0})}}};
}

// a + b of Strings; both are used only here.
Typed Translator::concatenation(const SyntaxNode& node) {
  Typed result = std::move(values_[index(argument_id(node, 0)) - offset_]);
  for (const model::MessagePart& part : argument(node, 1).text) result.text.push_back(part);
  result.variability = std::max(result.variability, argument(node, 1).variability);
  return result;
}

std::optional<std::vector<Typed>> Translator::translate_arguments(const Expression& call) {
  offset_ = index(call.first);
  const std::size_t count = index(call.root) - offset_ + 1;
  if (values_.size() < count) values_.resize(count);
  if (call.root != call.first) evaluate_nodes(call.first, NodeId(index(call.root) - 1));
  if (!held_back_.empty()) report_held_back();
  const SyntaxNode& node = tree_[call.root];
  if (any_wrong(node)) return std::nullopt;
  std::vector<Typed> arguments;
  arguments.reserve(node.argument_count);
  for (std::size_t i = 0; i < node.argument_count; ++i) arguments.push_back(argument(node, i));
  return arguments;
}

Typed Translator::translate_target(const Expression& expression) {
  return with_targets([&] { return translate(expression); });
}

void Translator::mark_discrete(ComponentId id) {
  Component& component = components_[index(id)];
  if (component.variability == Variability::Continuous)
    component.variability = Variability::Discrete;
}

}  // namespace daedalus::modelica
