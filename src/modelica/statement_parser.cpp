#include "modelica/statement_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "modelica/annotation_parser.hpp"

namespace daedalus::modelica {
namespace {

constexpr std::array<std::string_view, 3> known_calls = {"reinit", "assert", "terminate"};

std::string_view opening_word(StatementKind kind) {
  return kind == StatementKind::For ? "for" : (kind == StatementKind::If ? "if" : "when");
}

}  // namespace

void StatementParser::begin(ClassSyntax& made, Section section, Span span) {
  class_ = &made;
  section_ = section;
  section_span_ = span;
  if (is_algorithm()) begin_collecting();
}

void StatementParser::finish() {
  if (class_ == nullptr) return;
  if (!open_.empty()) {
    const std::string_view word = opening_word(open_.back().kind);
    in_.error("syntax.end-mismatch", open_.back().span,
              fmt::format("this `{}` is never closed", word))
        .hint = fmt::format("write `end {};` behind its {}", word,
                            is_algorithm() ? "statements" : "equations");
    const bool collected = std::ranges::any_of(open_, &Open::is_collected);
    open_.clear();
    if (collected && !is_algorithm()) finish_collecting(section_span_);
  }
  if (is_algorithm()) finish_collecting(section_span_);
  class_ = nullptr;
}

LoopId StatementParser::innermost_loop() const {
  return open_.empty() ? LoopId{} : open_.back().innermost;
}

std::optional<Expression> StatementParser::expression() {
  return parse_expression(in_.cursor(), tree_, in_.diagnostics());
}

void StatementParser::read() {
  if (now().is("for")) return begin_loop();
  if (!open_.empty()) open_.back().is_empty = false;
  if (now().is("if")) return begin_choice(StatementKind::If);
  if (now().is("when")) return begin_choice(StatementKind::When);
  if (read_branch() || refuse_statement()) return;
  read_equation_or_call();
}

void StatementParser::read_equation_or_call() {
  const std::optional<Expression> left = expression();
  if (!left) return in_.skip_statement();
  if (now().is(";") && tree_[left->root].kind == NodeKind::Call) return read_call(*left);
  if (now().is(";") && tree_[left->root].op == expr::Op::Equal) {
    in_.error(
           "syntax.unexpected", left->span,
           fmt::format("this is a relation, not an {}", is_algorithm() ? "assignment" : "equation"))
        .hint = is_algorithm() ? "assignments are written with `:=`"
                               : "equations are written with a single `=`";
    return in_.skip_statement();
  }
  if (is_algorithm() && now().is("=")) {
    in_.unexpected("an algorithm has no equations").hint = "assignments are written with `:=`";
    return in_.skip_statement();
  }
  if (!in_.expect(is_algorithm() ? ":=" : "=",
                  is_algorithm() ? "in the assignment" : "in the equation"))
    return in_.skip_statement();
  const std::optional<Expression> right = expression();
  if (!right) return in_.skip_statement();
  const Span span = cover(left->span, right->span);
  if (collects()) {
    add({.kind = is_algorithm() ? StatementKind::Assignment : StatementKind::Equation,
         .span = span,
         .left = *left,
         .right = *right});
  } else {
    equations().push_back({.left = *left, .right = *right, .span = span, .loop = innermost_loop()});
  }
  end_of_statement(is_algorithm() ? "after the assignment" : "after the equation");
}

// reinit(...), assert(...) and terminate(...).
void StatementParser::read_call(const Expression& call) {
  const std::string_view name = tree_[call.root].text;
  if (std::ranges::find(known_calls, name) == known_calls.end()) {
    in_.unsupported(call.span, fmt::format("the statement `{}(...)` is", name));
    return in_.skip_statement();
  }
  const bool alone = !collects();
  if (alone) begin_collecting();
  add({.kind = StatementKind::Call, .span = call.span, .left = call});
  if (alone) finish_collecting(call.span);
  end_of_statement("after the statement");
}

void StatementParser::end_of_statement(std::string_view what) {
  if (now().kind == TokenKind::String) read_description(in_);
  if (now().is("annotation")) read_annotation(in_, tree_, nullptr);
  if (!in_.expect_semicolon(what)) in_.skip_statement();
}

// for i in range, j in range loop: nested loops.
void StatementParser::begin_loop() {
  const std::size_t begin = in_.position();
  const Span span = now().span;
  const std::size_t known = tree_.loops.size();
  const bool is_collected = collects();
  LoopId innermost = is_collected ? LoopId{} : innermost_loop();
  if (!open_.empty()) open_.back().is_empty = false;
  do {
    in_.advance();
    const std::optional<LoopSyntax> loop = read_loop_head(innermost);
    if (!loop) {
      tree_.loops.resize(known);
      in_.cursor().at = begin;
      return in_.skip_compound();
    }
    tree_.loops.push_back(*loop);
    innermost = LoopId(tree_.loops.size() - 1);
  } while (now().is(","));
  open_.push_back({.kind = StatementKind::For,
                   .span = span,
                   .innermost = innermost,
                   .is_collected = is_collected,
                   .first = tree_.statements.size()});
  for (std::size_t loop = known; is_collected && loop < tree_.loops.size(); ++loop)
    add({.kind = StatementKind::For, .span = tree_.loops[loop].span, .loop = LoopId(loop)});
  if (!in_.accept("loop")) {
    in_.unexpected(fmt::format("expected `loop`, found {}", describe(now()))).hint =
        fmt::format("for-{} are written `for i in 1:n loop ... end for;`",
                    is_algorithm() ? "statements" : "equations");
  }
}

std::optional<LoopSyntax> StatementParser::read_loop_head(LoopId outer) {
  if (now().kind != TokenKind::Identifier) {
    in_.unexpected(fmt::format("expected the name of a loop variable, found {}", describe(now())));
    return std::nullopt;
  }
  LoopSyntax loop{.name = now().text, .span = now().span, .range = {}, .outer = outer};
  in_.advance();
  if (!in_.accept("in")) {
    in_.unexpected(fmt::format("expected `in` after `{}`, found {}", loop.name, describe(now())))
        .hint = fmt::format("write its range: {} in 1:n", loop.name);
    return std::nullopt;
  }
  const std::optional<Expression> range = expression();
  if (!range) return std::nullopt;
  loop.range = *range;
  return loop;
}

// if condition then, when condition then
void StatementParser::begin_choice(StatementKind kind) {
  const std::size_t begin = in_.position();
  const Span span = now().span;
  if (!collects()) begin_collecting();
  const std::optional<Expression> chosen = condition();
  if (!chosen) {
    const bool alone = !collects();
    in_.cursor().at = begin;
    in_.skip_compound();
    if (alone) finish_collecting(span);
    return;
  }
  open_.push_back({.kind = kind,
                   .span = span,
                   .innermost = {},
                   .is_collected = true,
                   .first = tree_.statements.size(),
                   .last = tree_.statements.size()});
  add({.kind = kind, .span = chosen->span, .left = *chosen});
}

// After `if`, `when` and the like: an expression and `then`.
std::optional<Expression> StatementParser::condition() {
  in_.advance();
  const std::optional<Expression> read =
      parse_expression(in_.cursor(), tree_, in_.diagnostics(), Ending::BeforeThen);
  if (!read || !in_.expect("then", "after the condition")) return std::nullopt;
  return read;
}

// elseif condition then, else, elsewhen condition then. False if none of them comes next.
bool StatementParser::read_branch() {
  const bool is_else = now().is("else");
  if (!is_else && !now().is("elseif") && !now().is("elsewhen")) return false;
  const std::string word(now().text);
  const Span span = now().span;
  const StatementKind wanted = now().is("elsewhen") ? StatementKind::When : StatementKind::If;
  const bool fits = !open_.empty() && open_.back().kind == wanted && !open_.back().has_else;
  if (!fits) {
    Diagnostic& diagnostic = in_.unexpected(fmt::format("`{}` cannot stand here", word));
    if (!open_.empty()) {
      diagnostic.related.push_back({open_.back().span, "this is open"});
      diagnostic.hint = open_.back().has_else
                            ? "`else` is the last branch"
                            : fmt::format("is `end {};` missing?", opening_word(open_.back().kind));
    } else {
      diagnostic.hint = fmt::format("it belongs to an `{}`", opening_word(wanted));
    }
    is_else ? in_.advance() : in_.skip_head();
    return true;
  }
  StatementSyntax mark{.kind = StatementKind::Else, .span = span};
  if (is_else) {
    in_.advance();
    open_.back().has_else = true;
  } else {
    const std::size_t begin = in_.position();
    const std::optional<Expression> chosen = condition();
    if (!chosen) {
      in_.cursor().at = begin;
      in_.skip_head();
      return true;
    }
    mark = {.kind = wanted == StatementKind::When ? StatementKind::ElseWhen : StatementKind::ElseIf,
            .span = chosen->span,
            .left = *chosen};
  }
  add_mark(mark);
  return true;
}

void StatementParser::read_end() {
  const Open closed = open_.back();
  open_.pop_back();
  const std::string_view word = opening_word(closed.kind);
  const Span span = cover(now().span, in_.next().span);
  if (!in_.next().is(word)) {
    Diagnostic& diagnostic =
        in_.error("syntax.end-mismatch", span,
                  fmt::format("`end {}` does not close `{}`", in_.next().text, word));
    diagnostic.related.push_back({closed.span, "opened here"});
    diagnostic.hint = fmt::format("write `end {};`", word);
  }
  in_.advance();
  in_.advance();
  in_.expect_semicolon(fmt::format("after `end {}`", word));
  if (!closed.is_collected) {
    if (closed.is_empty)
      equations().push_back(
          {.left = {}, .right = {}, .span = closed.span, .loop = closed.innermost});
    return;
  }
  if (closed.kind == StatementKind::For) {
    std::size_t behind = closed.first;  // of the marks that opened it, one for each loop variable
    while (behind < tree_.statements.size() &&
           tree_.statements[behind].kind == StatementKind::For &&
           index(tree_.statements[behind].loop) <= index(closed.innermost))
      ++behind;
    while (behind-- > closed.first) {
      tree_.statements[behind].next = tree_.statements.size();
      add({.kind = StatementKind::End, .span = span, .next = behind});
    }
  } else {
    tree_.statements[closed.last].next = tree_.statements.size();
    add({.kind = StatementKind::End, .span = span, .next = closed.first});
  }
  if (!collects()) finish_collecting(closed.span);
}

bool StatementParser::refuse_statement() {
  const Token& first = now();
  if (first.is("while")) {
    in_.unsupported(first.span, "while-loops are", "for-loops over known ranges are");
    in_.skip_compound();
    return true;
  }
  if (first.is("break") || first.is("return")) {
    in_.unsupported(first.span, fmt::format("`{}` is", first.text));
    in_.skip_statement();
    return true;
  }
  if (first.is("connect")) {
    in_.unsupported(first.span, "connect-equations are");
    in_.skip_statement();
    return true;
  }
  return false;
}

void StatementParser::begin_collecting() {
  first_statement_ = tree_.statements.size();
  errors_before_ = in_.diagnostics().error_count();
}

void StatementParser::add(StatementSyntax statement) { tree_.statements.push_back(statement); }

void StatementParser::add_mark(StatementSyntax mark) {
  tree_.statements[open_.back().last].next = tree_.statements.size();
  open_.back().last = tree_.statements.size();
  add(mark);
}

void StatementParser::finish_collecting(Span span) {
  const StatementRange range{first_statement_, tree_.statements.size()};
  const bool is_wrong = in_.diagnostics().error_count() > errors_before_;
  if (is_algorithm()) {
    class_->algorithms.push_back({.statements = range,
                                  .span = span,
                                  .is_initial = section_ == Section::InitialAlgorithm,
                                  .is_wrong = is_wrong});
  } else {
    equations().push_back({.left = {},
                           .right = {},
                           .span = span,
                           .loop = innermost_loop(),
                           .statements = range,
                           .is_wrong = is_wrong});
  }
}

}  // namespace daedalus::modelica
