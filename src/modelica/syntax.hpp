// The syntax tree: what was written, with its places.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/source.hpp"
#include "daedalus/expr/arena.hpp"

namespace daedalus::modelica {

using NodeId = Index<struct SyntaxNodeTag>;

enum class NodeKind { Integer, Real, Boolean, String, Name, Operation, Call };

// Arguments have smaller ids than the node that uses them: a loop over the nodes of an expression
// meets them first.
struct SyntaxNode {
  NodeKind kind = NodeKind::Real;
  Span span;
  double number = 0.0;               // of literals
  std::string_view text = {};        // of strings and names, and the function's name
  Span name_span = {};               // of the function's name
  expr::Op op = expr::Op::Constant;  // of operations
  std::uint32_t first_argument = 0;  // in SyntaxTree::arguments
  std::uint32_t argument_count = 0;
};

// An expression: its nodes are first .. root.
struct Expression {
  NodeId first = {};
  NodeId root = {};
  Span span = {};

  bool is_none() const { return root.is_none(); }
};

struct Modifier {
  std::string_view name;
  Span span;  // of the name
  Expression value;
  bool is_final = false;
};

struct Declaration {
  std::string_view type;
  Span type_span;
  std::string_view variability;  // "parameter", "constant" or empty
  bool is_final = false;
  std::string_view causality = {};  // "input", "output" or empty
  std::string_view name;
  Span span;  // of the name
  std::vector<Modifier> modifiers = {};
  Expression binding = {};
  std::string description = {};
};

struct EquationSyntax {
  Expression left;
  Expression right;
  Span span;
};

struct AnnotationValue {
  std::string_view name;
  Span span;
  Expression value;
};

struct ClassSyntax {
  std::string_view name;
  Span span;  // of the name
  std::string description = {};
  std::vector<Declaration> declarations = {};
  std::vector<EquationSyntax> equations = {};
  std::vector<EquationSyntax> initial_equations = {};
  std::vector<AnnotationValue> experiment = {};
  std::vector<std::string_view> unread =
      {};                 // names in declarations that were refused: no further errors about them
  bool inherits = false;  // from what was not read: any name may come from there
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  std::vector<NodeId> arguments;
  std::vector<ClassSyntax> classes;

  const SyntaxNode& operator[](NodeId id) const { return nodes[index(id)]; }
};

}  // namespace daedalus::modelica
