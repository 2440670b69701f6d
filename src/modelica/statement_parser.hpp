// Equations and statements, with the loops and choices around them. Open ones are on a separate
// stack: nesting costs memory, never the call stack.
#pragma once

#include <vector>

#include "modelica/syntax.hpp"
#include "modelica/token_reader.hpp"

namespace daedalus::modelica {

enum class Section { Elements, Equations, InitialEquations, Algorithm, InitialAlgorithm };

class StatementParser {
 public:
  StatementParser(TokenReader& in, SyntaxTree& tree) : in_(in), tree_(tree) {}

  // A section of equations or statements of the class; `span` is that of its first word.
  void begin(ClassSyntax& made, Section section, Span span);
  // The section ends: anything still open is refused.
  void finish();

  bool has_open() const { return !open_.empty(); }
  // An equation or a statement, or the head of a loop or a choice.
  void read();
  // `end for`, `end if` or `end when`, while something is open.
  void read_end();

 private:
  // A loop or a choice whose end has not been read yet.
  struct Open {
    StatementKind kind = StatementKind::For;  // or If, or When
    Span span;                                // of the word that opened it
    LoopId innermost = {};                    // of For
    bool is_collected = false;                // among the statements, not a loop around equations
    std::size_t first = 0;                    // its first mark
    std::size_t last = 0;                     // its last mark so far
    bool is_empty = true;
    bool has_else = false;
  };

  const Token& now() const { return in_.now(); }
  bool is_algorithm() const {
    return section_ == Section::Algorithm || section_ == Section::InitialAlgorithm;
  }
  bool collects() const { return is_algorithm() || (!open_.empty() && open_.back().is_collected); }
  std::vector<EquationSyntax>& equations() {
    return section_ == Section::Equations ? class_->equations : class_->initial_equations;
  }
  LoopId innermost_loop() const;  // around equations
  std::optional<Expression> expression();

  void begin_loop();
  std::optional<LoopSyntax> read_loop_head(LoopId outer);
  void begin_choice(StatementKind kind);
  std::optional<Expression> condition();
  bool read_branch();
  void read_equation_or_call();
  void read_call(const Expression& call);
  bool refuse_statement();
  void end_of_statement(std::string_view what);

  void begin_collecting();
  void add(StatementSyntax statement);
  void add_mark(StatementSyntax mark);
  void finish_collecting(Span span);

  TokenReader& in_;
  SyntaxTree& tree_;
  ClassSyntax* class_ = nullptr;
  Section section_ = Section::Elements;
  Span section_span_ = {};
  std::vector<Open> open_;
  std::size_t first_statement_ = 0;  // of those being collected
  std::size_t errors_before_ = 0;    // number of errors when that began
};

}  // namespace daedalus::modelica
