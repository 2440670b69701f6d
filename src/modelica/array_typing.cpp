// Expressions with arrays: operations on them, constructors, ranges, subscripts and iterators.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modelica/typing.hpp"

namespace daedalus::modelica {
namespace {

using expr::Op;
using model::Variability;

constexpr int most_nested_iterators = 32;

// The rows and columns of a vector or matrix as a factor of a product.
struct Factor {
  std::int64_t rows, columns;
};

std::optional<Factor> as_left(const Shape& shape) {
  if (shape.size() == 1) return Factor{1, shape[0]};
  return shape.size() == 2 ? std::optional(Factor{shape[0], shape[1]}) : std::nullopt;
}

std::optional<Factor> as_right(const Shape& shape) {
  if (shape.size() == 1) return Factor{shape[0], 1};
  return as_left(shape);
}

ValueType wider(ValueType a, ValueType b) {
  const bool integer_and_real = (a == ValueType::Integer && b == ValueType::Real) ||
                                (a == ValueType::Real && b == ValueType::Integer);
  return integer_and_real ? ValueType::Real : a;
}

// A double may lack digits of a larger Integer.
bool is_kept_by_double(double number, ValueType type) {
  return type == ValueType::Integer ? std::fabs(number) < expr::integer_limit
                                    : std::isfinite(number);
}

// An operand of Integer arithmetic. A run computes with doubles: a value that may have passed 2^53
// must not be used further. Variables are checked where they get their values.
expr::ExprId watched(expr::Arena& arena, expr::ExprId id) {
  using expr::Magnitude;
  const auto magnitude = [&](expr::ExprId of) { return operation(arena[of].op).magnitude; };
  expr::ExprId inner = id;
  while (magnitude(inner) == Magnitude::OfArgument) inner = expr::ExprId(arena[inner].a);
  const bool is_small = arena.is_symbol(inner) || magnitude(inner) == Magnitude::WithinArguments;
  return is_small ? id : arena.make(Op::Whole, id);
}

}  // namespace

Typed Translator::size_error(Span span, std::string message, std::string hint) {
  Diagnostic& diagnostic = diagnostics_.error("type.size-mismatch", span, std::move(message));
  diagnostic.hint = std::move(hint);
  diagnostic.label = loop_values();
  return {};
}

bool Translator::check_scalar(const SyntaxNode& node, const Typed& value, std::string_view where) {
  if (!value.is_array()) return true;
  size_error(node.span,
             fmt::format("`{}` needs a scalar, this has size {}", where, describe(value.shape)));
  return false;
}

std::string Translator::loop_values() const {
  constexpr std::size_t most_named = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(loops_.size(), most_named); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", loops_[i].name, loops_[i].value);
  return text;
}

Typed Translator::elementwise(Op op, const Typed& a) {
  Typed result{.type = a.type, .variability = a.variability, .shape = a.shape};
  if (a.is_array()) {
    result.elements.reserve(a.elements.size());
    for (const expr::ExprId element : a.elements)
      result.elements.push_back(flat_.arena.make(op, element));
    return result;
  }
  const double number = a.id.is_none() ? expr::apply(op, a.number) : NAN;
  if (is_kept_by_double(number, a.type)) {
    result.number = number;
  } else {
    result.id = flat_.arena.make(op, expression_of(a));
  }
  return result;
}

// Equal sizes, or a scalar and an array, where the scalar is used for every element.
Typed Translator::elementwise(Op op, const Typed& a, const Typed& b) {
  Typed result{.type = a.type, .variability = std::max(a.variability, b.variability)};
  const ValueType type = wider(a.type, b.type);
  if (!a.is_array() && !b.is_array()) {
    const double number =
        a.id.is_none() && b.id.is_none() ? expr::apply(op, a.number, b.number) : NAN;
    if (is_kept_by_double(number, type)) {
      result.number = number;
    } else {
      result.id = combined(op, type, expression_of(a), expression_of(b));
    }
    return result;
  }
  result.shape = a.is_array() ? a.shape : b.shape;
  const auto count = static_cast<std::int64_t>((a.is_array() ? a : b).elements.size());
  result.elements.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    result.elements.push_back(combined(op, type, element_of(a, i), element_of(b, i)));
  return result;
}

// The operation on values of this type.
expr::ExprId Translator::combined(Op op, ValueType type, expr::ExprId a, expr::ExprId b) {
  expr::Arena& arena = flat_.arena;
  const bool are_known = arena.is_constant(a) && arena.is_constant(b);  // and exact
  const bool makes_real = expr::operation(op).gives == expr::Gives::Real;
  if (type != ValueType::Integer || makes_real || are_known) return arena.make(op, a, b);
  return arena.make(op, watched(arena, a), watched(arena, b));
}

// Modelica 3.6, section 10.6.
Typed Translator::array_operation(const SyntaxNode& node) {
  const Typed &a = argument(node, 0), &b = argument(node, 1);
  const std::string_view symbol = expr::op_name(node.op);
  const bool both = a.is_array() && b.is_array();
  const bool scales =
      (node.op == Op::Multiply && !both) || (node.op == Op::Divide && !b.is_array());
  if (node.op == Op::Multiply && both && !node.elementwise) return product(node, a, b);
  const bool needs_dot =
      !node.elementwise && !scales && !(both && (node.op == Op::Add || node.op == Op::Subtract));
  if (needs_dot) {
    return size_error(node.span,
                      fmt::format("`{}` is not defined for {} and {}", symbol, describe(a.shape),
                                  describe(b.shape)),
                      fmt::format("to take it element by element, write `.{}`", symbol));
  }
  if (both && a.shape != b.shape) {
    return size_error(node.span, fmt::format("`{}` of different sizes: {} and {}", symbol,
                                             describe(a.shape), describe(b.shape)));
  }
  return elementwise(node.op, a, b);
}

// Scalar product, matrix times vector, vector times matrix, matrix times matrix.
Typed Translator::product(const SyntaxNode& node, const Typed& a, const Typed& b) {
  const std::optional<Factor> left = as_left(a.shape), right = as_right(b.shape);
  if (!left || !right || left->columns != right->rows) {
    return size_error(
        node.span,
        fmt::format("`*` is not defined for sizes {} and {}", describe(a.shape), describe(b.shape)),
        a.shape == b.shape ? "to multiply element by element, write `.*`" : "");
  }
  const ValueType type = wider(a.type, b.type);
  Typed result{.type = type, .variability = combined_variability(node)};
  if (a.shape.size() == 2) result.shape.push_back(left->rows);
  if (b.shape.size() == 2) result.shape.push_back(right->columns);
  if (element_count(result.shape) > most_elements())
    return too_many(node.span, element_count(result.shape));
  for (std::int64_t row = 0; row < left->rows; ++row) {
    for (std::int64_t column = 0; column < right->columns; ++column) {
      expr::ExprId sum = flat_.arena.constant(0.0);
      for (std::int64_t k = 0; k < left->columns; ++k) {
        const expr::ExprId term =
            combined(Op::Multiply, type, element_of(a, row * left->columns + k),
                     element_of(b, k * right->columns + column));
        sum = combined(Op::Add, type, sum, term);
      }
      result.elements.push_back(sum);
    }
  }
  if (!result.is_array()) {
    result.id = result.elements.front();
    result.elements.clear();
  }
  return result;
}

// {a, b}, and the rows of [a, b; c, d].
Typed Translator::constructor(const SyntaxNode& node) {
  if (node.iterator_count > 0) return comprehension(node);
  if (any_wrong(node)) return {};
  const Typed& first = argument(node, 0);
  if (!check_dimensions(node.span, first.shape.size() + 1)) return {};
  Typed result{.type = first.type, .variability = combined_variability(node), .shape = first.shape};
  result.shape.insert(result.shape.begin(), node.argument_count);
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    const Typed& part = argument(node, i);
    const SyntaxNode& written = argument_node(node, i);
    if (node.kind == NodeKind::Row && part.is_array()) {
      diagnostics_
          .error("unsupported.expression", written.span,
                 "matrices that are put together from arrays are not supported yet")
          .hint = "write the elements";
      return {};
    }
    result.type = wider(result.type, part.type);
    if (part.type != result.type && !(part.is_number() && result.is_number())) {
      diagnostics_.error("type.mismatch", written.span,
                         fmt::format("the elements of an array have different types: {} and {}",
                                     value_type_name(first.type), value_type_name(part.type)));
      return {};
    }
    if (part.shape != first.shape) {
      return size_error(written.span,
                        fmt::format("the elements of an array have different sizes: {} and {}",
                                    describe(first.shape), describe(part.shape)));
    }
    if (part.is_array()) {
      result.elements.insert(result.elements.end(), part.elements.begin(), part.elements.end());
    } else {
      result.elements.push_back(expression_of(part));
    }
  }
  return result;
}

std::optional<IndexSet> Translator::range_values(const SyntaxNode& node) {
  std::vector<std::int64_t> parts;
  for (std::size_t i = 0; i < node.argument_count; ++i) {
    const std::optional<std::int64_t> part =
        known_integer(argument(node, i), argument_node(node, i).span, "a range");
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  IndexSet set{.first = parts.front(), .step = parts.size() == 3 ? parts[1] : 1};
  if (set.step == 0) {
    diagnostics_.error("type.mismatch", argument_node(node, 1).span, "a range has the step 0");
    return std::nullopt;
  }
  const std::int64_t length = (parts.back() - set.first) / set.step;
  const bool is_empty = set.step > 0 ? parts.back() < set.first : parts.back() > set.first;
  set.count = is_empty ? 0 : length + 1;
  return set;
}

Typed Translator::range(const SyntaxNode& node) {
  const std::optional<IndexSet> set = range_values(node);
  if (!set) return {};
  if (set->count > most_elements()) return too_many(node.span, set->count);
  Typed result{.type = ValueType::Integer, .shape = {set->count}};
  for (std::int64_t i = 0; i < set->count; ++i)
    result.elements.push_back(flat_.arena.constant(static_cast<double>((*set)[i])));
  return result;
}

Typed Translator::too_many(Span span, std::int64_t count) {
  diagnostics_.error("model.too-large", span, too_many_text(count)).hint = too_many_hint();
  return {};
}

bool Translator::check_dimensions(Span span, std::size_t count) {
  if (count <= most_dimensions) return true;
  diagnostics_.error(
      "unsupported.expression", span,
      fmt::format("arrays of more than {} dimensions are not supported", most_dimensions));
  return false;
}

// A range that is looped over is not expanded to an array.
std::optional<IndexSet> Translator::index_set(const Expression& range) {
  const SyntaxNode& root = tree_[range.root];
  if (root.kind == NodeKind::Range) {
    offset_ = index(range.first);
    const std::size_t count = index(range.root) - offset_;
    if (values_.size() < count) values_.resize(count);
    evaluate_nodes(range.first, NodeId(index(range.root) - 1));
    report_held_back();
    return range_values(root);
  }
  return listed_values(translate(range), range.span);
}

std::optional<IndexSet> Translator::listed_values(const Typed& values, Span span) {
  if (values.is_wrong()) return std::nullopt;
  if (values.shape.size() != 1) {
    size_error(span,
               fmt::format("a loop needs a range or a vector, this is {}",
                           values.is_array() ? "of size " + describe(values.shape) : "a scalar"),
               "write 1:n");
    return std::nullopt;
  }
  std::optional<std::vector<std::int64_t>> listed = known_integers(values, span, "a loop");
  if (!listed) return std::nullopt;
  const auto count = static_cast<std::int64_t>(listed->size());
  return IndexSet{.count = count, .listed = std::move(*listed)};
}

Typed Translator::shape_of(NodeId id) {
  const Resolution resolution = resolve(id);
  if (resolution.kind == Resolution::Kind::Wrong) return {};
  if (resolution.kind == Resolution::Kind::Loop) return {.type = ValueType::Integer};
  const Component& component = components_[resolution.place];
  if (component.is_wrong()) return {};
  return {.type = value_type(component.type), .shape = component.shape};
}

Typed Translator::dimension_end(NodeId id) {
  const Typed array = shape_of(id);
  const auto dimension = static_cast<std::size_t>(tree_[id].number);
  if (array.is_wrong() || dimension >= array.shape.size()) {
    return {};  // the node with the subscripts reports that there are too many
  }
  return {.type = ValueType::Integer, .number = static_cast<double>(array.shape[dimension])};
}

bool Translator::check_subscript(NodeId subscript, std::int64_t value, const Component& component,
                                 std::size_t dimension) {
  const std::int64_t size = component.shape[dimension];
  if (value >= 1 && value <= size) return true;
  const std::string which =
      component.shape.size() > 1 ? fmt::format(" in dimension {}", dimension + 1) : "";
  Diagnostic diagnostic{.code = "type.index-out-of-bounds",
                        .span = tree_[subscript].span,
                        .message = fmt::format("index {} is outside of `{}`, whose size{} is {}",
                                               value, component.name, which, size),
                        .label = loop_values()};
  diagnostic.hint = size > 0 ? fmt::format("indices go from 1 to {}", size) : "it has no elements";
  if (component.declaration != nullptr)
    diagnostic.related.push_back({component.declaration->span, "declared here"});
  held_back_.emplace_back(subscript, std::move(diagnostic));
  return false;
}

// if i > 1 then x[i - 1] else 0: errors in a branch that is not taken do not matter. The nodes
// after `behind` were the last to be translated.
void Translator::forget_held_back(NodeId behind, NodeId last) {
  auto first = held_back_.end();
  while (first != held_back_.begin() && index(std::prev(first)->first) > index(behind)) --first;
  const auto in_branch = [&](const auto& held) { return index(held.first) <= index(last); };
  held_back_.erase(std::remove_if(first, held_back_.end(), in_branch), held_back_.end());
}

void Translator::report_held_back() {
  for (auto& [node, diagnostic] : held_back_)
    diagnostics_.error(diagnostic.code, diagnostic.span, diagnostic.message) = diagnostic;
  held_back_.clear();
}

// The elements that one subscript selects.
std::optional<std::vector<std::int64_t>> Translator::subscript(const SyntaxNode& node,
                                                               std::size_t position,
                                                               const Component& component) {
  const std::int64_t size = component.shape[position];
  const SyntaxNode* written =
      position < node.argument_count ? &argument_node(node, position) : nullptr;
  std::vector<std::int64_t> selected;
  if (written == nullptr || written->kind == NodeKind::Colon) {
    for (std::int64_t i = 1; i <= size; ++i) selected.push_back(i);
    return selected;
  }
  const Typed& value = argument(node, position);
  if (value.shape.size() > 1) {
    size_error(written->span, fmt::format("a subscript is a scalar or a vector, this has size {}",
                                          describe(value.shape)));
    return std::nullopt;
  }
  std::optional<std::vector<std::int64_t>> known =
      known_integers(value, written->span, "a subscript");
  if (!known) return std::nullopt;
  for (const std::int64_t i : *known) {
    if (!check_subscript(argument_id(node, position), i, component, position)) return std::nullopt;
  }
  return known;
}

Typed Translator::element(NodeId id) {
  const SyntaxNode& node = tree_[id];
  const Resolution resolution = resolve(id);
  if (resolution.kind == Resolution::Kind::Wrong || any_wrong_subscript(node, resolution))
    return {};
  Component& component = components_[resolution.place];
  if (!may_read(component, node.name_span)) return {};
  std::int64_t place = 0;
  bool all_scalar = node.argument_count == component.shape.size();
  for (std::size_t d = 0; d < node.argument_count && all_scalar; ++d) {
    const SyntaxNode& written = argument_node(node, d);
    const Typed& value = argument(node, d);
    all_scalar = !value.is_array() && written.kind != NodeKind::Colon;
    if (!all_scalar) break;
    const std::optional<std::int64_t> i = known_integer(value, written.span, "a subscript");
    if (!i || !check_subscript(argument_id(node, d), *i, component, d)) return {};
    place = place * component.shape[d] + *i - 1;
  }
  return all_scalar ? variable(component, place) : slice(node, component);
}

// Whether it is an array with this many dimensions, and every subscript has a value.
bool Translator::any_wrong_subscript(const SyntaxNode& node, const Resolution& resolution) {
  const bool is_loop = resolution.kind == Resolution::Kind::Loop;
  static const Shape scalar;
  const Shape& shape = is_loop ? scalar : components_[resolution.place].shape;
  if (!is_loop && components_[resolution.place].is_wrong()) return true;
  if (node.argument_count <= shape.size()) return any_wrong(node);
  diagnostics_
      .error("type.subscript-count", node.span,
             shape.empty()
                 ? fmt::format("`{}` is a scalar and has no elements", node.text)
                 : fmt::format("`{}` has {} dimension{}, here are {} subscripts", node.text,
                               shape.size(), shape.size() == 1 ? "" : "s", node.argument_count))
      .hint =
      shape.empty() && !is_loop ? fmt::format("declare it as an array: `{}[n]`", node.text) : "";
  return true;
}

// Omitted subscripts select everything.
Typed Translator::slice(const SyntaxNode& node, const Component& component) {
  Typed result{.type = value_type(component.type),
               .variability = wants_values_ ? Variability::Constant : component.variability};
  std::vector<std::int64_t> places = {0};
  for (std::size_t d = 0; d < component.shape.size(); ++d) {
    const std::optional<std::vector<std::int64_t>> selected = subscript(node, d, component);
    if (!selected) return {};
    const bool keeps_dimension = d >= node.argument_count ||
                                 argument_node(node, d).kind == NodeKind::Colon ||
                                 argument(node, d).is_array();
    if (keeps_dimension) result.shape.push_back(static_cast<std::int64_t>(selected->size()));
    const auto count = static_cast<std::int64_t>(places.size() * selected->size());
    if (count > most_elements()) return too_many(node.span, count);
    std::vector<std::int64_t> finer;
    finer.reserve(static_cast<std::size_t>(count));
    for (const std::int64_t place : places) {
      for (const std::int64_t i : *selected) finer.push_back(place * component.shape[d] + i - 1);
    }
    places = std::move(finer);
  }
  for (const std::int64_t place : places)
    result.elements.push_back(expression_of(variable(component, place)));
  return result;
}

// sum(e for i in 1:n) and {e for i in 1:n}. Of several iterators the first runs fastest.
Typed Translator::comprehension(const SyntaxNode& node) {
  if (nested_iterators_ == most_nested_iterators) {
    diagnostics_.error("unsupported.expression", node.span,
                       fmt::format("more than {} iterators inside of each other are not supported",
                                   most_nested_iterators));
    return {};
  }
  std::vector<IndexSet> sets;
  for (std::size_t i = 0; i < node.iterator_count; ++i) {
    std::optional<IndexSet> set =
        listed_values(argument(node, i + 1), argument_node(node, i + 1).span);
    if (!set) return {};
    sets.push_back(std::move(*set));
  }
  if (!check_dimensions(node.span, sets.size())) return {};
  Typed all{.type = ValueType::Integer};
  for (std::size_t i = sets.size(); i-- > 0;) all.shape.push_back(sets[i].count);
  const Shape outer = all.shape;
  const SyntaxNode& written = argument_node(node, 0);
  bool is_first = true;
  const bool is_reduction = node.kind == NodeKind::Call;
  const auto body = [&] {
    evaluate_nodes(NodeId(index(node.body) + 1), argument_id(node, 0));
    const Typed& value = argument(node, 0);
    if (value.is_wrong()) return false;
    if (is_reduction && !check_scalar(written, value, node.text)) return false;
    if (is_first) {
      if (!check_dimensions(node.span, outer.size() + value.shape.size())) return false;
      all.type = value.type;
      all.shape.insert(all.shape.end(), value.shape.begin(), value.shape.end());
    }
    const Shape inner(all.shape.begin() + static_cast<std::ptrdiff_t>(outer.size()),
                      all.shape.end());
    if (value.shape != inner) {
      size_error(written.span,
                 fmt::format("the elements of an array have different sizes: {} and {}",
                             describe(inner), describe(value.shape)));
      return false;
    }
    is_first = false;
    all.type = wider(all.type, value.type);
    all.variability = std::max(all.variability, value.variability);
    const auto count = element_count(value.shape);
    if (static_cast<std::int64_t>(all.elements.size()) + count > most_elements()) {
      too_many(node.span, static_cast<std::int64_t>(all.elements.size()) + count);
      return false;
    }
    for (std::int64_t i = 0; i < count; ++i) all.elements.push_back(element_of(value, i));
    return true;
  };
  ++nested_iterators_;
  const bool fine = repeat(node, sets, body);
  --nested_iterators_;
  if (!fine) return {};
  return is_reduction ? reduction(node, std::move(all)) : all;
}

// The body for every combination, with the loop variables set.
bool Translator::repeat(const SyntaxNode& node, const std::vector<IndexSet>& sets,
                        const std::function<bool()>& body) {
  for (const IndexSet& set : sets) {
    if (set.count == 0) return true;
  }
  const std::size_t base = loops_.size();
  for (std::size_t i = 0; i < sets.size(); ++i)
    loops_.push_back({tree_.iterators[node.first_iterator + i].name, sets[i][0]});
  std::vector<std::int64_t> at(sets.size(), 0);
  bool fine = true;
  for (std::size_t turned = 0; fine && turned < sets.size();) {
    fine = count_iteration(node.span) && body();
    for (turned = 0; turned < sets.size(); ++turned) {
      if (++at[turned] == sets[turned].count) at[turned] = 0;
      loops_[base + turned].value = sets[turned][at[turned]];
      if (at[turned] > 0) break;
    }
  }
  loops_.resize(base);
  return fine;
}

bool Translator::count_iteration(Span span) {
  constexpr std::int64_t most_iterations = 100'000'000;
  if (iterations_ > most_iterations) return false;
  if (++iterations_ <= most_iterations) return true;
  diagnostics_
      .error("model.too-large", span,
             fmt::format("the loops of the model take more than {} turns", most_iterations))
      .hint = "is a range wrong?";
  return false;
}

}  // namespace daedalus::modelica
