// Translates if- and when-equations, algorithms and actions to equations and actions of the flat
// model. Walks the statements in order with stacks of its own.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/model/flat_model.hpp"
#include "modelica/equations.hpp"
#include "modelica/syntax.hpp"
#include "modelica/typing.hpp"

namespace daedalus::modelica {

class Lowering {
 public:
  Lowering(const SyntaxTree& tree, Translator& translator, EquationMaker& maker,
           model::FlatModel& flat, Diagnostics& diagnostics)
      : tree_(tree),
        translator_(translator),
        maker_(maker),
        flat_(flat),
        diagnostics_(diagnostics) {}

  // An if- or when-equation, or an action. False if something was reported.
  bool lower_equations(const EquationSyntax& equation, std::vector<model::Equation>& equations);
  bool lower_algorithm(const AlgorithmSyntax& algorithm);

  // Once everything is flat: checks that only states are reinitialised.
  void check_states();

  // Whether a when-clause gives it values.
  bool is_set_in_when(model::VariableId id) const { return in_whens_.contains(id); }

 private:
  struct Assignment {
    model::VariableId variable;
    model::ExprId value;
    model::ExprId before;  // its value when the branch began; none if it had none
    Span span;
  };
  // The results of the statements between two marks.
  struct Branch {
    model::ExprId condition = {};  // none: always
    bool is_closed = false;        // its end mark was reached
    Span span = {};                // of the condition
    std::vector<Assignment> assignments = {};
    std::unordered_map<model::VariableId, std::size_t> places = {};  // never iterated over
    std::vector<model::Equation> equations = {};
    std::vector<model::VariableId> reinits = {};                    // states that are reinitialised
    std::unordered_map<model::VariableId, Span> reinit_spans = {};  // of those; never iterated over
  };
  struct Choice {
    StatementKind kind = StatementKind::If;  // If, When, or Equation for all that is lowered
    Span span = {};
    std::vector<Branch> branches = {};
    bool has_guard = false;                       // whether the next is known
    model::ExprId guard = {};                     // of the last branch, with everything around it
    std::vector<model::ExprId> none_before = {};  // by branch, as far as it was asked for
    bool skips_rest = false;                      // a branch was chosen before the run
  };
  struct Loop {
    IndexSet values;
    std::int64_t next = 0;
  };

  bool run(StatementRange range, Span span);
  std::size_t step(std::size_t at);
  Choice& choice() { return choices_.back(); }
  Branch& branch() { return choices_.back().branches.back(); }
  bool is_inside_when() const { return !whens_.empty(); }
  // One equation of an algorithm is made from many statements: each keeps its position.
  void note_place(model::ExprId value, Span span) {
    if (is_algorithm_ && arity(flat_.arena[value].op) > 0) flat_.placed.push_back({value, span});
  }

  // Loops.
  std::size_t begin_loop(std::size_t at);
  std::size_t end_loop(std::size_t at);

  // Choices.
  std::size_t begin_if(std::size_t at);
  std::size_t begin_branch(std::size_t at);
  std::size_t begin_when(std::size_t at);
  std::size_t next_when(std::size_t at);
  model::ExprId active(const StatementSyntax& statement);
  Span span_of_condition(const StatementSyntax& statement, std::int64_t i) const;
  model::ExprId trigger(model::ExprId condition, Span span);
  void close_branch();
  std::size_t end_choice(std::size_t at);
  void check_place_of_when(const StatementSyntax& statement);
  model::ExprId none_before(Choice& choice, std::size_t branch);
  model::ExprId own_condition(Choice& choice, std::size_t branch);
  model::ExprId guard();

  // Merging the results of branches.
  void merge_equations(Choice& merged);
  model::ExprId chosen(const Choice& merged, const std::vector<model::ExprId>& values);
  void report_unequal(const Choice& merged);
  void merge_assignments(Choice& merged);
  void report_missing(const Choice& merged, const Assignment& assignment);
  model::ExprId merged_value(Choice& merged, model::VariableId variable,
                             std::span<const std::size_t> assigning);
  void merge_reinits(Choice& merged);
  void finish_when(Choice& merged);

  // Statements.
  void do_statement(const StatementSyntax& statement);
  void add_equation(const StatementSyntax& statement);
  void add_assignment(const StatementSyntax& statement);
  bool is_assignable(const Typed& target, const StatementSyntax& statement);
  bool check_value(const Typed& target, const Typed& value, const StatementSyntax& statement);
  void assign(model::VariableId variable, model::ExprId value, Span span);
  void report_second(model::VariableId variable, Span span, Span first);
  void add_action(const StatementSyntax& statement);
  void add_reinit(const StatementSyntax& statement, const std::vector<Typed>& arguments);
  void note_reinit(model::VariableId target, Span span);
  void add_assert(const StatementSyntax& statement, const std::vector<Typed>& arguments);
  std::optional<model::Action::Level> assertion_level(const SyntaxNode& written);
  // Which arguments of an assert are its condition, its message and its level.
  std::optional<std::array<std::size_t, 3>> assert_arguments(const StatementSyntax& statement);
  bool check_message(const Typed& message, Span span, std::string_view where);
  bool check_count(const StatementSyntax& statement, std::size_t found, std::size_t least,
                   std::size_t most);

  // Algorithms.
  void finish_algorithm(std::vector<model::Equation>& equations, std::size_t first_equation,
                        std::size_t first_action);

  Diagnostic& fail(std::string code, Span span, std::string message) {
    failed_ = true;
    return diagnostics_.error(std::move(code), span, std::move(message));
  }

  const SyntaxTree& tree_;
  Translator& translator_;
  EquationMaker& maker_;
  model::FlatModel& flat_;
  Diagnostics& diagnostics_;

  std::vector<Choice> choices_;
  std::vector<std::size_t> whens_;  // which of them are when-clauses
  std::vector<Loop> loops_;
  bool is_algorithm_ = false;
  bool is_initial_ = false;
  bool failed_ = false;  // something was reported: no further errors that follow from it
  Assigned assigned_;    // in an algorithm: the values so far
  std::unordered_map<model::VariableId, Span> in_whens_;  // assigned there; never iterated over
};

}  // namespace daedalus::modelica
