// The functions that construct arrays, query their sizes or reduce them (Modelica 3.6, section
// 10.3).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "modelica/typing.hpp"

namespace daedalus::modelica {
namespace {

using expr::Op;

struct Reduction {
  std::string_view name;
  Op op;
  std::optional<double> of_nothing;
};

constexpr std::array<Reduction, 4> reductions = {{{"sum", Op::Add, 0.0},
                                                  {"product", Op::Multiply, 1.0},
                                                  {"min", Op::Min, std::nullopt},
                                                  {"max", Op::Max, std::nullopt}}};

}  // namespace

Typed Translator::array_function(const SyntaxNode& node) {
  if (node.text == "size" || node.text == "ndims") return size(node);
  if (node.text == "fill" || node.text == "zeros" || node.text == "ones") return filled(node);
  if (node.text == "linspace") return linspace(node);
  if (node.text == "identity") return identity(node);
  if (node.text == "transpose") return transposed(node);
  return check_argument_count(node, 1) ? reduction(node, argument(node, 0)) : Typed{};
}

Typed Translator::reduction(const SyntaxNode& node, Typed elements) {
  const auto wanted = std::ranges::find(reductions, node.text, &Reduction::name);
  if (!elements.is_number()) {
    return type_error(argument_node(node, 0), "numbers", elements.type, node.text);
  }
  if (!elements.is_array()) return elements;
  Typed result{.type = elements.type, .variability = elements.variability};
  if (elements.elements.empty()) {
    if (!wanted->of_nothing)
      return size_error(node.span, fmt::format("`{}` of an array without elements", node.text));
    result.number = *wanted->of_nothing;
    return result;
  }
  result.id = elements.elements.front();
  for (std::size_t i = 1; i < elements.elements.size(); ++i)
    result.id = combined(wanted->op, elements.type, result.id, elements.elements[i]);
  return result;
}

// size(x, k), size(x), ndims(x)
Typed Translator::size(const SyntaxNode& node) {
  const bool whole = node.argument_count == 1 || node.text == "ndims";
  if (!check_argument_count(node, whole ? 1 : 2)) return {};
  const Shape& shape = argument(node, 0).shape;
  if (node.text == "ndims")
    return {.type = ValueType::Integer, .number = static_cast<double>(shape.size())};
  if (whole) {
    Typed all{.type = ValueType::Integer, .shape = {static_cast<std::int64_t>(shape.size())}};
    for (const std::int64_t n : shape)
      all.elements.push_back(flat_.arena.constant(static_cast<double>(n)));
    return all;
  }
  const SyntaxNode& written = argument_node(node, 1);
  const std::optional<std::int64_t> dimension =
      known_integer(argument(node, 1), written.span, "a dimension");
  if (!dimension) return {};
  if (*dimension < 1 || *dimension > static_cast<std::int64_t>(shape.size())) {
    diagnostics_.error(
        "type.index-out-of-bounds", written.span,
        fmt::format("there is no dimension {}, this is {}", *dimension,
                    shape.empty() ? "a scalar" : fmt::format("of size {}", describe(shape))));
    return {};
  }
  return {.type = ValueType::Integer,
          .number = static_cast<double>(shape[static_cast<std::size_t>(*dimension - 1)])};
}

// fill(s, n, m), zeros(n, m), ones(n, m)
Typed Translator::filled(const SyntaxNode& node) {
  const bool has_value = node.text == "fill";
  const std::size_t first_size = has_value ? 1 : 0;
  if (node.argument_count <= first_size) {
    diagnostics_.error("type.argument-count", node.span,
                       fmt::format("`{}` needs a size", node.text));
    return {};
  }
  Typed value{.type = ValueType::Integer, .number = node.text == "ones" ? 1.0 : 0.0};
  if (has_value) value = argument(node, 0);
  if (has_value && !check_scalar(argument_node(node, 0), value, node.text)) return {};
  if (!check_dimensions(node.span, node.argument_count - first_size)) return {};
  Typed result{.type = value.type, .variability = value.variability};
  for (std::size_t i = first_size; i < node.argument_count; ++i) {
    const std::optional<std::int64_t> n =
        known_size(argument(node, i), argument_node(node, i).span);
    if (!n) return {};
    result.shape.push_back(*n);
  }
  const std::int64_t count = element_count(result.shape);
  if (count > most_elements()) return too_many(node.span, count);
  result.elements.assign(static_cast<std::size_t>(count), expression_of(value));
  return result;
}

// linspace(a, b, n): n values from a to b
Typed Translator::linspace(const SyntaxNode& node) {
  if (!check_argument_count(node, 3)) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const Typed& end = argument(node, i);
    if (!end.is_number()) return type_error(argument_node(node, i), "numbers", end.type, node.text);
    if (!check_scalar(argument_node(node, i), end, node.text)) return {};
  }
  const std::optional<std::int64_t> n = known_size(argument(node, 2), argument_node(node, 2).span);
  if (!n) return {};
  if (*n < 2) {
    return size_error(argument_node(node, 2).span,
                      fmt::format("`linspace` needs at least 2 values, here are {}", *n));
  }
  expr::Arena& arena = flat_.arena;
  Typed result{.type = ValueType::Real, .variability = combined_variability(node), .shape = {*n}};
  const expr::ExprId from = expression_of(argument(node, 0));
  const expr::ExprId difference = arena.subtract(expression_of(argument(node, 1)), from);
  const auto steps = static_cast<double>(*n - 1);
  for (std::int64_t i = 0; i < *n; ++i) {
    const expr::ExprId way = arena.multiply(difference, arena.constant(static_cast<double>(i)));
    result.elements.push_back(arena.add(from, arena.divide(way, arena.constant(steps))));
  }
  return result;
}

Typed Translator::identity(const SyntaxNode& node) {
  if (!check_argument_count(node, 1)) return {};
  const std::optional<std::int64_t> n = known_size(argument(node, 0), argument_node(node, 0).span);
  if (!n) return {};
  Typed result{.type = ValueType::Integer, .shape = {*n, *n}};
  const std::int64_t count = element_count(result.shape);
  if (count > most_elements()) return too_many(node.span, count);
  result.elements.assign(static_cast<std::size_t>(count), flat_.arena.constant(0.0));
  for (std::int64_t i = 0; i < *n; ++i)
    result.elements[static_cast<std::size_t>(i * *n + i)] = flat_.arena.constant(1.0);
  return result;
}

Typed Translator::transposed(const SyntaxNode& node) {
  if (!check_argument_count(node, 1)) return {};
  const Typed& of = argument(node, 0);
  if (of.shape.size() != 2) {
    return size_error(argument_node(node, 0).span,
                      fmt::format("`transpose` needs a matrix, this is {}",
                                  of.is_array() ? "of size " + describe(of.shape) : "a scalar"));
  }
  Typed result{.type = of.type, .variability = of.variability, .shape = {of.shape[1], of.shape[0]}};
  for (std::int64_t column = 0; column < of.shape[1]; ++column) {
    for (std::int64_t row = 0; row < of.shape[0]; ++row)
      result.elements.push_back(element_of(of, row * of.shape[1] + column));
  }
  return result;
}

}  // namespace daedalus::modelica
