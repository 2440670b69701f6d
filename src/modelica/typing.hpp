// Syntax to expressions: names looked up, types and sizes checked.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/expr/number.hpp"
#include "daedalus/model/flat_model.hpp"
#include "daedalus/modelica/modelica.hpp"
#include "modelica/arrays.hpp"
#include "modelica/syntax.hpp"

namespace daedalus::modelica {

enum class ValueType { Real, Integer, Boolean, String, Wrong };  // Wrong: already reported

std::string_view value_type_name(ValueType type);
ValueType value_type(model::Type type);

// A number stays a number until an expression needs it: counting in loops adds nothing to the
// arena.
struct Typed {
  ValueType type = ValueType::Wrong;
  model::Variability variability = model::Variability::Constant;
  expr::ExprId id = {};                       // of a scalar that is not just a number
  double number = 0.0;                        // of a scalar without id
  Shape shape = {};                           // empty for scalars
  std::vector<expr::ExprId> elements = {};    // of arrays
  std::vector<model::MessagePart> text = {};  // of Strings

  bool is_number() const { return type == ValueType::Real || type == ValueType::Integer; }
  bool is_array() const { return !shape.empty(); }
  bool is_wrong() const { return type == ValueType::Wrong; }
  bool is_plain_number() const { return !is_array() && id.is_none(); }
};

bool fits(const Typed& value, model::Type type);

using ComponentId = Index<struct ComponentTag>;

enum class Progress { Unknown, Begun, Known, Wrong };

// What a name stands for: one variable, or the variables of an array in a row.
struct Component {
  std::string_view name;
  model::Type type = model::Type::Real;
  model::Variability variability = model::Variability::Continuous;
  const Declaration* declaration = nullptr;  // none for time
  model::VariableId first = {};
  Shape shape = {};
  Progress shape_progress = Progress::Unknown;
  std::vector<expr::Number> values = {};  // of parameters that decide sizes
  Progress value_progress = Progress::Unknown;
  bool binding_is_wrong = false;  // which was reported
  bool is_structural = false;     // its values decided a size, a range or a subscript

  bool is_wrong() const { return shape_progress == Progress::Wrong; }
};

// The values that a loop variable takes.
struct IndexSet {
  std::int64_t first = 1, step = 1, count = 0;
  std::vector<std::int64_t> listed = {};  // instead, where they are not a range

  std::int64_t operator[](std::int64_t i) const {
    return listed.empty() ? first + i * step : listed[static_cast<std::size_t>(i)];
  }
};

// The values that an algorithm has assigned to variables so far.
using Assigned = std::unordered_map<model::VariableId, expr::ExprId>;  // never iterated over

class Translator {
 public:
  Translator(const SyntaxTree& tree, model::FlatModel& flat, const Overrides& overrides,
             Diagnostics& diagnostics)
      : tree_(tree),
        flat_(flat),
        overrides_(overrides),
        diagnostics_(diagnostics),
        resolutions_(tree.nodes.size()) {}

  // Declares a name; none if it was declared before.
  ComponentId declare(Component component);
  ComponentId find(std::string_view name) const;
  const Component& operator[](ComponentId id) const { return components_[index(id)]; }

  // Sets where its variables begin; called in their order.
  void place(ComponentId id, model::VariableId first);

  // Names that were refused before: using them is not a further error.
  void forgive(std::string_view name) { forgiven_.emplace(name); }
  void forgive_all() { forgives_all_ = true; }

  // The expression with its type and size. Loops over its nodes; nesting costs no stack.
  Typed translate(const Expression& expression);
  // The targets of an assignment, whatever was assigned to them before.
  Typed translate_target(const Expression& expression);
  // The values of a call's arguments; none if one of them is wrong.
  std::optional<std::vector<Typed>> translate_arguments(const Expression& call);
  expr::ExprId expression_of(const Typed& value);                     // of a scalar
  expr::ExprId element_of(const Typed& value, std::int64_t element);  // a scalar for every element

  // Finds the size of a declared array, and the parameters that it depends on.
  bool require_shape(ComponentId id) { return require(id, Goal::Size); }

  // From now on names stand for what was assigned to them; none: for themselves.
  void set_assigned(const Assigned* assigned) { assigned_ = assigned; }
  expr::ExprId assigned_value(expr::ExprId variable) const;

  // Inside when-clauses, continuous variables also have a value from before the event.
  void set_inside_when(bool inside) { inside_when_ = inside; }

  // Marks a Real that gets its values in a when-clause.
  void mark_discrete(ComponentId id);

  // The value of an expression of parameters, which decides the structure of the model.
  std::optional<expr::Number> known_value(expr::ExprId id, Span span);
  std::optional<double> known_real(expr::ExprId id, Span span);

  // Loop variables, the innermost last.
  void enter_loop(std::string_view name) { loops_.push_back({name, 0}); }
  void leave_loop() { loops_.pop_back(); }
  void set_loop(std::int64_t value) { loops_.back().value = value; }
  std::optional<IndexSet> index_set(const Expression& range);

  // "i = 3, j = 1": where in the loops an error occurred.
  std::string loop_values() const;

  // False, reported once, when the loops of the model have too many iterations.
  bool count_iteration(Span span);

 private:
  enum class Goal { Size, Value };
  struct LoopVariable {
    std::string_view name;
    std::int64_t value;
  };
  // What a name in the text refers to; the same each time the text is read.
  struct Resolution {
    enum class Kind { Unknown, Wrong, Declared, Loop } kind = Kind::Unknown;
    std::uint32_t place = 0;
  };

  void evaluate_nodes(NodeId first, NodeId last);
  Typed node_value(NodeId id);
  // Names stand for themselves meanwhile.
  template <class Read>
  Typed with_targets(const Read& read) {
    const Assigned* const assigned = std::exchange(assigned_, nullptr);
    Typed result = read();
    assigned_ = assigned;
    return result;
  }
  Typed literal(const SyntaxNode& node);
  Typed number(ValueType type, const expr::Number& value);
  Typed checked_integer(const SyntaxNode& node, Typed result);
  Resolution resolve(NodeId id);
  Resolution unknown_name(const SyntaxNode& node);
  Typed name(NodeId id);
  Typed shape_of(NodeId id);
  Typed dimension_end(NodeId id);
  bool may_read(Component& component, Span span);
  Typed variable(const Component& component, std::int64_t element);
  Typed known_variable(ComponentId id);
  Typed operation(const SyntaxNode& node);
  Typed arithmetic(const SyntaxNode& node);
  Typed array_operation(const SyntaxNode& node);
  Typed product(const SyntaxNode& node, const Typed& a, const Typed& b);
  expr::ExprId combined(expr::Op op, ValueType type, expr::ExprId a, expr::ExprId b);
  Typed elementwise(expr::Op op, const Typed& a, const Typed& b);
  Typed elementwise(expr::Op op, const Typed& a);
  Typed logic(const SyntaxNode& node);
  Typed relation(const SyntaxNode& node);
  Typed choice(const SyntaxNode& node);
  Typed taken_branch(const SyntaxNode& node);
  Typed call(const SyntaxNode& node);
  Typed scalar_function(const SyntaxNode& node);
  Typed derivative(const SyntaxNode& node);
  expr::ExprId total_derivative(const SyntaxNode& node, expr::ExprId of);
  Typed type_error(const SyntaxNode& operand, std::string_view expected, ValueType found,
                   std::string_view where);

  // Events and texts.
  Typed event_function(const SyntaxNode& node);
  Typed before_event(const SyntaxNode& node);
  expr::ExprId memory(const SyntaxNode& node, expr::ExprId variable);
  Typed sampled(const SyntaxNode& node);
  Typed smooth(const SyntaxNode& node);
  Typed text_of(const SyntaxNode& node);
  Typed text_literal(const SyntaxNode& node) const;
  Typed concatenation(const SyntaxNode& node);

  // Arrays.
  Typed constructor(const SyntaxNode& node);
  Typed range(const SyntaxNode& node);
  std::optional<IndexSet> range_values(const SyntaxNode& node);
  std::optional<IndexSet> listed_values(const Typed& values, Span span);
  Typed too_many(Span span, std::int64_t count);
  bool check_dimensions(Span span, std::size_t count);
  Typed element(NodeId id);
  bool any_wrong_subscript(const SyntaxNode& node, const Resolution& resolution);
  Typed slice(const SyntaxNode& node, const Component& component);
  std::optional<std::vector<std::int64_t>> subscript(const SyntaxNode& node, std::size_t position,
                                                     const Component& component);
  bool check_subscript(NodeId subscript, std::int64_t value, const Component& component,
                       std::size_t dimension);
  void forget_held_back(NodeId behind, NodeId last);
  void report_held_back();
  Typed comprehension(const SyntaxNode& node);
  bool repeat(const SyntaxNode& node, const std::vector<IndexSet>& sets,
              const std::function<bool()>& body);
  Typed array_function(const SyntaxNode& node);
  Typed size(const SyntaxNode& node);
  Typed filled(const SyntaxNode& node);
  Typed linspace(const SyntaxNode& node);
  Typed identity(const SyntaxNode& node);
  Typed transposed(const SyntaxNode& node);
  Typed reduction(const SyntaxNode& node, Typed elements);
  Typed size_error(Span span, std::string message, std::string hint = {});
  bool check_scalar(const SyntaxNode& node, const Typed& value, std::string_view where);

  // Numbers that must be known before the run.
  std::optional<std::int64_t> known_integer(const Typed& value, Span span, std::string_view what);
  std::optional<std::vector<std::int64_t>> known_integers(const Typed& value, Span span,
                                                          std::string_view what);
  std::optional<std::int64_t> known_size(const Typed& value, Span span);
  ComponentId owner(model::VariableId id) const;
  bool require(ComponentId id, Goal goal);
  Progress& progress(ComponentId id, Goal goal);
  std::vector<std::pair<ComponentId, Goal>> needs(ComponentId id, Goal goal) const;
  void append_needs(const Expression& expression,
                    std::vector<std::pair<ComponentId, Goal>>& all) const;
  void report_cycle(ComponentId id, Goal goal);
  bool find_shape(Component& component);
  bool find_value(Component& component);
  Typed known_translation(const Expression& expression);

  NodeId argument_id(const SyntaxNode& node, std::size_t i) const {
    return tree_.arguments[node.first_argument + i];
  }
  const Typed& argument(const SyntaxNode& node, std::size_t i) const {
    return values_[index(argument_id(node, i)) - offset_];
  }
  const SyntaxNode& argument_node(const SyntaxNode& node, std::size_t i) const {
    return tree_[argument_id(node, i)];
  }
  bool any_wrong(const SyntaxNode& node) const;
  bool is_forgiven(std::string_view name) const;
  Typed unknown_function(const SyntaxNode& node);
  bool check_argument_count(const SyntaxNode& node, std::size_t expected);
  model::Variability combined_variability(const SyntaxNode& node) const;
  std::vector<std::string> known_names() const;

  const SyntaxTree& tree_;
  model::FlatModel& flat_;
  const Overrides& overrides_;
  Diagnostics& diagnostics_;
  expr::Walker walker_;
  std::vector<Component> components_;
  std::unordered_map<std::string_view, ComponentId> known_;  // never iterated over
  std::unordered_set<std::string_view> forgiven_;            // never iterated over
  bool forgives_all_ = false;
  std::vector<Resolution> resolutions_;  // of nodes
  std::vector<LoopVariable> loops_;
  std::vector<ComponentId> placed_;             // those with variables, in their order
  std::vector<expr::Number> parameter_values_;  // of variables, as far as they were needed
  bool wants_values_ = false;  // parameters stand for their values, not for themselves
  std::vector<std::pair<NodeId, Diagnostic>> held_back_;  // until it is certain that they matter
  const Assigned* assigned_ = nullptr;
  bool inside_when_ = false;
  int nested_iterators_ = 0;
  std::int64_t iterations_ = 0;
  std::vector<Typed> values_;  // of the nodes of the expression being translated
  std::size_t offset_ = 0;
};

}  // namespace daedalus::modelica
