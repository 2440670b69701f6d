// A class of the syntax tree to a flat model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "daedalus/base/names.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/modelica/modelica.hpp"
#include "modelica/lexer.hpp"
#include "modelica/parser.hpp"
#include "modelica/typing.hpp"

namespace daedalus::modelica {
namespace {

using model::FlatModel;
using model::Type;
using model::Variability;
using model::VariableId;

constexpr std::array<std::string_view, 2> later_attributes = {"stateSelect", "unbounded"};
const std::vector<std::string> known_attributes = {"start",   "fixed", "min",         "max",
                                                   "nominal", "unit",  "displayUnit", "quantity"};

std::optional<Type> builtin_type(std::string_view name) {
  if (name == "Real") return Type::Real;
  if (name == "Integer") return Type::Integer;
  if (name == "Boolean") return Type::Boolean;
  return std::nullopt;
}

bool fits(const Typed& value, Type type) {
  switch (type) {
    case Type::Real:
      return value.is_number();
    case Type::Integer:
      return value.type == ValueType::Integer;
    case Type::Boolean:
      return value.type == ValueType::Boolean;
  }
  return false;
}

class Flattener {
 public:
  Flattener(const SyntaxTree& tree, const ClassSyntax& from, Diagnostics& diagnostics)
      : tree_(tree),
        class_(from),
        diagnostics_(diagnostics),
        translator_(tree, flat_, diagnostics) {
    flat_.name = std::string(from.name);
    flat_.description = from.description;
  }

  std::optional<FlatModel> run() {
    const std::size_t errors_before = diagnostics_.error_count();
    for (const std::string_view name : class_.unread) translator_.forgive(name);
    if (class_.inherits) translator_.forgive_all();
    declare_time();
    for (const Declaration& declaration : class_.declarations) declare(declaration);
    for (std::size_t i = 0; i < class_.declarations.size(); ++i)
      read_attributes(class_.declarations[i], declared_[i]);
    for (const EquationSyntax& equation : class_.equations) add_equation(equation, flat_.equations);
    for (const EquationSyntax& equation : class_.initial_equations)
      add_equation(equation, flat_.initial_equations);
    read_experiment();
    if (diagnostics_.error_count() > errors_before) return std::nullopt;
    return std::move(flat_);
  }

 private:
  void declare_time() {
    flat_.variables.push_back({.name = "time", .unit = "s"});
    translator_.declare("time", FlatModel::time);
  }

  void declare(const Declaration& declaration) {
    const std::optional<Type> type = builtin_type(declaration.type);
    declared_.push_back({});
    if (!type) return refuse_type(declaration);
    const VariableId id(flat_.variables.size());
    if (!translator_.declare(declaration.name, id)) {
      Diagnostic& diagnostic =
          diagnostics_.error("lookup.duplicate-name", declaration.span,
                             fmt::format("`{}` is declared twice", declaration.name));
      const VariableId first = translator_.find(declaration.name);
      if (first == FlatModel::time) {
        diagnostic.message = "`time` is the name of the simulated time";
        diagnostic.hint = "choose another name";
      } else {
        diagnostic.related.push_back({flat_[first].span, "first here"});
      }
      return;
    }
    model::Variable variable{.name = std::string(declaration.name),
                             .type = *type,
                             .is_final = declaration.is_final,
                             .is_output = declaration.causality == "output",
                             .description = declaration.description,
                             .span = declaration.span};
    if (declaration.variability == "parameter") variable.variability = Variability::Parameter;
    if (declaration.variability == "constant") variable.variability = Variability::Constant;
    variable.is_input =
        declaration.causality == "input" && variable.variability == Variability::Continuous;
    flat_.variables.push_back(std::move(variable));
    declared_.back() = id;
  }

  void refuse_type(const Declaration& declaration) {
    translator_.forgive(declaration.name);
    const std::vector<std::string> known = {"Real", "Integer", "Boolean"};
    if (const std::string near = did_you_mean(declaration.type, known); !near.empty()) {
      diagnostics_
          .error("lookup.unknown-type", declaration.type_span,
                 fmt::format("unknown type `{}`", declaration.type))
          .hint = near;
      return;
    }
    diagnostics_
        .error("unsupported.component", declaration.type_span,
               fmt::format("variables of type `{}` are not supported yet", declaration.type))
        .hint = declaration.type.find('.') == std::string_view::npos
                    ? "the types are Real, Integer and Boolean"
                    : "use Real with its unit: Real u(unit = \"V\")";
  }

  void read_attributes(const Declaration& declaration, VariableId id) {
    if (id.is_none()) return;
    std::unordered_map<std::string_view, Span> given;  // never iterated over
    for (const Modifier& modifier : declaration.modifiers) {
      const auto [first, is_new] = given.emplace(modifier.name, modifier.span);
      if (is_new) {
        read_attribute(modifier, id);
        continue;
      }
      diagnostics_
          .error("lookup.duplicate-name", modifier.span,
                 fmt::format("the attribute `{}` is given twice", modifier.name))
          .related.push_back({first->second, "first here"});
    }
    if (declaration.binding.is_none()) return;
    const Typed value = translator_.translate(declaration.binding);
    if (value.type == ValueType::Wrong ||
        !check_type(value, flat_[id].type, declaration.binding.span, declaration.name)) {
      return;
    }
    if (flat_.is_unknown(id) && !flat_[id].is_input) {
      const Span span = cover(declaration.span, declaration.binding.span);
      flat_.equations.push_back({flat_.arena.symbol(id), value.id, span, flat_[id].type});
      return;
    }
    if (!flat_[id].is_input &&
        !check_variability(value, declaration.binding.span, declaration.name)) {
      return;
    }
    if (flat_[id].variability == Variability::Constant &&
        value.variability == Variability::Parameter) {
      diagnostics_
          .error("type.not-a-parameter-expression", declaration.binding.span,
                 fmt::format("the constant `{}` must not depend on parameters", declaration.name))
          .hint = "make it a parameter";
      return;
    }
    flat_[id].binding = value.id;
    flat_[id].binding_span = declaration.binding.span;
  }

  bool check_type(const Typed& value, Type type, Span span, std::string_view name) {
    if (fits(value, type)) return true;
    Diagnostic& diagnostic =
        diagnostics_.error("type.mismatch", span,
                           fmt::format("`{}` needs {}, this is {}", name, model::type_name(type),
                                       value_type_name(value.type)));
    if (type == Type::Integer && value.type == ValueType::Real)
      diagnostic.hint = "use integer(...) to round down";
    if (type == Type::Boolean) diagnostic.hint = "write true, false or a relation like x > 0";
    return false;
  }

  bool check_variability(const Typed& value, Span span, std::string_view name) {
    if (value.variability != Variability::Continuous) return true;
    diagnostics_
        .error("type.not-a-parameter-expression", span,
               fmt::format("`{}` must not depend on variables", name))
        .hint = "use constants and parameters only";
    return false;
  }

  void read_attribute(const Modifier& modifier, VariableId id) {
    model::Variable& variable = flat_[id];
    if (modifier.name == "unit" || modifier.name == "displayUnit" || modifier.name == "quantity") {
      return read_text_attribute(modifier, variable);
    }
    if (std::ranges::find(later_attributes, modifier.name) != later_attributes.end()) {
      diagnostics_.error("unsupported.attribute", modifier.span,
                         fmt::format("the attribute `{}` is not supported yet", modifier.name));
      return;
    }
    const Typed value = translator_.translate(modifier.value);
    if (value.type == ValueType::Wrong) return;
    model::Variable& target = flat_[id];  // translating may have added derivatives
    const bool is_fixed = modifier.name == "fixed";
    if (std::ranges::find(known_attributes, modifier.name) == known_attributes.end()) {
      Diagnostic& diagnostic = diagnostics_.error(
          "lookup.unknown-attribute", modifier.span,
          fmt::format("{} has no attribute `{}`", model::type_name(target.type), modifier.name));
      const std::string near = did_you_mean(modifier.name, known_attributes);
      diagnostic.hint =
          near.empty() ? "known are start, fixed, min, max, nominal, unit, displayUnit, quantity"
                       : near;
      return;
    }
    if (!check_type(value, is_fixed ? Type::Boolean : target.type, modifier.value.span,
                    modifier.name))
      return;
    if (!check_variability(value, modifier.value.span, modifier.name)) return;
    if (is_fixed) return read_fixed(modifier, value, target);
    if (modifier.name == "start") {
      target.start = value.id;
      target.start_span = cover(modifier.span, modifier.value.span);
    }
    if (modifier.name == "min") target.min = value.id;
    if (modifier.name == "max") target.max = value.id;
    if (modifier.name == "nominal") target.nominal = value.id;
  }

  void read_text_attribute(const Modifier& modifier, model::Variable& variable) {
    const SyntaxNode& node = tree_[modifier.value.root];
    if (node.kind != NodeKind::String) {
      diagnostics_
          .error("type.mismatch", modifier.value.span,
                 fmt::format("`{}` needs a String", modifier.name))
          .hint = "write it in quotes: \"m/s\"";
      return;
    }
    if (modifier.name == "unit") {
      variable.unit = string_value({TokenKind::String, node.span, node.text, 0.0});
    }
  }

  void read_fixed(const Modifier& modifier, const Typed& value, model::Variable& variable) {
    if (!flat_.arena.is_constant(value.id)) {
      diagnostics_.error("unsupported.attribute", modifier.value.span,
                         "`fixed` that depends on a parameter is not supported yet");
      return;
    }
    variable.fixed = flat_.arena.constant_value(value.id) != 0.0;
    if (!variable.fixed && variable.variability != Variability::Continuous) {
      diagnostics_
          .error("unsupported.attribute", modifier.value.span,
                 fmt::format(
                     "a {} that the initial equations determine is not supported yet",
                     variable.variability == Variability::Parameter ? "parameter" : "constant"))
          .hint = "leave out `fixed = false` and give it a value";
    }
  }

  void add_equation(const EquationSyntax& equation, std::vector<model::Equation>& equations) {
    const Typed left = translator_.translate(equation.left);
    const Typed right = translator_.translate(equation.right);
    if (left.type == ValueType::Wrong || right.type == ValueType::Wrong) return;
    const bool numbers = left.is_number() && right.is_number();
    const bool booleans = left.type == ValueType::Boolean && right.type == ValueType::Boolean;
    if (!numbers && !booleans) {
      diagnostics_.error("type.mismatch", equation.span,
                         fmt::format("the sides of this equation have different types: {} and {}",
                                     value_type_name(left.type), value_type_name(right.type)));
      return;
    }
    const bool integers = left.type == ValueType::Integer && right.type == ValueType::Integer;
    equations.push_back({left.id, right.id, equation.span,
                         booleans ? Type::Boolean : (integers ? Type::Integer : Type::Real)});
  }

  void read_experiment() {
    for (const AnnotationValue& entry : class_.experiment) {
      std::optional<double>* target = nullptr;
      if (entry.name == "StartTime") target = &flat_.experiment.start_time;
      if (entry.name == "StopTime") target = &flat_.experiment.stop_time;
      if (entry.name == "Tolerance") target = &flat_.experiment.tolerance;
      if (entry.name == "Interval") target = &flat_.experiment.interval;
      if (target == nullptr) continue;  // other tools' settings
      const Typed value = translator_.translate(entry.value);
      if (value.type == ValueType::Wrong) continue;
      const bool number = value.is_number() && flat_.arena.is_constant(value.id);
      if (!number) {
        diagnostics_.error("type.mismatch", entry.value.span,
                           fmt::format("`{}` needs a number", entry.name));
        continue;
      }
      *target = flat_.arena.constant_value(value.id);
    }
  }

  const SyntaxTree& tree_;
  const ClassSyntax& class_;
  Diagnostics& diagnostics_;
  FlatModel flat_;
  Translator translator_;
  std::vector<VariableId> declared_;
};

const ClassSyntax* select_class(const SyntaxTree& tree, std::string_view name, std::uint32_t source,
                                Diagnostics& diagnostics) {
  if (tree.classes.empty()) {
    if (!diagnostics.has_errors()) {
      diagnostics.error("lookup.no-model", {source, 0, 0}, "the file defines no model").hint =
          "write `model Name ... equation ... end Name;`";
    }
    return nullptr;
  }
  if (name.empty()) return &tree.classes.back();
  const auto found = std::ranges::find(tree.classes, name, &ClassSyntax::name);
  if (found != tree.classes.end()) return &*found;
  std::vector<std::string> names;
  std::string candidates;
  for (const ClassSyntax& candidate : tree.classes) {
    names.emplace_back(candidate.name);
    candidates += fmt::format("{}`{}`", candidates.empty() ? "" : ", ", candidate.name);
  }
  const std::string near = did_you_mean(name, names);
  diagnostics
      .error("lookup.unknown-model", {source, 0, 0},
             fmt::format("the file defines no model `{}`", name))
      .hint = fmt::format("{}{}it defines {}", near, near.empty() ? "" : " ", candidates);
  return nullptr;
}

void check_unique_classes(const SyntaxTree& tree, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, Span> first;  // never iterated over
  for (const ClassSyntax& defined : tree.classes) {
    const auto [entry, is_new] = first.emplace(defined.name, defined.span);
    if (is_new) continue;
    diagnostics
        .error("lookup.duplicate-name", defined.span,
               fmt::format("`{}` is defined twice", defined.name))
        .related.push_back({entry->second, "first here"});
  }
}

}  // namespace

std::optional<FlatModel> read_model(const Sources& sources, std::uint32_t source,
                                    std::string_view name, Diagnostics& diagnostics,
                                    Phases& phases) {
  SyntaxTree tree;
  {
    const PhaseTimer timer(phases, "parse");
    tree = parse(sources, source, diagnostics);
    check_unique_classes(tree, diagnostics);
  }
  const PhaseTimer timer(phases, "flatten");
  const ClassSyntax* chosen = select_class(tree, name, source, diagnostics);
  if (chosen == nullptr) return std::nullopt;
  std::optional<FlatModel> flat = Flattener(tree, *chosen, diagnostics).run();
  if (diagnostics.has_errors()) return std::nullopt;
  return flat;
}

}  // namespace daedalus::modelica
