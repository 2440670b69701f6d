// Sizes, and the values of the parameters that decide them: found on demand, in the order of their
// dependence, with an explicit stack.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/expr/tape.hpp"
#include "modelica/typing.hpp"

namespace daedalus::modelica {
namespace {

using model::Variability;

}  // namespace

std::optional<std::int64_t> Translator::known_integer(const Typed& value, Span span,
                                                      std::string_view what) {
  if (value.is_wrong()) return std::nullopt;
  if (value.is_array()) {
    size_error(span,
               fmt::format("{} needs a scalar, this has size {}", what, describe(value.shape)));
    return std::nullopt;
  }
  if (value.id.is_none() && value.type == ValueType::Integer &&
      std::fabs(value.number) < expr::integer_limit)
    return static_cast<std::int64_t>(value.number);
  const Typed one{.type = value.type,
                  .variability = value.variability,
                  .shape = {1},
                  .elements = {expression_of(value)}};
  const std::optional<std::vector<std::int64_t>> known = known_integers(one, span, what);
  return known ? std::optional(known->front()) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> Translator::known_integers(const Typed& value, Span span,
                                                                    std::string_view what) {
  if (value.is_wrong()) return std::nullopt;
  if (value.type != ValueType::Integer) {
    diagnostics_
        .error("type.mismatch", span,
               fmt::format("{} needs Integers, this is {}", what, value_type_name(value.type)))
        .hint = value.type == ValueType::Real ? "integer(x) gives the whole number below x" : "";
    return std::nullopt;
  }
  if (!is_fixed_in_time(value.variability)) {
    diagnostics_
        .error("type.not-a-parameter-expression", span,
               fmt::format("{} must be known before the run, this varies", what))
        .hint = "use constants, parameters and loop variables";
    return std::nullopt;
  }
  std::vector<std::int64_t> all;
  if (!value.is_array()) {
    const std::optional<std::int64_t> one = known_integer(value, span, what);
    return one ? std::optional(std::vector{*one}) : std::nullopt;
  }
  for (const expr::ExprId element : value.elements) {
    const std::optional<expr::Number> number = known_value(element, span);
    if (!number) return std::nullopt;
    if (!number->is_whole || !number->is_exact_double()) {
      diagnostics_.error("type.mismatch", span, fmt::format("{} is {}", what, number->value)).hint =
          "it must be a whole number of reasonable size";
      return std::nullopt;
    }
    all.push_back(number->whole);
  }
  return all;
}

std::optional<std::int64_t> Translator::known_size(const Typed& value, Span span) {
  const std::optional<std::int64_t> size = known_integer(value, span, "a size");
  if (!size) return std::nullopt;
  if (*size < 0) {
    diagnostics_.error("type.negative-size", span, fmt::format("a size is {}", *size)).hint =
        "sizes are 0 or more";
    return std::nullopt;
  }
  if (*size > most_elements()) {
    too_many(span, *size);
    return std::nullopt;
  }
  return size;
}

// The value of an expression of parameters.
std::optional<expr::Number> Translator::known_value(expr::ExprId id, Span span) {
  if (flat_.arena.is_constant(id)) return flat_.arena.exact_value(id);
  parameter_values_.resize(flat_.variables.size(), expr::Number::real(NAN));
  const std::vector<expr::SymbolId> symbols =
      walker_.symbols(flat_.arena, std::span<const expr::ExprId>(&id, 1));
  for (const expr::SymbolId symbol : symbols) {
    const ComponentId component = owner(symbol);
    if (!require(component, Goal::Value)) return std::nullopt;
    Component& found = components_[index(component)];
    found.is_structural = true;
    parameter_values_[index(symbol)] = found.values[index(symbol) - index(found.first)];
  }
  const expr::Number value = expr::evaluate_exactly(flat_.arena, walker_, id, parameter_values_);
  if (std::isfinite(value.value)) return value;
  diagnostics_.error("model.nonfinite-parameter", span, "this is not a finite number").hint =
      "look at the values in this expression: a division by 0, or a function outside of its domain";
  return std::nullopt;
}

std::optional<double> Translator::known_real(expr::ExprId id, Span span) {
  const std::optional<expr::Number> number = known_value(id, span);
  return number ? std::optional(number->value) : std::nullopt;
}

void Translator::place(ComponentId id, model::VariableId first) {
  Component& component = components_[index(id)];
  component.first = first;
  if (element_count(component.shape) > 0) placed_.push_back(id);
}

ComponentId Translator::owner(model::VariableId id) const {
  const auto behind = std::ranges::upper_bound(placed_, index(id), {}, [&](ComponentId place) {
    return index(components_[index(place)].first);
  });
  return *(behind - 1);
}

Progress& Translator::progress(ComponentId id, Goal goal) {
  Component& component = components_[index(id)];
  return goal == Goal::Size ? component.shape_progress : component.value_progress;
}

// Depth first; one that is met again before it is done depends on itself.
bool Translator::require(ComponentId id, Goal goal) {
  std::vector<std::pair<ComponentId, Goal>> stack = {{id, goal}};
  while (!stack.empty()) {
    const auto [now, wanted] = stack.back();
    Progress& state = progress(now, wanted);
    if (state == Progress::Known || state == Progress::Wrong) {
      stack.pop_back();
      continue;
    }
    const bool returned = state == Progress::Begun;
    state = Progress::Begun;
    if (!returned) {
      bool cyclic = false;
      for (const auto& need : needs(now, wanted)) {
        const Progress of_need = progress(need.first, need.second);
        cyclic = cyclic || of_need == Progress::Begun;
        if (of_need == Progress::Unknown) stack.push_back(need);
      }
      if (cyclic) report_cycle(now, wanted);
      if (stack.back() != std::pair(now, wanted)) continue;
    }
    if (progress(now, wanted) != Progress::Begun) continue;
    Component& component = components_[index(now)];
    const bool found = wanted == Goal::Size ? find_shape(component) : find_value(component);
    progress(now, wanted) = found ? Progress::Known : Progress::Wrong;
  }
  return progress(id, goal) == Progress::Known;
}

void Translator::report_cycle(ComponentId id, Goal goal) {
  const Component& component = components_[index(id)];
  diagnostics_
      .error("type.cyclic-size", component.declaration->span,
             fmt::format("the {} of `{}` depends on itself", goal == Goal::Size ? "size" : "value",
                         component.name))
      .hint = "a parameter that decides a size needs a value of its own";
  progress(id, goal) = Progress::Wrong;
}

std::vector<std::pair<ComponentId, Translator::Goal>> Translator::needs(ComponentId id,
                                                                        Goal goal) const {
  std::vector<std::pair<ComponentId, Goal>> all;
  const Component& component = components_[index(id)];
  if (component.declaration == nullptr) return all;
  bool reads_binding = goal == Goal::Value;
  if (goal == Goal::Value) all.emplace_back(id, Goal::Size);
  if (goal == Goal::Size) {
    for (const Expression& dimension : component.declaration->dimensions) {
      reads_binding = reads_binding || dimension.is_none();
      append_needs(dimension, all);
    }
  }
  if (reads_binding) append_needs(component.declaration->binding, all);
  return all;
}

void Translator::append_needs(const Expression& expression,
                              std::vector<std::pair<ComponentId, Goal>>& all) const {
  if (expression.is_none()) return;
  for (std::size_t i = index(expression.first); i <= index(expression.root); ++i) {
    const SyntaxNode& node = tree_.nodes[i];
    const bool is_value = node.kind == NodeKind::Name || node.kind == NodeKind::Element;
    const bool is_size = node.kind == NodeKind::ShapeOf || node.kind == NodeKind::End;
    if (!is_value && !is_size) continue;
    const ComponentId needed = find(node.text);
    if (needed.is_none()) continue;
    const bool has_value = is_fixed_in_time(components_[index(needed)].variability);
    all.emplace_back(needed, is_value && has_value ? Goal::Value : Goal::Size);
  }
}

// The expression with every parameter replaced by its value. Another expression may be half
// translated meanwhile.
Typed Translator::known_translation(const Expression& expression) {
  std::vector<Typed> values;
  std::vector<LoopVariable> loops;
  values.swap(values_);
  loops.swap(loops_);
  std::vector<std::pair<NodeId, Diagnostic>> held_back;
  held_back.swap(held_back_);
  const std::size_t offset = offset_;
  const int nested = std::exchange(nested_iterators_, 0);
  const bool wanted_values = std::exchange(wants_values_, true);
  Typed result = translate(expression);
  wants_values_ = wanted_values;
  nested_iterators_ = nested;
  offset_ = offset;
  held_back.swap(held_back_);
  loops.swap(loops_);
  values.swap(values_);
  return result;
}

bool Translator::find_shape(Component& component) {
  if (component.declaration == nullptr) return true;
  const Declaration& declaration = *component.declaration;
  const std::vector<Expression>& dimensions = declaration.dimensions;
  if (!check_dimensions(declaration.span, dimensions.size())) return false;
  Typed bound;
  const bool asks_binding =
      std::ranges::any_of(dimensions, [](const Expression& size) { return size.is_none(); });
  if (asks_binding) {
    if (declaration.binding.is_none() || !is_fixed_in_time(component.variability)) {
      diagnostics_
          .error("type.size-unknown", declaration.span,
                 fmt::format("the size of `{}` is not given", component.name))
          .hint = "`:` takes the size of a parameter's value; write the size instead";
      return false;
    }
    bound = known_translation(declaration.binding);
    if (bound.is_wrong()) return false;
    if (bound.shape.size() != dimensions.size()) {
      size_error(declaration.binding.span,
                 fmt::format("`{}` has {} dimension{}, its value is {}", component.name,
                             dimensions.size(), dimensions.size() == 1 ? "" : "s",
                             bound.is_array() ? "of size " + describe(bound.shape) : "a scalar"));
      return false;
    }
  }
  Shape shape;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d].is_none()) {
      shape.push_back(bound.shape[d]);
      continue;
    }
    const std::optional<std::int64_t> size =
        known_size(known_translation(dimensions[d]), dimensions[d].span);
    if (!size) return false;
    shape.push_back(*size);
  }
  if (element_count(shape) > most_elements()) {
    too_many(declaration.span, element_count(shape));
    return false;
  }
  component.shape = std::move(shape);
  return true;
}

// From the caller, or from the declaration. A value of the wrong type or size is reported where the
// declarations are read.
bool Translator::find_value(Component& component) {
  if (component.is_wrong() || component.declaration == nullptr) return false;
  const Declaration& declaration = *component.declaration;
  Typed bound;
  if (!declaration.binding.is_none()) {
    bound = known_translation(declaration.binding);
    component.binding_is_wrong = bound.is_wrong();
    if (bound.is_wrong() || !fits(bound, component.type) || bound.shape != component.shape)
      return false;
  }
  const bool may_be_set =
      overrides_ && component.variability == Variability::Parameter && !declaration.is_final;
  const std::int64_t count = element_count(component.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string name = element_name(component.name, component.shape, i);
    std::optional<expr::Number> value;
    if (may_be_set) value = overrides_(name, component.type);
    if (!value && !bound.is_wrong()) {
      value = known_value(element_of(bound, i), declaration.binding.span);
      component.binding_is_wrong = !value;
    } else if (!value) {
      diagnostics_
          .error("model.parameter-without-value", declaration.span,
                 fmt::format("`{}` has no value, but a size depends on it", name))
          .hint =
          fmt::format("write `{} = ...`, or give it with --set {}=...", component.name, name);
    }
    if (!value) return false;
    if (component.type == model::Type::Real) value = expr::Number::real(value->value);
    component.values.push_back(*value);
  }
  return true;
}

}  // namespace daedalus::modelica
