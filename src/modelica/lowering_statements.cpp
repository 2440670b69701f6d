// Single equations, assignments and actions inside of if- and when-clauses and algorithms.
#include <fmt/format.h>

#include <algorithm>

#include "modelica/lowering.hpp"

namespace daedalus::modelica {

using expr::ExprId;
using model::Action;
using model::VariableId;

void Lowering::do_statement(const StatementSyntax& statement) {
  if (statement.kind == StatementKind::Call) return add_action(statement);
  const bool assigns = statement.kind == StatementKind::Assignment || is_inside_when();
  return assigns ? add_assignment(statement) : add_equation(statement);
}

void Lowering::add_equation(const StatementSyntax& statement) {
  model::FamilyId none;
  const EquationSyntax equation{
      .left = statement.left, .right = statement.right, .span = statement.span};
  if (!maker_.append(equation, none, branch().equations)) failed_ = true;
}

// v := e, and v = e in a when-equation.
void Lowering::add_assignment(const StatementSyntax& statement) {
  const Typed target = translator_.translate_target(statement.left);
  const Typed value = translator_.translate(statement.right);
  if (target.is_wrong() || value.is_wrong()) {
    failed_ = true;
    return;
  }
  if (!is_assignable(target, statement) || !check_value(target, value, statement)) return;
  for (std::int64_t i = 0; i < element_count(target.shape); ++i) {
    assign(flat_.arena.symbol_of(translator_.element_of(target, i)),
           translator_.element_of(value, i), statement.span);
  }
}

bool Lowering::is_assignable(const Typed& target, const StatementSyntax& statement) {
  const NodeKind kind = tree_[statement.left.root].kind;
  bool fits = kind == NodeKind::Name || kind == NodeKind::Element;
  for (std::int64_t i = 0; i < element_count(target.shape) && fits; ++i) {
    const ExprId id = translator_.element_of(target, i);
    fits = flat_.arena.is_symbol(id) && flat_.is_unknown(flat_.arena.symbol_of(id)) &&
           !flat_[flat_.arena.symbol_of(id)].is_input;
  }
  if (fits) return true;
  fail("event.left-side", statement.left.span,
       is_algorithm_ ? "only variables can be assigned"
                     : "on the left of an equation in a when-clause stands a variable")
      .hint = is_algorithm_ ? "parameters, inputs and loop variables keep their values"
                            : "write `name = expression`; reinit(x, e) gives a state a new value";
  return false;
}

bool Lowering::check_value(const Typed& target, const Typed& value,
                           const StatementSyntax& statement) {
  const bool numbers =
      value.is_number() && (target.type == ValueType::Real || value.type == ValueType::Integer);
  const bool fits = target.type == ValueType::Boolean ? value.type == ValueType::Boolean : numbers;
  if (!fits) {
    fail("type.mismatch", statement.right.span,
         fmt::format("this is {}, the variable is {}", value_type_name(value.type),
                     value_type_name(target.type)))
        .hint = target.type == ValueType::Integer && value.type == ValueType::Real
                    ? "use integer(...) to round down"
                    : "";
    return false;
  }
  if (target.shape == value.shape) return true;
  fail("type.size-mismatch", statement.span,
       fmt::format("the sides have different sizes: {} and {}", describe(target.shape),
                   describe(value.shape)))
      .label = translator_.loop_values();
  return false;
}

// The branch knows the last value; in an algorithm what follows reads it.
void Lowering::assign(VariableId variable, ExprId value, Span span) {
  const auto [place, is_new] = branch().places.emplace(variable, branch().assignments.size());
  if (!is_new && !is_algorithm_)
    return report_second(variable, span, branch().assignments[place->second].span);
  if (is_new) {
    const auto before = assigned_.find(variable);
    branch().assignments.push_back(
        {variable, value, before == assigned_.end() ? ExprId{} : before->second, span});
  }
  if (is_algorithm_) assigned_[variable] = value;
}

void Lowering::report_second(VariableId variable, Span span, Span first) {
  Diagnostic& diagnostic =
      fail("event.assigned-twice", span,
           fmt::format("`{}` is given a value in a when-clause twice", flat_[variable].name));
  diagnostic.related.push_back({first, "first here"});
  diagnostic.hint = "put both into one when-clause with `elsewhen`, which says what goes first";
}

bool Lowering::check_count(const StatementSyntax& statement, std::size_t found, std::size_t least,
                           std::size_t most) {
  if (found >= least && found <= most) return true;
  fail("type.argument-count", statement.span,
       fmt::format("`{}` takes {}{} argument{}, here {} {}", tree_[statement.left.root].text, least,
                   most > least ? fmt::format(" or {}", most) : "", most == 1 ? "" : "s",
                   found == 1 ? "is" : "are", found));
  return false;
}

void Lowering::add_action(const StatementSyntax& statement) {
  const SyntaxNode& call = tree_[statement.left.root];
  const std::optional<std::vector<Typed>> arguments =
      translator_.translate_arguments(statement.left);
  if (!arguments) {
    failed_ = true;
    return;
  }
  if (call.text == "reinit") return add_reinit(statement, *arguments);
  if (call.text == "assert") return add_assert(statement, *arguments);
  if (!is_inside_when()) {
    fail("event.terminate-outside-when", statement.span, "`terminate` stands in when-clauses only")
        .hint = "write `when condition then terminate(\"...\"); end when;`";
    return;
  }
  if (!check_count(statement, arguments->size(), 1, 1)) return;
  const Span text_span = tree_[tree_.arguments[call.first_argument]].span;
  if (!check_message(arguments->front(), text_span, "terminate")) return;
  flat_.actions.push_back({.kind = Action::Kind::Terminate,
                           .guard = guard(),
                           .message = arguments->front().text,
                           .span = statement.span});
}

bool Lowering::check_message(const Typed& message, Span span, std::string_view where) {
  if (message.type == ValueType::String) return true;
  fail("type.mismatch", span,
       fmt::format("the message of `{}` is a String, this is {}", where,
                   value_type_name(message.type)))
      .hint = "write it in quotes; String(x) makes text of a value";
  return false;
}

void Lowering::add_reinit(const StatementSyntax& statement, const std::vector<Typed>& arguments) {
  if (!is_inside_when()) {
    fail("event.reinit-outside-when", statement.span, "`reinit` stands in when-clauses only").hint =
        "write `when condition then reinit(x, ...); end when;`";
    return;
  }
  if (!check_count(statement, arguments.size(), 2, 2)) return;
  const Typed &target = arguments[0], &value = arguments[1];
  const SyntaxNode& call = tree_[statement.left.root];
  const SyntaxNode& name = tree_[tree_.arguments[call.first_argument]];
  bool is_variable = (name.kind == NodeKind::Name || name.kind == NodeKind::Element) &&
                     target.type == ValueType::Real;
  for (std::int64_t i = 0; i < element_count(target.shape) && is_variable; ++i) {
    const ExprId id = translator_.element_of(target, i);
    is_variable = flat_.arena.is_symbol(id) && flat_.is_unknown(flat_.arena.symbol_of(id));
  }
  if (!is_variable) {
    fail("event.reinit-of-no-state", name.span, "`reinit` needs the name of a state").hint =
        "a state is a Real variable whose derivative is used";
    return;
  }
  const Span value_span = tree_[tree_.arguments[call.first_argument + 1]].span;
  const StatementSyntax sides{.kind = StatementKind::Assignment,
                              .span = statement.span,
                              .left = {.span = name.span},
                              .right = {.span = value_span}};
  if (!check_value(target, value, sides)) return;
  const ExprId reached = guard();
  for (std::int64_t i = 0; i < element_count(target.shape); ++i) {
    const VariableId state = flat_.arena.symbol_of(translator_.element_of(target, i));
    note_reinit(state, statement.span);
    flat_.actions.push_back({.kind = Action::Kind::Reinit,
                             .guard = reached,
                             .target = state,
                             .value = translator_.element_of(value, i),
                             .span = statement.span});
  }
}

// In one branch a state is set again once.
void Lowering::note_reinit(VariableId target, Span span) {
  const auto [first, is_new] = branch().reinit_spans.emplace(target, span);
  if (!is_new) {
    fail("event.reinit-twice", span,
         fmt::format("`{}` is set again twice in one branch", flat_[target].name))
        .related.push_back({first->second, "first here"});
    return;
  }
  branch().reinits.push_back(target);
}

void Lowering::add_assert(const StatementSyntax& statement, const std::vector<Typed>& arguments) {
  const SyntaxNode& call = tree_[statement.left.root];
  const bool has_name = arguments.size() == 4;  // level = ...
  if (!check_count(statement, arguments.size() - (has_name ? 1 : 0), 2, 3)) return;
  const auto span_of = [&](std::size_t i) {
    return tree_[tree_.arguments[call.first_argument + i]].span;
  };
  const Typed &condition = arguments[0], &message = arguments[1];
  if (condition.type != ValueType::Boolean || condition.is_array()) {
    fail("type.mismatch", span_of(0),
         fmt::format("`assert` needs a Boolean condition, this is {}",
                     condition.is_array() ? "an array" : value_type_name(condition.type)))
        .hint = "compare it with something, for example x > 0";
    return;
  }
  if (!check_message(message, span_of(1), "assert")) return;
  const std::optional<Action::Level> level = assertion_level(call);
  if (!level) return;
  flat_.actions.push_back({.kind = Action::Kind::Assert,
                           .guard = guard(),
                           .value = translator_.expression_of(condition),
                           .message = message.text,
                           .level = *level,
                           .span = statement.span});
}

// AssertionLevel.error, where nothing is said.
std::optional<Action::Level> Lowering::assertion_level(const SyntaxNode& call) {
  if (call.argument_count == 2) return Action::Level::Error;
  const auto node = [&](std::size_t i) -> const SyntaxNode& {
    return tree_[tree_.arguments[call.first_argument + i]];
  };
  const SyntaxNode& written = node(call.argument_count - 1);
  const bool is_named =
      call.argument_count == 3 || (node(2).kind == NodeKind::Word && node(2).text == "level");
  std::string word(written.kind == NodeKind::Word ? written.text : "");
  std::erase_if(word, [](char c) { return c == ' '; });
  if (is_named && word == "AssertionLevel.error") return Action::Level::Error;
  if (is_named && word == "AssertionLevel.warning") return Action::Level::Warning;
  fail("event.assertion-level", is_named ? written.span : node(2).span,
       "this is no level of `assert`")
      .hint = "write level = AssertionLevel.error or level = AssertionLevel.warning";
  return std::nullopt;
}

}  // namespace daedalus::modelica
