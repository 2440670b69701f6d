#include "modelica/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "modelica/annotation_parser.hpp"
#include "modelica/expression_parser.hpp"
#include "modelica/lexer.hpp"
#include "modelica/statement_parser.hpp"
#include "modelica/token_reader.hpp"

namespace daedalus::modelica {
namespace {

constexpr std::array<std::string_view, 6> unsupported_prefixes = {
    "inner", "outer", "replaceable", "redeclare", "flow", "stream"};
constexpr std::array<std::string_view, 4> type_names = {"Real", "Integer", "Boolean", "String"};

bool is_type_name(std::string_view name) {
  return std::ranges::find(type_names, name) != type_names.end();
}

class Parser {
 public:
  Parser(std::span<const Token> tokens, std::string_view text, Diagnostics& diagnostics)
      : in_(tokens, text, diagnostics), statements_(in_, tree_) {}

  SyntaxTree run() {
    if (now().is("within")) in_.skip_statement();
    while (!in_.at_end()) read_top_level();
    return std::move(tree_);
  }

 private:
  const Token& now() const { return in_.now(); }
  std::optional<Expression> expression() {
    return parse_expression(in_.cursor(), tree_, in_.diagnostics());
  }

  void read_top_level() {
    while (now().is("final") || now().is("encapsulated")) in_.advance();
    if (now().is("partial")) {
      in_.unsupported(now().span, "partial classes are");
      return in_.skip_class();
    }
    if (now().is("model") || now().is("class")) return read_class();
    if (begins_class(now()) || is_class_prefix(now())) {
      in_.unsupported(now().span, fmt::format("classes of kind `{}` are", now().text));
      return in_.skip_class();
    }
    if (now().is("end")) return read_stray_end();
    in_.unexpected(fmt::format("expected a class, found {}", describe(now()))).hint =
        "a file holds definitions like `model Name ... end Name;`";
    // One error for everything outside classes.
    while (!in_.at_end() && !begins_class(now()) && !is_class_prefix(now()) && !now().is("end"))
      in_.advance();
    if (now().is("end")) in_.skip_statement();
  }

  void read_stray_end() {
    const Span span =
        cover(now().span, in_.next().kind == TokenKind::End ? now().span : in_.next().span);
    in_.error("syntax.end-mismatch", span, "this `end` closes nothing").hint = "remove it";
    in_.skip_statement();
  }

  void read_class() {
    const Span word = now().span;
    in_.advance();
    ClassSyntax made{.name = now().text, .span = now().span};
    const bool named = now().kind == TokenKind::Identifier && !is_type_name(now().text);
    if (named) {
      in_.advance();
    } else {
      made = {.name = {}, .span = word};
      in_.error("syntax.unexpected", word, "this model has no name").hint =
          "write `model Name ... end Name;`";
    }
    if (now().is("=")) {
      in_.unsupported(now().span, "short class definitions are");
      return in_.skip_statement();
    }
    if (now().kind == TokenKind::String) made.description = read_description(in_);
    Section section = Section::Elements;
    while (!in_.at_end() && (!now().is("end") || ends_statement(now(), in_.next())))
      read_item(made, section);
    statements_.finish();
    read_end(made);
    tree_.classes.push_back(std::move(made));
  }

  void read_end(const ClassSyntax& made) {
    const std::string wanted = made.name.empty() ? "" : fmt::format("write `end {};`", made.name);
    if (in_.at_end()) {
      in_.error("syntax.end-mismatch", made.span, fmt::format("`{}` is never closed", made.name))
          .hint = wanted;
      return;
    }
    const Span end_span = now().span;
    in_.advance();
    const bool named = now().kind == TokenKind::Identifier || now().kind == TokenKind::Keyword;
    if (now().text != made.name && !made.name.empty()) {
      Diagnostic& diagnostic =
          in_.error("syntax.end-mismatch", named ? cover(end_span, now().span) : end_span,
                    named ? fmt::format("`end {}` does not close `{}`", now().text, made.name)
                          : fmt::format("this `end` does not say that it closes `{}`", made.name));
      diagnostic.related.push_back({made.span, "opened here"});
      diagnostic.hint = wanted;
    }
    if (named) in_.advance();
    in_.expect_semicolon(fmt::format("after `end {}`", made.name));
  }

  void read_item(ClassSyntax& made, Section& section) {
    const bool changes_section = now().is("public") || now().is("protected") ||
                                 now().is("equation") || now().is("algorithm") ||
                                 (now().is("initial") && !in_.next().is("("));
    if (changes_section) statements_.finish();
    if (in_.accept("public") || in_.accept("protected")) {
      section = Section::Elements;
    } else if (changes_section) {
      section = read_section_head(made);
    } else if (now().is("external")) {
      in_.unsupported(now().span, "external functions are");
      in_.skip_section();
    } else if (statements_.has_open() && ends_statement(now(), in_.next())) {
      statements_.read_end();
    } else if (ends_statement(now(), in_.next())) {
      read_stray_end();
    } else if (now().is("annotation")) {
      read_annotation(in_, tree_, &made.experiment);
      in_.expect_semicolon("after the annotation");
    } else if (in_.accept(";")) {
      // an empty statement
    } else {
      const std::size_t begin = in_.position();
      const bool refused =
          section == Section::Elements ? !read_element(made) : refuse_declaration();
      if (refused) in_.append_names_since(begin, made.unread);
      if (!refused && section != Section::Elements) statements_.read();
    }
  }

  // [initial] equation, [initial] algorithm
  Section read_section_head(ClassSyntax& made) {
    Span span = now().span;
    const bool is_initial = in_.accept("initial");
    if (is_initial) span = cover(span, now().span);
    const bool is_algorithm = now().is("algorithm");
    if (!is_algorithm && !now().is("equation")) {
      in_.unexpected(fmt::format("expected `equation` after `initial`, found {}", describe(now())));
    } else {
      in_.advance();
    }
    const Section section = is_algorithm
                                ? (is_initial ? Section::InitialAlgorithm : Section::Algorithm)
                                : (is_initial ? Section::InitialEquations : Section::Equations);
    statements_.begin(made, section, span);
    return section;
  }

  // False if it was refused and skipped.
  bool read_element(ClassSyntax& made) {
    Declaration prototype;
    for (;; in_.advance()) {
      if (now().is("final")) {
        prototype.is_final = true;
      } else if (now().is("parameter") || now().is("constant") || now().is("discrete")) {
        prototype.variability = now().text;
      } else if (now().is("input") || now().is("output")) {
        prototype.causality = now().text;
      } else {
        break;
      }
    }
    if (refuse_element(made)) return false;
    prototype.type = now().text;
    prototype.type_span = now().span;
    in_.advance();
    while (now().is(".") && in_.next().kind == TokenKind::Identifier) {
      in_.advance();
      prototype.type_span = cover(prototype.type_span, now().span);
      prototype.type = {prototype.type.begin(), now().text.end()};
      in_.advance();
    }
    const bool read = (!now().is("[") || read_dimensions(prototype.dimensions)) &&
                      read_component_list(prototype, made);
    if (!read) in_.skip_statement();
    return read;
  }

  // Anything but a declaration of variables is refused by name and skipped.
  bool refuse_element(ClassSyntax& made) {
    const std::string_view word =
        now().kind == TokenKind::Keyword ? now().text : std::string_view{};
    if (word == "import" || word == "extends") {
      in_.unsupported(now().span, fmt::format("`{}` clauses are", word));
      made.inherits = made.inherits || word == "extends";
      in_.skip_statement();
      return true;
    }
    if (std::ranges::find(unsupported_prefixes, word) != unsupported_prefixes.end()) {
      in_.unsupported(now().span, fmt::format("the prefix `{}` is", word));
      in_.skip_statement();
      return true;
    }
    if (begins_class(now()) || is_class_prefix(now())) {
      in_.unsupported(now().span, "classes inside of classes are");
      in_.skip_class();
      return true;
    }
    if (now().kind == TokenKind::Identifier) return false;
    in_.unexpected(fmt::format("expected a declaration, found {}", describe(now()))).hint =
        "equations stand after the word `equation`";
    in_.skip_statement();
    return true;
  }

  // [ expression or `:`, ... ]
  bool read_dimensions(std::vector<Expression>& dimensions) {
    in_.advance();
    do {
      if (in_.accept(":")) {
        dimensions.emplace_back();
        continue;
      }
      const std::optional<Expression> size = expression();
      if (!size) return false;
      dimensions.push_back(*size);
    } while (in_.accept(","));
    return in_.expect("]", "after the sizes");
  }

  bool read_component_list(const Declaration& prototype, ClassSyntax& made) {
    do {
      Declaration declaration = prototype;
      if (now().kind != TokenKind::Identifier) return refuse_name();
      declaration.name = now().text;
      declaration.span = now().span;
      in_.advance();
      if (now().is("[")) {  // the sizes of `Real[2] x[3]` are 3, 2
        std::vector<Expression> own;
        if (!read_dimensions(own)) return false;
        declaration.dimensions.insert(declaration.dimensions.begin(), own.begin(), own.end());
      }
      if (now().is("(") && !read_modifiers(declaration)) return false;
      if (now().is("=") || now().is(":=")) {
        in_.advance();
        const std::optional<Expression> binding = expression();
        if (!binding) return false;
        declaration.binding = *binding;
      }
      if (now().is("if")) {
        in_.unsupported(now().span, "conditional components are");
        return false;
      }
      if (now().kind == TokenKind::String) declaration.description = read_description(in_);
      if (now().is("annotation")) read_annotation(in_, tree_, nullptr);
      made.declarations.push_back(std::move(declaration));
    } while (in_.accept(","));
    return in_.expect_semicolon("after the declaration");
  }

  bool refuse_name() {
    Diagnostic& diagnostic =
        in_.unexpected(fmt::format("expected a name, found {}", describe(now())));
    if (now().kind == TokenKind::Keyword) {
      diagnostic.hint = fmt::format("`{}` is a keyword; choose another name", now().text);
    } else if (now().kind == TokenKind::Integer || now().kind == TokenKind::Real) {
      diagnostic.hint = "numbers have a decimal point, not a comma";
    } else if (now().is("=") || now().is("(") || now().is("+") || now().is("-") || now().is("*")) {
      diagnostic.hint = "equations stand after the word `equation`";
    }
    return false;
  }

  // ( [each] [final] name = expression, ... )
  bool read_modifiers(Declaration& declaration) {
    in_.advance();
    if (in_.accept(")")) return true;
    do {
      Modifier modifier;
      while (now().is("each") || now().is("final")) {
        modifier.is_final = modifier.is_final || now().is("final");
        modifier.each = modifier.each || now().is("each");
        in_.advance();
      }
      if (now().is("redeclare") || now().is("replaceable")) {
        in_.unsupported(now().span, "redeclarations are");
        return false;
      }
      if (now().kind != TokenKind::Identifier) {
        in_.unexpected(fmt::format("expected an attribute, found {}", describe(now()))).hint =
            "attributes are written like (start = 1, fixed = true)";
        return false;
      }
      modifier.name = now().text;
      modifier.span = now().span;
      in_.advance();
      if (now().is("(") || now().is(".")) {
        in_.unsupported(now().span, "modifiers inside of modifiers are");
        return false;
      }
      if (!in_.expect("=", fmt::format("after `{}`", modifier.name))) return false;
      const std::optional<Expression> value = expression();
      if (!value) return false;
      modifier.value = *value;
      if (now().kind == TokenKind::String) read_description(in_);
      declaration.modifiers.push_back(modifier);
    } while (in_.accept(","));
    return in_.expect(")", "after the attributes");
  }

  bool refuse_declaration() {
    const Token& first = now();
    const bool declares =
        first.is("parameter") || first.is("constant") || first.is("discrete") ||
        first.is("input") || first.is("output") ||
        (first.kind == TokenKind::Identifier && in_.next().kind == TokenKind::Identifier);
    if (!declares) return false;
    in_.unexpected("a declaration cannot stand among the equations").hint =
        "move it before the word `equation`";
    in_.skip_statement();
    return true;
  }

  TokenReader in_;
  SyntaxTree tree_;
  StatementParser statements_;
};

// What an unclosed comment or string has swallowed would only cause further errors.
bool is_cut_short(const Diagnostics& diagnostics) {
  return std::ranges::any_of(diagnostics.all(), [](const Diagnostic& diagnostic) {
    return diagnostic.code == "syntax.unterminated-comment" ||
           diagnostic.code == "syntax.unterminated-string";
  });
}

}  // namespace

SyntaxTree parse(const Sources& sources, std::uint32_t source, Diagnostics& diagnostics) {
  const std::vector<Token> tokens = tokenize(sources, source, diagnostics);
  const bool unreadable = tokens.size() == 1 && diagnostics.has_errors();
  if (unreadable || is_cut_short(diagnostics)) return {};
  return Parser(tokens, sources.text(source), diagnostics).run();
}

}  // namespace daedalus::modelica
