// Single equations, assignments and actions inside if- and when-clauses and algorithms.
#include <fmt/format.h>

#include <algorithm>

#include "modelica/lowering.hpp"

namespace daedalus::modelica {

using expr::ExprId;
using model::Action;
using model::VariableId;

namespace {

constexpr std::array<std::string_view, 3> names_of_assert = {"condition", "message", "level"};
constexpr std::size_t no_argument = ~std::size_t{0};

}  // namespace

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

// The branch knows the last value; later statements of an algorithm read it.
void Lowering::assign(VariableId variable, ExprId value, Span span) {
  note_place(value, span);
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

// A branch may reinitialise a state only once.
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
  const std::optional<std::array<std::size_t, 3>> places = assert_arguments(statement);
  if (!places) return;
  const auto node = [&](std::size_t i) -> const SyntaxNode& {
    return tree_[tree_.arguments[call.first_argument + i]];
  };
  const Typed &condition = arguments[(*places)[0]], &message = arguments[(*places)[1]];
  if (condition.type != ValueType::Boolean || condition.is_array()) {
    fail("type.mismatch", node((*places)[0]).span,
         fmt::format("`assert` needs a Boolean condition, this is {}",
                     condition.is_array() ? "an array" : value_type_name(condition.type)))
        .hint = "compare it with something, for example x > 0";
    return;
  }
  if (!check_message(message, node((*places)[1]).span, "assert")) return;
  const std::size_t level_place = (*places)[2];
  const std::optional<Action::Level> level = level_place == no_argument
                                                 ? std::optional(Action::Level::Error)
                                                 : assertion_level(node(level_place));
  if (!level) return;
  ExprId reached = guard();
  if (is_initial_) {
    const ExprId initially = flat_.arena.symbol(model::initial_flag(flat_));
    reached = reached.is_none() ? initially : flat_.arena.make(expr::Op::And, initially, reached);
  }
  flat_.actions.push_back({.kind = Action::Kind::Assert,
                           .guard = reached,
                           .value = translator_.expression_of(condition),
                           .message = message.text,
                           .level = *level,
                           .span = statement.span});
}

// By position or by name, which precedes the value.
std::optional<std::array<std::size_t, 3>> Lowering::assert_arguments(
    const StatementSyntax& statement) {
  const SyntaxNode& call = tree_[statement.left.root];
  std::array<std::size_t, 3> places = {no_argument, no_argument, no_argument};
  std::size_t given = 0;
  for (std::size_t i = 0; i < call.argument_count; ++i, ++given) {
    const SyntaxNode& written = tree_[tree_.arguments[call.first_argument + i]];
    std::size_t which = given;
    const bool is_name =
        written.kind == NodeKind::Word && !written.text.starts_with("AssertionLevel");
    if (is_name) {
      const auto found = std::ranges::find(names_of_assert, written.text);
      which = static_cast<std::size_t>(found - names_of_assert.begin());
      ++i;
    }
    const bool is_free = which < places.size() && places[which] == no_argument;
    if (!is_free && is_name) {
      fail("type.argument-count", written.span,
           which < places.size() ? fmt::format("the argument `{}` is given twice", written.text)
                                 : fmt::format("`assert` has no argument `{}`", written.text))
          .hint = "it has condition, message and level";
      return std::nullopt;
    }
    if (is_free) places[which] = i;
  }
  if (!check_count(statement, given, 2, 3)) return std::nullopt;
  if (places[0] != no_argument && places[1] != no_argument) return places;
  fail("type.argument-count", statement.span, "`assert` needs a condition and a message");
  return std::nullopt;
}

std::optional<Action::Level> Lowering::assertion_level(const SyntaxNode& written) {
  std::string word(written.kind == NodeKind::Word ? written.text : "");
  std::erase_if(word, [](char c) { return c == ' '; });
  if (word == "AssertionLevel.error") return Action::Level::Error;
  if (word == "AssertionLevel.warning") return Action::Level::Warning;
  fail("event.assertion-level", written.span, "this is no level of `assert`").hint =
      "write level = AssertionLevel.error or level = AssertionLevel.warning";
  return std::nullopt;
}

}  // namespace daedalus::modelica
