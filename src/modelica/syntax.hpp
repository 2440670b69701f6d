// The syntax tree: the text as written, with positions.
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
  ShapeOf,  // a name of which only the size is needed
  Element,  // a name with subscripts
  Colon,    // the subscript `:`
  End,      // the subscript `end`: `number` is its dimension
  Operation,
  Call,
  Array,  // {a, b}
  Row,    // of a matrix [a, b; c, d], which is an Array of rows
  Range,  // first : last, or first : step : last
  Word,   // a name that stands for itself: of an argument, or a value of an enumeration
  Body,   // precedes the nodes of what an iterator may repeat
};

// i in range; the ranges are arguments of the node, after what is repeated.
struct Iterator {
  std::string_view name;
  Span span;
};

// Arguments have smaller ids than the node that uses them: a loop over the nodes of an expression
// visits them first.
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
  bool is_target = false;     // of names: the variable is meant, whatever was assigned to it
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
  std::string_view variability;  // "parameter", "constant", "discrete" or empty
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

enum class StatementKind {
  Equation,
  Assignment,
  Call,  // of reinit, assert or terminate
  For,
  If,
  ElseIf,
  Else,
  When,
  ElseWhen,
  End,
};

// The contents of if- and when-equations and of algorithms, in order: equations, assignments and
// calls, and marks where a loop or a choice begins, continues and ends.
struct StatementSyntax {
  StatementKind kind = StatementKind::Equation;
  Span span = {};        // of a mark: its condition
  Expression left = {};  // of a mark: its condition; of a call: all of it
  Expression right = {};
  LoopId loop = {};      // of For
  std::size_t next = 0;  // of a mark: the next mark of the same loop or choice; of End: the first
};

// In SyntaxTree::statements.
struct StatementRange {
  std::size_t begin = 0, end = 0;

  bool is_empty() const { return begin == end; }
};

// One equation or if- or when-equation, or one for each value of the loops around it. If empty, it
// stands for an empty loop body.
struct EquationSyntax {
  Expression left = {};
  Expression right = {};
  Span span = {};
  LoopId loop = {};                // the innermost one
  StatementRange statements = {};  // instead of sides
  bool is_wrong = false;           // some of the statements were refused
};

struct AlgorithmSyntax {
  StatementRange statements = {};
  Span span = {};
  bool is_initial = false;
  bool is_wrong = false;  // some of the statements were refused
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
  std::vector<AlgorithmSyntax> algorithms = {};
  std::vector<AnnotationValue> experiment = {};
  std::vector<std::string_view> unread =
      {};                 // names in declarations that were refused: no further errors about them
  bool inherits = false;  // from a class that was not read: any name may come from there
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  std::vector<NodeId> arguments;
  std::vector<Iterator> iterators;
  std::vector<LoopSyntax> loops;
  std::vector<StatementSyntax> statements;
  std::vector<ClassSyntax> classes;

  const SyntaxNode& operator[](NodeId id) const { return nodes[index(id)]; }
};

}  // namespace daedalus::modelica
