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

enum class NodeKind {
  Integer,
  Real,
  Boolean,
  String,
  Name,
  ShapeOf,  // a name of which only the size is asked for
  Element,  // a name with subscripts
  Colon,    // the subscript `:`
  End,      // the subscript `end`: `number` says of which dimension
  Operation,
  Call,
  Array,  // {a, b}
  Row,    // of a matrix [a, b; c, d], which is an Array of rows
  Range,  // first : last, or first : step : last
  Body,   // stands before the nodes of what an iterator may repeat
};

// i in range; the ranges are arguments of the node, behind what is repeated.
struct Iterator {
  std::string_view name;
  Span span;
};

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
  std::uint32_t first_iterator = 0;  // in SyntaxTree::iterators
  std::uint32_t iterator_count = 0;
  NodeId body = {};  // of a Body, if it is repeated: its last node; of the repeating node: the Body
  bool elementwise = false;   // .+ .- .* ./ .^
  bool in_subscript = false;  // of names: the value is needed before the run
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
  bool each = false;
};

struct Declaration {
  std::string_view type;
  Span type_span;
  std::string_view variability;  // "parameter", "constant" or empty
  bool is_final = false;
  std::string_view causality = {};  // "input", "output" or empty
  std::string_view name;
  Span span;                                // of the name
  std::vector<Expression> dimensions = {};  // none for `:`
  std::vector<Modifier> modifiers = {};
  Expression binding = {};
  std::string description = {};
};

using LoopId = Index<struct LoopSyntaxTag>;

// for name in range loop: the index set of the equations inside.
struct LoopSyntax {
  std::string_view name;
  Span span;  // of the name
  Expression range;
  LoopId outer = {};  // the loop around this one
};

// One equation, or one for each value of the loops around it. Without sides it stands for the body
// of a loop that holds nothing.
struct EquationSyntax {
  Expression left;
  Expression right;
  Span span;
  LoopId loop = {};  // the innermost one
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
  std::vector<Iterator> iterators;
  std::vector<LoopSyntax> loops;
  std::vector<ClassSyntax> classes;

  const SyntaxNode& operator[](NodeId id) const { return nodes[index(id)]; }
};

}  // namespace daedalus::modelica
