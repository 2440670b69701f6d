#include "modelica/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedalus::modelica {

using expr::ExprId;
using expr::Op;
using model::Variability;
using model::VariableId;

bool Lowering::lower_equations(const EquationSyntax& equation,
                               std::vector<model::Equation>& equations) {
  is_algorithm_ = false;
  is_initial_ = &equations == &flat_.initial_equations;
  if (!run(equation.statements, equation.span)) return false;
  std::vector<model::Equation>& made = branch().equations;
  equations.insert(equations.end(), made.begin(), made.end());
  return true;
}

bool Lowering::run(StatementRange range, Span span) {
  failed_ = false;
  whens_.clear();
  choices_.clear();
  choices_.push_back(
      {.kind = StatementKind::Equation, .span = span, .branches = {Branch{.span = span}}});
  for (std::size_t at = range.begin; at < range.end;) at = step(at);
  return !failed_;
}

// Executes one statement; returns the one to go on with.
std::size_t Lowering::step(std::size_t at) {
  const StatementSyntax& statement = tree_.statements[at];
  switch (statement.kind) {
    case StatementKind::Equation:
    case StatementKind::Assignment:
    case StatementKind::Call:
      translator_.set_inside_when(is_inside_when());
      do_statement(statement);
      translator_.set_inside_when(false);
      return at + 1;
    case StatementKind::For:
      return begin_loop(at);
    case StatementKind::If:
      return begin_if(at);
    case StatementKind::ElseIf:
    case StatementKind::Else:
      close_branch();
      return begin_branch(at);
    case StatementKind::When:
      return begin_when(at);
    case StatementKind::ElseWhen:
      close_branch();
      return next_when(at);
    case StatementKind::End:
      return tree_.statements[statement.next].kind == StatementKind::For ? end_loop(at)
                                                                         : end_choice(at);
  }
  return at + 1;
}

std::size_t Lowering::begin_loop(std::size_t at) {
  const StatementSyntax& statement = tree_.statements[at];
  const LoopSyntax& loop = tree_.loops[index(statement.loop)];
  std::optional<IndexSet> values = translator_.index_set(loop.range);
  if (!values) failed_ = true;
  if (!values || values->count == 0) return statement.next + 1;
  translator_.enter_loop(loop.name);
  translator_.set_loop((*values)[0]);
  loops_.push_back({std::move(*values), 1});
  return at + 1;
}

std::size_t Lowering::end_loop(std::size_t at) {
  const StatementSyntax& end = tree_.statements[at];
  Loop& loop = loops_.back();
  const bool goes_on =
      !failed_ && loop.next < loop.values.count && translator_.count_iteration(end.span);
  if (goes_on) {
    translator_.set_loop(loop.values[loop.next++]);
    return end.next + 1;
  }
  if (!failed_ && loop.next < loop.values.count) failed_ = true;  // too many turns, as reported
  loops_.pop_back();
  translator_.leave_loop();
  return at + 1;
}

std::size_t Lowering::begin_if(std::size_t at) {
  choices_.push_back({.kind = StatementKind::If, .span = tree_.statements[at].span});
  return begin_branch(at);
}

// After if, elseif or else. A condition that is known before the run selects the branch: the others
// do not exist.
std::size_t Lowering::begin_branch(std::size_t at) {
  const StatementSyntax& statement = tree_.statements[at];
  if (choice().skips_rest) return statement.next;
  choice().has_guard = false;
  if (statement.kind == StatementKind::Else) {
    choice().branches.push_back({.span = statement.span});
    return at + 1;
  }
  translator_.set_inside_when(is_inside_when());
  const Typed condition = translator_.translate(statement.left);
  translator_.set_inside_when(false);
  const bool is_truth = condition.type == ValueType::Boolean && !condition.is_array();
  if (!condition.is_wrong() && !is_truth) {
    fail("type.mismatch", statement.span,
         fmt::format("`if` needs a Boolean condition, this is {}",
                     condition.is_array() ? "an array" : value_type_name(condition.type)))
        .hint = "compare it with something, for example x > 0";
  }
  if (!is_truth) failed_ = true;
  const bool is_known = is_truth && is_fixed_in_time(condition.variability);
  if (!is_known) {
    choice().branches.push_back(
        {.condition = is_truth ? translator_.expression_of(condition) : flat_.arena.constant(0.0),
         .span = statement.span});
    note_place(branch().condition, statement.span);
    return at + 1;
  }
  const std::optional<double> value =
      translator_.known_real(translator_.expression_of(condition), statement.span);
  if (!value) failed_ = true;
  if (value && *value != 0.0) {
    choice().branches.push_back({.span = statement.span});
    choice().skips_rest = true;
    return at + 1;
  }
  return statement.next;
}

void Lowering::check_place_of_when(const StatementSyntax& statement) {
  if (is_inside_when()) {
    Diagnostic& diagnostic = fail("event.when-in-when", statement.span,
                                  "a when-clause cannot stand inside of another one");
    diagnostic.related.push_back({choices_[whens_.back()].span, "the one around it"});
    diagnostic.hint = "write `elsewhen`, or an `if` inside of the when-clause";
    return;
  }
  if (is_initial_) {
    fail("event.when-in-initial", statement.span,
         "a when-clause cannot stand in an initial section")
        .hint = "write `when initial() then` in a section that is not initial";
    return;
  }
  if (guard().is_none()) return;
  for (const Choice& around : choices_) {
    const bool depends =
        around.kind == StatementKind::If &&
        (around.branches.size() > 1 || !around.branches.back().condition.is_none());
    if (!depends) continue;
    Diagnostic& diagnostic =
        fail("event.when-in-if", statement.span,
             "a when-clause cannot stand inside of an `if` whose condition varies");
    diagnostic.related.push_back({around.span, "this varies"});
    diagnostic.hint = "put the `if` into the when-clause";
    return;
  }
}

std::size_t Lowering::begin_when(std::size_t at) {
  const StatementSyntax& statement = tree_.statements[at];
  check_place_of_when(statement);
  choices_.push_back({.kind = StatementKind::When, .span = statement.span});
  const std::size_t next = next_when(at);
  whens_.push_back(choices_.size() - 1);
  return next;
}

std::size_t Lowering::next_when(std::size_t at) {
  const StatementSyntax& statement = tree_.statements[at];
  const ExprId triggered = active(statement);
  choice().has_guard = false;
  choice().branches.push_back({.condition = triggered, .span = statement.span});
  return at + 1;
}

// Whether this branch of a when-clause is triggered: one of its conditions becomes true, and none
// of the earlier branches did.
ExprId Lowering::active(const StatementSyntax& statement) {
  expr::Arena& arena = flat_.arena;
  const Typed condition = translator_.translate(statement.left);
  const bool fits = condition.type == ValueType::Boolean && condition.shape.size() <= 1;
  if (!fits && !condition.is_wrong()) {
    fail("type.mismatch", statement.span,
         fmt::format("`when` needs a Boolean condition or a vector of them, this is {}",
                     condition.shape.size() > 1 ? "of size " + describe(condition.shape)
                                                : std::string(value_type_name(condition.type))))
        .hint = "compare it with something, for example x > 0";
  }
  if (!fits) failed_ = true;
  if (failed_) return arena.constant(0.0);
  ExprId any = arena.constant(0.0);
  for (std::int64_t i = 0; i < element_count(condition.shape); ++i)
    any =
        arena.make(Op::Or, any,
                   trigger(translator_.element_of(condition, i), span_of_condition(statement, i)));
  if (!choice().branches.empty())
    any = arena.make(Op::And, any, none_before(choice(), choice().branches.size()));
  return any;
}

// The span of the i-th of several conditions, where it was written on its own.
Span Lowering::span_of_condition(const StatementSyntax& statement, std::int64_t i) const {
  const SyntaxNode& root = tree_[statement.left.root];
  if (root.kind != NodeKind::Array || root.iterator_count > 0) return statement.span;
  return tree_[tree_.arguments[root.first_argument + static_cast<std::size_t>(i)]].span;
}

// A hidden variable that holds the condition, and its edge; initial() needs none.
ExprId Lowering::trigger(ExprId condition, Span span) {
  expr::Arena& arena = flat_.arena;
  const bool is_initial = arena.is_symbol(condition) && !flat_.initial_flag.is_none() &&
                          arena.symbol_of(condition) == flat_.initial_flag;
  if (is_initial) return condition;
  const VariableId made(flat_.variables.size());
  flat_.variables.push_back({.name = fmt::format("$when{}", flat_.whens.size() + 1),
                             .type = model::Type::Boolean,
                             .variability = Variability::Discrete,
                             .span = span,
                             .is_hidden = true});
  flat_.whens.push_back({made, span});
  flat_.equations.push_back({arena.symbol(made), condition, span, model::Type::Boolean});
  const ExprId before = arena.symbol(model::memory_of(flat_, made));
  return arena.make(Op::And, arena.symbol(made), arena.make(Op::Not, before));
}

// The values from before the branch come back; the branch keeps its own.
void Lowering::close_branch() {
  if (choice().branches.empty() || branch().is_closed) return;
  branch().is_closed = true;
  if (!is_algorithm_) return;
  for (Assignment& assignment : branch().assignments) {
    assignment.value = assigned_.at(assignment.variable);
    if (assignment.before.is_none()) {
      assigned_.erase(assignment.variable);
    } else {
      assigned_[assignment.variable] = assignment.before;
    }
  }
}

std::size_t Lowering::end_choice(std::size_t at) {
  close_branch();
  Choice closed = std::move(choices_.back());
  choices_.pop_back();
  if (closed.kind == StatementKind::When) whens_.pop_back();
  if (failed_ || closed.branches.empty()) return at + 1;
  if (closed.kind == StatementKind::When) {
    finish_when(closed);
    return at + 1;
  }
  if (!closed.branches.back().condition.is_none())
    closed.branches.push_back({.span = tree_.statements[at].span});  // the missing `else`
  merge_equations(closed);
  if (!failed_) merge_assignments(closed);
  if (!failed_) merge_reinits(closed);
  return at + 1;
}

// The condition that no earlier branch is taken; none for the first.
ExprId Lowering::none_before(Choice& of, std::size_t at) {
  if (of.none_before.empty()) of.none_before.emplace_back();
  while (of.none_before.size() <= at) {
    const ExprId earlier = of.none_before.back();
    const ExprId not_last =
        flat_.arena.make(Op::Not, of.branches[of.none_before.size() - 1].condition);
    of.none_before.push_back(earlier.is_none() ? not_last
                                               : flat_.arena.make(Op::And, earlier, not_last));
  }
  return of.none_before[at];
}

// The condition that the branch is taken: its condition holds and no earlier one does.
ExprId Lowering::own_condition(Choice& of, std::size_t at) {
  const ExprId condition = of.branches[at].condition;
  if (of.kind == StatementKind::When) return condition;
  const ExprId earlier = none_before(of, at);
  if (earlier.is_none()) return condition;
  return condition.is_none() ? earlier : flat_.arena.make(Op::And, earlier, condition);
}

// The condition under which the statement here is reached; none: always.
ExprId Lowering::guard() {
  std::size_t known = choices_.size();
  while (known > 0 && !choices_[known - 1].has_guard) --known;
  ExprId all = known == 0 ? ExprId{} : choices_[known - 1].guard;
  for (; known < choices_.size(); ++known) {
    Choice& around = choices_[known];
    const ExprId own = own_condition(around, around.branches.size() - 1);
    if (!own.is_none()) all = all.is_none() ? own : flat_.arena.make(Op::And, all, own);
    around.guard = all;
    around.has_guard = true;
  }
  return all;
}

void Lowering::check_states() {
  for (const model::Action& action : flat_.actions) {
    if (action.kind != model::Action::Kind::Reinit || flat_.is_state(action.target)) continue;
    fail("event.reinit-of-no-state", action.span,
         fmt::format("`{}` is no state: its derivative is used nowhere", flat_[action.target].name))
        .hint = fmt::format("give it its value with an equation in the when-clause: {} = ...",
                            flat_[action.target].name);
  }
}

}  // namespace daedalus::modelica
