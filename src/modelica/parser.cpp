#include "modelica/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "modelica/expression_parser.hpp"
#include "modelica/lexer.hpp"

namespace daedalus::modelica {
namespace {

constexpr std::array<std::string_view, 9> class_words = {
    "model", "class", "record", "block", "connector", "type", "package", "function", "operator"};
constexpr std::array<std::string_view, 4> class_prefixes = {"partial", "encapsulated", "expandable",
                                                            "pure"};
constexpr std::array<std::string_view, 10> unsupported_prefixes = {
    "inner",  "outer",    "replaceable", "redeclare", "flow",
    "stream", "discrete", "input",       "import",    "extends"};

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return token.kind == TokenKind::Keyword && std::ranges::find(words, token.text) != words.end();
}

enum class Section { Elements, Equations, InitialEquations };

class Parser {
 public:
  Parser(std::span<const Token> tokens, Diagnostics& diagnostics)
      : cursor_{tokens, 0}, diagnostics_(diagnostics) {}

  SyntaxTree run() {
    if (now().is("within")) skip_statement();
    while (now().kind != TokenKind::End) read_top_level();
    return std::move(tree_);
  }

 private:
  const Token& now() const { return cursor_.now(); }
  void advance() { cursor_.advance(); }

  bool accept(std::string_view text) {
    if (!now().is(text)) return false;
    advance();
    return true;
  }

  bool expect(std::string_view text, std::string_view where) {
    if (accept(text)) return true;
    Diagnostic& diagnostic =
        diagnostics_.error("syntax.unexpected", now().span,
                           fmt::format("expected `{}` {}, found {}", text, where, describe(now())));
    if (now().is(":=")) diagnostic.hint = "equations are written with `=`";
    return false;
  }

  void unsupported(Span span, std::string_view what, std::string hint = {}) {
    diagnostics_.error("unsupported.construct", span, fmt::format("{} not supported yet", what))
        .hint = std::move(hint);
  }

  // To behind the next `;` outside of a matrix, or to a word that begins something new.
  void skip_statement() {
    int depth = 0;
    for (; now().kind != TokenKind::End && !begins_section(); advance()) {
      if (now().is("[")) ++depth;
      if (now().is("]")) --depth;
      if (now().is(";") && depth <= 0) break;
    }
    accept(";");
  }

  // None of these stands inside of a statement; whoever reads items goes on from here.
  bool begins_section() const {
    return now().is("equation") || now().is("algorithm") || now().is("public") ||
           now().is("protected") ||
           (now().is("end") && cursor_.next().kind == TokenKind::Identifier) ||
           (now().is("initial") &&
            (cursor_.next().is("equation") || cursor_.next().is("algorithm")));
  }

  // To behind `end NAME;` of a class, or behind `;` of a short definition.
  void skip_class() {
    while (is_one_of(now(), class_prefixes)) advance();
    advance();
    const std::string_view name = now().text;
    advance();
    if (now().is("=")) return skip_statement();
    while (now().kind != TokenKind::End && !(now().is("end") && cursor_.next().text == name))
      advance();
    advance();
    skip_statement();
  }

  // To behind `end if;` and the like, over nested ones. An `if` behind a `=` or in parentheses is
  // an expression and has no end.
  void skip_compound(std::string_view word) {
    int compounds = 0, parentheses = 0;
    bool in_expression = false;
    for (; now().kind != TokenKind::End; advance()) {
      if (now().is("end") && cursor_.next().kind == TokenKind::Identifier)
        return;  // the class ends before
      if (now().is("(")) ++parentheses;
      if (now().is(")")) --parentheses;
      if (now().is("=")) in_expression = true;
      if (now().is(";")) in_expression = false;
      if (now().is("end") && cursor_.next().is(word)) {
        advance();
        if (--compounds == 0) break;
      } else if (now().is(word) && !in_expression && parentheses == 0) {
        ++compounds;
      }
    }
    skip_statement();
  }

  void read_top_level() {
    while (now().is("final") || now().is("encapsulated")) advance();
    if (now().is("partial")) {
      unsupported(now().span, "partial classes are");
      advance();
      return skip_class();
    }
    if (now().is("model") || now().is("class")) return read_class();
    if (is_one_of(now(), class_words) || is_one_of(now(), class_prefixes)) {
      unsupported(now().span, fmt::format("classes of kind `{}` are", now().text));
      return skip_class();
    }
    if (now().is("end")) {
      diagnostics_.error("syntax.end-mismatch", now().span, "this `end` closes nothing").hint =
          "remove it";
      advance();
      return skip_statement();
    }
    diagnostics_
        .error("syntax.unexpected", now().span,
               fmt::format("expected a class, found {}", describe(now())))
        .hint = "a file holds definitions like `model Name ... end Name;`";
    advance();
    skip_statement();
  }

  void read_class() {
    advance();
    if (now().kind != TokenKind::Identifier) {
      diagnostics_.error("syntax.unexpected", now().span,
                         fmt::format("expected the model's name, found {}", describe(now())));
      return skip_statement();
    }
    ClassSyntax made{.name = now().text, .span = now().span};
    advance();
    if (now().is("=")) {
      unsupported(now().span, "short class definitions are");
      return skip_statement();
    }
    if (now().kind == TokenKind::String) made.description = read_description();
    Section section = Section::Elements;
    while (!now().is("end") && now().kind != TokenKind::End) read_item(made, section);
    read_end(made);
    tree_.classes.push_back(std::move(made));
  }

  void read_end(const ClassSyntax& made) {
    if (now().kind == TokenKind::End) {
      Diagnostic& diagnostic = diagnostics_.error("syntax.end-mismatch", made.span,
                                                  fmt::format("`{}` is never closed", made.name));
      diagnostic.hint = fmt::format("write `end {};`", made.name);
      return;
    }
    const Span end_span = now().span;
    advance();
    if (now().text != made.name) {
      Diagnostic& diagnostic =
          diagnostics_.error("syntax.end-mismatch", cover(end_span, now().span),
                             fmt::format("`end {}` does not close `{}`", now().text, made.name));
      diagnostic.related.push_back({made.span, "opened here"});
      diagnostic.hint = fmt::format("write `end {};`", made.name);
    }
    if (now().kind == TokenKind::Identifier || now().kind == TokenKind::Keyword) advance();
    expect(";", fmt::format("after `end {}`", made.name));
  }

  void read_item(ClassSyntax& made, Section& section) {
    if (accept("public") || accept("protected")) {
      section = Section::Elements;
    } else if (now().is("initial") && cursor_.next().is("equation")) {
      advance();
      advance();
      section = Section::InitialEquations;
    } else if (accept("equation")) {
      section = Section::Equations;
    } else if (now().is("algorithm") || now().is("external") ||
               (now().is("initial") && cursor_.next().is("algorithm"))) {
      unsupported(now().span,
                  now().is("external") ? "external functions are" : "algorithm sections are");
      skip_section();
    } else if (now().is("annotation")) {
      read_annotation(&made);
      expect(";", "after the annotation");
    } else if (accept(";")) {
      // an empty statement
    } else if (section == Section::Elements) {
      read_element(made);
    } else {
      read_equation(section == Section::Equations ? made.equations : made.initial_equations);
    }
  }

  void skip_section() {
    if (accept("initial")) advance();
    while (now().kind != TokenKind::End && !now().is("equation") && !now().is("public") &&
           !now().is("protected") && !(now().is("initial") && cursor_.next().is("equation"))) {
      if (now().is("end") && cursor_.next().kind == TokenKind::Identifier) return;
      advance();
    }
  }

  void read_element(ClassSyntax& made) {
    Declaration prototype;
    for (;; advance()) {
      if (now().is("final")) {
        prototype.is_final = true;
      } else if (now().is("parameter") || now().is("constant")) {
        prototype.variability = now().text;
      } else if (!now().is("output")) {
        break;
      }
    }
    if (is_one_of(now(), unsupported_prefixes)) {
      const bool clause = now().is("import") || now().is("extends");
      unsupported(now().span, clause ? fmt::format("`{}` clauses are", now().text)
                                     : fmt::format("the prefix `{}` is", now().text));
      return skip_statement();
    }
    if (is_one_of(now(), class_words) || is_one_of(now(), class_prefixes)) {
      unsupported(now().span, "classes inside of classes are");
      return skip_class();
    }
    if (now().kind != TokenKind::Identifier) {
      diagnostics_
          .error("syntax.unexpected", now().span,
                 fmt::format("expected a declaration, found {}", describe(now())))
          .hint = "equations stand after the word `equation`";
      return skip_statement();
    }
    prototype.type = now().text;
    prototype.type_span = now().span;
    advance();
    while (now().is(".") && cursor_.next().kind == TokenKind::Identifier) {
      advance();
      prototype.type_span = cover(prototype.type_span, now().span);
      prototype.type = {prototype.type.data(), prototype.type_span.end - prototype.type_span.begin};
      advance();
    }
    if (now().is("[")) {
      unsupported(now().span, "arrays are");
      return skip_statement();
    }
    if (!read_component_list(prototype, made)) skip_statement();
  }

  bool read_component_list(const Declaration& prototype, ClassSyntax& made) {
    do {
      Declaration declaration = prototype;
      if (now().kind != TokenKind::Identifier) {
        const bool keyword = now().kind == TokenKind::Keyword;
        diagnostics_
            .error("syntax.unexpected", now().span,
                   fmt::format("expected a name, found {}", describe(now())))
            .hint =
            keyword ? fmt::format("`{}` is a keyword; choose another name", now().text) : "";
        return false;
      }
      declaration.name = now().text;
      declaration.span = now().span;
      advance();
      const bool read = read_component(declaration);
      made.declarations.push_back(
          std::move(declaration));  // its name is known whatever is wrong behind it
      if (!read) return false;
    } while (accept(","));
    return expect(";", "after the declaration");
  }

  // [modifiers] [= expression] [description] [annotation]
  bool read_component(Declaration& declaration) {
    if (now().is("[")) {
      unsupported(now().span, "arrays are");
      return false;
    }
    if (now().is("(") && !read_modifiers(declaration)) return false;
    if (now().is("=") || now().is(":=")) {
      advance();
      const std::optional<Expression> binding = parse_expression(cursor_, tree_, diagnostics_);
      if (!binding) return false;
      declaration.binding = *binding;
    }
    if (now().is("if")) {
      unsupported(now().span, "conditional components are");
      return false;
    }
    if (now().kind == TokenKind::String) declaration.description = read_description();
    if (now().is("annotation")) read_annotation(nullptr);
    return true;
  }

  // ( [each] [final] name = expression, ... )
  bool read_modifiers(Declaration& declaration) {
    advance();
    if (accept(")")) return true;
    do {
      Modifier modifier;
      while (now().is("each") || now().is("final")) {
        modifier.is_final = modifier.is_final || now().is("final");
        advance();
      }
      if (now().is("redeclare") || now().is("replaceable")) {
        unsupported(now().span, "redeclarations are");
        return false;
      }
      if (now().kind != TokenKind::Identifier) {
        diagnostics_.error("syntax.unexpected", now().span,
                           fmt::format("expected an attribute, found {}", describe(now())));
        return false;
      }
      modifier.name = now().text;
      modifier.span = now().span;
      advance();
      if (now().is("(") || now().is(".")) {
        unsupported(now().span, "modifiers inside of modifiers are");
        return false;
      }
      if (!expect("=", fmt::format("after `{}`", modifier.name))) return false;
      const std::optional<Expression> value = parse_expression(cursor_, tree_, diagnostics_);
      if (!value) return false;
      modifier.value = *value;
      if (now().kind == TokenKind::String) read_description();
      declaration.modifiers.push_back(modifier);
    } while (accept(","));
    return expect(")", "after the attributes");
  }

  void read_equation(std::vector<EquationSyntax>& equations) {
    const Token first = now();
    for (const std::string_view word : {"if", "for", "when"}) {
      if (!first.is(word)) continue;
      // An equation may begin with an if-expression in parentheses only; a bare `if` opens an
      // if-equation.
      unsupported(
          first.span, fmt::format("{}-equations are", word),
          first.is("if") ? "write an equation with an if-expression: x = if c then a else b" : "");
      return skip_compound(word);
    }
    if (first.is("connect")) {
      unsupported(first.span, "connect-equations are");
      return skip_statement();
    }
    const std::optional<Expression> left = parse_expression(cursor_, tree_, diagnostics_);
    if (!left) return skip_statement();
    if (now().is(";") && tree_[left->root].kind == NodeKind::Call) {
      unsupported(left->span, fmt::format("the statement `{}(...)` is", tree_[left->root].text));
      return skip_statement();
    }
    if (now().is(";") && tree_[left->root].op == expr::Op::Equal) {
      diagnostics_.error("syntax.unexpected", left->span, "this is a relation, not an equation")
          .hint = "equations are written with a single `=`";
      return skip_statement();
    }
    if (!expect("=", "in the equation")) return skip_statement();
    const std::optional<Expression> right = parse_expression(cursor_, tree_, diagnostics_);
    if (!right) return skip_statement();
    equations.push_back({*left, *right, cover(left->span, right->span)});
    if (now().kind == TokenKind::String) read_description();
    if (now().is("annotation")) read_annotation(nullptr);
    if (!expect(";", "after the equation")) skip_statement();
  }

  // "text" {+ "text"}
  std::string read_description() {
    std::string text;
    do {
      if (now().kind != TokenKind::String) break;
      text += string_value(now());
      advance();
    } while (accept("+"));
    return text;
  }

  // Annotations are for tools; only the experiment matters here, the rest is passed over.
  void read_annotation(ClassSyntax* owner) {
    const Span begin = now().span;
    advance();
    int depth = 0;
    do {
      if (now().kind == TokenKind::End) {
        diagnostics_.error("syntax.unexpected", begin, "this annotation is never closed");
        return;
      }
      if (depth == 1 && owner != nullptr && now().text == "experiment" && cursor_.next().is("(")) {
        advance();
        if (!read_experiment(*owner)) return skip_annotation_rest(depth);
        continue;
      }
      if (now().is("(") || now().is("{") || now().is("[")) ++depth;
      if (now().is(")") || now().is("}") || now().is("]")) --depth;
      advance();
    } while (depth > 0);
  }

  void skip_annotation_rest(int depth) {
    while (now().kind != TokenKind::End && !now().is(";") && depth > 0) advance();
  }

  bool read_experiment(ClassSyntax& owner) {
    advance();
    if (accept(")")) return true;
    do {
      AnnotationValue value{.name = now().text, .span = now().span, .value = {}};
      advance();
      if (now().is("(")) {  // a vendor's own annotation
        int depth = 0;
        do {
          if (now().is("(")) ++depth;
          if (now().is(")")) --depth;
          advance();
        } while (depth > 0 && now().kind != TokenKind::End);
        continue;
      }
      if (!expect("=", fmt::format("after `{}`", value.name))) return false;
      const std::optional<Expression> expression = parse_expression(cursor_, tree_, diagnostics_);
      if (!expression) return false;
      value.value = *expression;
      owner.experiment.push_back(value);
    } while (accept(","));
    return expect(")", "after the experiment");
  }

  Cursor cursor_;
  Diagnostics& diagnostics_;
  SyntaxTree tree_;
};

}  // namespace

SyntaxTree parse(const Sources& sources, std::uint32_t source, Diagnostics& diagnostics) {
  const std::vector<Token> tokens = tokenize(sources, source, diagnostics);
  const bool unreadable = tokens.size() == 1 && diagnostics.has_errors();
  SyntaxTree tree = unreadable ? SyntaxTree{} : Parser(tokens, diagnostics).run();
  return tree;
}

}  // namespace daedalus::modelica
