// Syntax to expressions: names looked up, types checked.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/model/flat_model.hpp"
#include "modelica/syntax.hpp"

namespace daedalus::modelica {

enum class ValueType { Real, Integer, Boolean, String, Wrong };  // Wrong was reported already

std::string_view value_type_name(ValueType type);

struct Typed {
  expr::ExprId id = {};
  ValueType type = ValueType::Wrong;
  model::Variability variability = model::Variability::Constant;

  bool is_number() const { return type == ValueType::Real || type == ValueType::Integer; }
};

class Translator {
 public:
  Translator(const SyntaxTree& tree, model::FlatModel& flat, Diagnostics& diagnostics)
      : tree_(tree), flat_(flat), diagnostics_(diagnostics) {}

  // Makes a name known; false if it was known before.
  bool declare(std::string_view name, model::VariableId id) {
    return known_.emplace(name, id).second;
  }
  model::VariableId find(std::string_view name) const;

  // Names that were refused before: to use them is no further error.
  void forgive(std::string_view name) { forgiven_.emplace(name); }
  void forgive_all() { forgives_all_ = true; }

  // The expression with its type. Loops over its nodes; nesting costs no stack.
  Typed translate(const Expression& expression);

 private:
  Typed literal(const SyntaxNode& node);
  Typed name(const SyntaxNode& node);
  Typed operation(const SyntaxNode& node);
  Typed arithmetic(const SyntaxNode& node);
  Typed logic(const SyntaxNode& node);
  Typed relation(const SyntaxNode& node);
  Typed choice(const SyntaxNode& node);
  Typed call(const SyntaxNode& node);
  Typed derivative(const SyntaxNode& node);
  Typed total_derivative(const SyntaxNode& node, const Typed& argument);
  Typed type_error(const SyntaxNode& operand, std::string_view expected, ValueType found,
                   std::string_view where);

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

  const SyntaxTree& tree_;
  model::FlatModel& flat_;
  Diagnostics& diagnostics_;
  expr::Walker walker_;
  std::unordered_map<std::string, model::VariableId> known_;  // never iterated over
  std::unordered_set<std::string_view> forgiven_;             // never iterated over
  bool forgives_all_ = false;
  std::vector<Typed> values_;  // of the nodes of the expression being translated
  std::size_t offset_ = 0;
};

}  // namespace daedalus::modelica
