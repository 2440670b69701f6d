// Translates a class of the syntax tree to a flat model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "daedalus/base/check.hpp"
#include "daedalus/base/names.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/modelica/modelica.hpp"
#include "modelica/equations.hpp"
#include "modelica/lexer.hpp"
#include "modelica/lowering.hpp"
#include "modelica/parser.hpp"
#include "modelica/typing.hpp"

namespace daedalus::modelica {
namespace {

using model::FlatModel;
using model::Type;
using model::Variability;
using model::VariableId;

constexpr std::array<std::string_view, 1> later_attributes = {"unbounded"};
const std::vector<std::string> known_attributes = {
    "start", "fixed", "min", "max", "nominal", "unit", "displayUnit", "quantity", "stateSelect"};

using model::StateSelect;
constexpr std::array all_state_selects = {StateSelect::Never, StateSelect::Avoid,
                                          StateSelect::Default, StateSelect::Prefer,
                                          StateSelect::Always};

std::optional<Type> builtin_type(std::string_view name) {
  if (name == "Real") return Type::Real;
  if (name == "Integer") return Type::Integer;
  if (name == "Boolean") return Type::Boolean;
  return std::nullopt;
}

class Flattener {
 public:
  Flattener(const SyntaxTree& tree, const ClassSyntax& from, const Overrides& overrides,
            Diagnostics& diagnostics)
      : tree_(tree),
        class_(from),
        diagnostics_(diagnostics),
        translator_(tree, flat_, overrides, diagnostics),
        refused_loops_(tree.loops.size(), false),
        maker_(translator_, diagnostics),
        lowering_(tree, translator_, maker_, flat_, diagnostics) {
    flat_.name = std::string(from.name);
    flat_.description = from.description;
  }

  std::optional<FlatModel> run() {
    const std::size_t errors_before = diagnostics_.error_count();
    for (const std::string_view name : class_.unread) translator_.forgive(name);
    if (class_.inherits) translator_.forgive_all();
    declare_time();
    for (const Declaration& declaration : class_.declarations) declare(declaration);
    find_discrete_variables();
    reserve_variables();
    for (const ComponentId component : declared_) add_variables(component);
    for (const ComponentId component : declared_) read_declaration(component);
    for (const EquationSyntax& equation : class_.equations)
      add_equations(equation, flat_.equations);
    for (const EquationSyntax& equation : class_.initial_equations)
      add_equations(equation, flat_.initial_equations);
    for (const AlgorithmSyntax& algorithm : class_.algorithms)
      if (!algorithm.is_wrong) lowering_.lower_algorithm(algorithm);
    if (diagnostics_.error_count() == errors_before) {
      lowering_.check_states();
      for (const ComponentId component : declared_) check_discrete(component);
    }
    read_experiment();
    mark_structural();
    if (diagnostics_.error_count() > errors_before) return std::nullopt;
    return std::move(flat_);
  }

 private:
  void declare_time() {
    flat_.variables.push_back({.name = "time", .unit = "s"});
    translator_.place(translator_.declare({.name = "time", .shape_progress = Progress::Known}),
                      FlatModel::time);
  }

  void declare(const Declaration& declaration) {
    const std::optional<Type> type = builtin_type(declaration.type);
    if (!type) return refuse_type(declaration);
    Component component{.name = declaration.name, .type = *type, .declaration = &declaration};
    if (*type != Type::Real || declaration.variability == "discrete")
      component.variability = Variability::Discrete;
    if (declaration.variability == "parameter") component.variability = Variability::Parameter;
    if (declaration.variability == "constant") component.variability = Variability::Constant;
    const ComponentId id = translator_.declare(component);
    if (!id.is_none()) {
      declared_.push_back(id);
      return;
    }
    Diagnostic& diagnostic =
        diagnostics_.error("lookup.duplicate-name", declaration.span,
                           fmt::format("`{}` is declared twice", declaration.name));
    const Declaration* first = translator_[translator_.find(declaration.name)].declaration;
    if (first == nullptr) {
      diagnostic.message = "`time` is the name of the simulated time";
      diagnostic.hint = "choose another name";
    } else {
      diagnostic.related.push_back({first->span, "first here"});
    }
  }

  // A Real that gets its values in a when-clause is discrete, whether or not it is declared so.
  void find_discrete_variables() {
    for (const auto* equations : {&class_.equations, &class_.initial_equations}) {
      for (const EquationSyntax& equation : *equations)
        find_discrete_variables(equation.statements);
    }
    for (const AlgorithmSyntax& algorithm : class_.algorithms)
      find_discrete_variables(algorithm.statements);
  }

  void find_discrete_variables(StatementRange range) {
    int whens = 0;  // that are open
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const StatementSyntax& statement = tree_.statements[i];
      if (statement.kind == StatementKind::When) ++whens;
      if (statement.kind == StatementKind::End &&
          tree_.statements[statement.next].kind == StatementKind::When)
        --whens;
      const bool assigns =
          statement.kind == StatementKind::Equation || statement.kind == StatementKind::Assignment;
      if (whens == 0 || !assigns) continue;
      const SyntaxNode& left = tree_[statement.left.root];
      if (left.kind != NodeKind::Name && left.kind != NodeKind::Element) continue;
      const ComponentId found = translator_.find(left.text);
      if (!found.is_none() && translator_[found].declaration != nullptr)
        translator_.mark_discrete(found);
    }
  }

  // Finds all sizes. Reserves space for a derivative of each variable: memory that is never touched
  // costs nothing, and a million variables need not be moved.
  void reserve_variables() {
    std::size_t count = 1;
    for (const ComponentId id : declared_) {
      if (translator_.require_shape(id))
        count += static_cast<std::size_t>(element_count(translator_[id].shape));
    }
    flat_.variables.reserve(2 * count);
  }

  static bool is_input(const Component& component) {
    return component.declaration->causality == "input" && !is_fixed_in_time(component.variability);
  }

  // One variable for a scalar, one for every element of an array.
  void add_variables(ComponentId id) {
    const Component& component = translator_[id];
    if (component.is_wrong()) return;
    const Declaration& declaration = *component.declaration;
    translator_.place(id, VariableId(flat_.variables.size()));
    const std::int64_t count = element_count(component.shape);
    for (std::int64_t i = 0; i < count; ++i) {
      flat_.variables.push_back({.name = element_name(component.name, component.shape, i),
                                 .type = component.type,
                                 .variability = component.variability,
                                 .is_final = declaration.is_final,
                                 .is_input = is_input(component),
                                 .is_output = declaration.causality == "output",
                                 .description = declaration.description,
                                 .span = declaration.span});
    }
  }

  // Every discrete Real has a when-clause; in an array, either all elements have one or none.
  void check_discrete(ComponentId id) {
    const Component& component = translator_[id];
    const bool wants_when = component.type == Type::Real && !is_input(component) &&
                            component.variability == Variability::Discrete;
    for (std::int64_t i = 0; wants_when && i < element_count(component.shape); ++i) {
      const VariableId variable(index(component.first) + static_cast<std::size_t>(i));
      if (lowering_.is_set_in_when(variable)) continue;
      const Declaration& declaration = *component.declaration;
      const bool is_declared = declaration.variability == "discrete";
      diagnostics_
          .error("event.never-assigned", declaration.span,
                 fmt::format("no when-clause gives `{}` a value, {}", flat_[variable].name,
                             is_declared ? "but it is discrete"
                                         : "but one does so for another element of the array"))
          .hint = is_declared ? "leave out `discrete`, or write its equation into a when-clause"
                              : "declare what is continuous as a variable of its own";
      return;
    }
  }

  void mark_structural() {
    for (const ComponentId id : declared_) {
      const Component& component = translator_[id];
      if (component.is_structural && !component.is_wrong())
        for_each_element(component, [](model::Variable& variable, std::int64_t) {
          variable.is_structural = true;
        });
    }
  }

  template <class Action>
  void for_each_element(const Component& component, Action action) {
    const std::int64_t count = element_count(component.shape);
    for (std::int64_t i = 0; i < count; ++i)
      action(flat_.variables[index(component.first) + static_cast<std::size_t>(i)], i);
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

  void read_declaration(ComponentId id) {
    const Component component = translator_[id];
    if (component.is_wrong()) return;
    const Declaration& declaration = *component.declaration;
    std::unordered_map<std::string_view, Span> given;  // never iterated over
    for (const Modifier& modifier : declaration.modifiers) {
      const auto [first, is_new] = given.emplace(modifier.name, modifier.span);
      if (is_new) {
        read_attribute(modifier, component);
        continue;
      }
      diagnostics_
          .error("lookup.duplicate-name", modifier.span,
                 fmt::format("the attribute `{}` is given twice", modifier.name))
          .related.push_back({first->second, "first here"});
    }
    if (!declaration.binding.is_none() && !component.binding_is_wrong) read_binding(component);
  }

  void read_binding(const Component& component) {
    const Declaration& declaration = *component.declaration;
    const Span span = declaration.binding.span;
    const Typed value = translator_.translate(declaration.binding);
    if (is_refused(value) || !check_type(value, component.type, span, declaration.name)) return;
    if (value.shape != component.shape) {
      refuse_size(component, value, span, declaration.name).hint =
          !value.is_array() && component.shape.size() == 1
              ? fmt::format("to give every element the same value, write fill(..., {})",
                            component.shape[0])
              : "";
      return;
    }
    if (!is_fixed_in_time(component.variability) && !is_input(component)) {
      const Span whole = cover(declaration.span, span);
      const model::FamilyId family =
          component.shape.empty() ? model::FamilyId{} : maker_.new_family();
      for (std::int64_t i = 0; i < element_count(component.shape); ++i) {
        const VariableId variable(index(component.first) + static_cast<std::size_t>(i));
        flat_.equations.push_back({flat_.arena.symbol(variable), translator_.element_of(value, i),
                                   whole, component.type, family});
      }
      return;
    }
    if (!is_input(component) && !check_variability(value, span, declaration.name)) return;
    if (component.variability == Variability::Constant &&
        value.variability == Variability::Parameter) {
      diagnostics_
          .error("type.not-a-parameter-expression", span,
                 fmt::format("the constant `{}` must not depend on parameters", declaration.name))
          .hint = "make it a parameter";
      return;
    }
    for_each_element(component, [&](model::Variable& variable, std::int64_t i) {
      variable.binding = translator_.element_of(value, i);
      variable.binding_span = span;
    });
  }

  Diagnostic& refuse_size(const Component& component, const Typed& value, Span span,
                          std::string_view name) {
    return diagnostics_.error(
        "type.size-mismatch", span,
        component.shape.empty()
            ? fmt::format("`{}` needs a scalar, this has size {}", name, describe(value.shape))
            : fmt::format("`{}` needs size {}, this {}", name, describe(component.shape),
                          value.is_array() ? "has size " + describe(value.shape) : "is a scalar"));
  }

  // Nothing is left out of a model without a report.
  bool is_refused(const Typed& value) const {
    DAEDALUS_CHECK(!value.is_wrong() || diagnostics_.has_errors());
    return value.is_wrong();
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
    if (is_fixed_in_time(value.variability)) return true;
    diagnostics_
        .error("type.not-a-parameter-expression", span,
               fmt::format("`{}` must not depend on variables", name))
        .hint = "use constants and parameters only";
    return false;
  }

  void read_attribute(const Modifier& modifier, const Component& component) {
    const bool is_text =
        modifier.name == "unit" || modifier.name == "displayUnit" || modifier.name == "quantity";
    if (is_text) return read_text_attribute(modifier, component);
    if (modifier.name == "stateSelect" && component.type == Type::Real)
      return read_state_select(modifier, component);
    if (std::ranges::find(later_attributes, modifier.name) != later_attributes.end()) {
      diagnostics_.error("unsupported.attribute", modifier.span,
                         fmt::format("the attribute `{}` is not supported yet", modifier.name));
      return;
    }
    const bool is_known =
        std::ranges::find(known_attributes, modifier.name) != known_attributes.end() &&
        modifier.name != "stateSelect";
    if (!is_known) return refuse_attribute(modifier, component);
    const Typed value = translator_.translate(modifier.value);
    if (is_refused(value)) return;
    const Span span = modifier.value.span;
    const bool is_fixed = modifier.name == "fixed";
    if (!check_type(value, is_fixed ? Type::Boolean : component.type, span, modifier.name)) return;
    if (!check_variability(value, span, modifier.name)) return;
    if (!check_distribution(modifier, component, value)) return;
    if (is_fixed) return read_fixed(modifier, value, component);
    for_each_element(component, [&](model::Variable& variable, std::int64_t i) {
      const model::ExprId id = translator_.element_of(value, i);
      if (modifier.name == "start") {
        variable.start = id;
        variable.start_span = cover(modifier.span, span);
      }
      if (modifier.name == "min") variable.min = id;
      if (modifier.name == "max") variable.max = id;
      if (modifier.name == "nominal") variable.nominal = id;
    });
  }

  void refuse_attribute(const Modifier& modifier, const Component& component) {
    Diagnostic& diagnostic = diagnostics_.error(
        "lookup.unknown-attribute", modifier.span,
        fmt::format("{} has no attribute `{}`", model::type_name(component.type), modifier.name));
    const std::string near =
        modifier.name == "stateSelect" ? "" : did_you_mean(modifier.name, known_attributes);
    diagnostic.hint = near.empty()
                          ? fmt::format(
                                "known are start, fixed, min, max, nominal, unit, displayUnit, "
                                "quantity{}",
                                component.type == Type::Real ? ", stateSelect" : "")
                          : near;
  }

  void read_state_select(const Modifier& modifier, const Component& component) {
    const SyntaxNode& node = tree_[modifier.value.root];
    std::string written(node.kind == NodeKind::Name ? node.text : "");
    std::erase_if(written, [](char c) { return c == ' '; });
    const auto found = std::ranges::find(all_state_selects, written, model::state_select_name);
    if (found == all_state_selects.end()) {
      diagnostics_
          .error("type.mismatch", modifier.value.span, "`stateSelect` needs a value of StateSelect")
          .hint =
          "there are StateSelect.never, StateSelect.avoid, StateSelect.default, "
          "StateSelect.prefer and StateSelect.always; an array takes one for `each` element";
      return;
    }
    if (!check_distribution(modifier, component, {.type = ValueType::String})) return;
    for_each_element(component, [&](model::Variable& variable, std::int64_t) {
      variable.state_select = *found;
      variable.state_select_span = cover(modifier.span, modifier.value.span);
    });
  }

  // `each` gives all elements one value; otherwise there is one for every element.
  bool check_distribution(const Modifier& modifier, const Component& component,
                          const Typed& value) {
    const bool each = modifier.each && !component.shape.empty();
    if (each ? !value.is_array() : value.shape == component.shape) return true;
    if (each) {
      diagnostics_
          .error("type.size-mismatch", modifier.value.span,
                 fmt::format("`each {}` needs a scalar, this has size {}", modifier.name,
                             describe(value.shape)))
          .hint = "leave out `each` to give every element its own value";
      return false;
    }
    Diagnostic& diagnostic = refuse_size(component, value, modifier.value.span, modifier.name);
    if (!value.is_array())
      diagnostic.hint =
          fmt::format("to give every element this value, write `each {} = ...`", modifier.name);
    return false;
  }

  void read_text_attribute(const Modifier& modifier, const Component& component) {
    const SyntaxNode& node = tree_[modifier.value.root];
    if (node.kind != NodeKind::String) {
      diagnostics_
          .error("type.mismatch", modifier.value.span,
                 fmt::format("`{}` needs a String", modifier.name))
          .hint = "write it in quotes: \"m/s\"";
      return;
    }
    if (!check_distribution(modifier, component, {.type = ValueType::String})) return;
    if (modifier.name != "unit") return;
    const std::string unit = string_value({TokenKind::String, node.span, node.text, 0.0});
    for_each_element(component,
                     [&](model::Variable& variable, std::int64_t) { variable.unit = unit; });
  }

  void read_fixed(const Modifier& modifier, const Typed& value, const Component& component) {
    bool known = true, all_fixed = true;
    for_each_element(component, [&](model::Variable& variable, std::int64_t i) {
      const model::ExprId id = translator_.element_of(value, i);
      known = known && flat_.arena.is_constant(id);
      variable.fixed = known && flat_.arena.constant_value(id) != 0.0;
      all_fixed = all_fixed && variable.fixed;
    });
    if (!known) {
      diagnostics_.error("unsupported.attribute", modifier.value.span,
                         "`fixed` that depends on a parameter is not supported yet");
    } else if (!all_fixed && is_fixed_in_time(component.variability)) {
      diagnostics_
          .error("unsupported.attribute", modifier.value.span,
                 fmt::format(
                     "a {} that the initial equations determine is not supported yet",
                     component.variability == Variability::Parameter ? "parameter" : "constant"))
          .hint = "leave out `fixed = false` and give it a value";
    }
  }

  // The equation for every combination of its loops' values; stops at the first error.
  void add_equations(const EquationSyntax& equation, std::vector<model::Equation>& equations) {
    if (equation.is_wrong) return;
    std::vector<LoopId> loops;
    for (LoopId loop = equation.loop; !loop.is_none(); loop = tree_.loops[index(loop)].outer) {
      if (refused_loops_[index(loop)]) return;
      loops.push_back(loop);
    }
    std::ranges::reverse(loops);
    model::FamilyId family = loops.empty() ? model::FamilyId{} : maker_.new_family();
    struct Level {
      IndexSet values;
      std::int64_t next = 0;
    };
    std::vector<Level> levels;  // of the open loops
    const auto leave = [&] {
      levels.pop_back();
      translator_.leave_loop();
    };
    for (bool fine = true; fine;) {
      if (levels.size() < loops.size()) {
        const LoopSyntax& loop = tree_.loops[index(loops[levels.size()])];
        std::optional<IndexSet> values = translator_.index_set(loop.range);
        fine = values.has_value();
        if (!fine) refused_loops_[index(loops[levels.size()])] = true;
        if (!fine) break;
        levels.push_back({std::move(*values)});
        translator_.enter_loop(loop.name);
      } else {
        fine = equation.statements.is_empty()
                   ? equation.left.is_none() || maker_.append(equation, family, equations)
                   : lowering_.lower_equations(equation, equations);
      }
      while (!levels.empty() && levels.back().next == levels.back().values.count) leave();
      if (levels.empty()) return;
      translator_.set_loop(levels.back().values[levels.back().next++]);
      fine = fine && translator_.count_iteration(equation.span);
    }
    while (!levels.empty()) leave();
  }

  void read_experiment() {
    model::Experiment& experiment = flat_.experiment;
    for (const AnnotationValue& entry : class_.experiment) {
      if (entry.name == "StartTime")
        read_value(entry, experiment.start_time, experiment.start_span);
      if (entry.name == "StopTime") read_value(entry, experiment.stop_time, experiment.stop_span);
      if (entry.name == "Tolerance")
        read_value(entry, experiment.tolerance, experiment.tolerance_span);
      if (entry.name == "Interval")
        read_value(entry, experiment.interval, experiment.interval_span);
    }  // the rest are other tools' settings
  }

  void read_value(const AnnotationValue& entry, std::optional<double>& value, Span& span) {
    const Typed found = translator_.translate(entry.value);
    if (found.type == ValueType::Wrong) return;
    const bool number = found.is_number() && !found.is_array() &&
                        flat_.arena.is_constant(translator_.expression_of(found));
    if (!number) {
      diagnostics_.error("type.mismatch", entry.value.span,
                         fmt::format("`{}` needs a number", entry.name));
      return;
    }
    value = flat_.arena.constant_value(translator_.expression_of(found));
    span = entry.value.span;
  }

  const SyntaxTree& tree_;
  const ClassSyntax& class_;
  Diagnostics& diagnostics_;
  FlatModel flat_;
  Translator translator_;
  std::vector<ComponentId> declared_;
  std::vector<bool> refused_loops_;  // those with an invalid range, which was reported
  EquationMaker maker_;
  Lowering lowering_;
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
                                    std::string_view name, Diagnostics& diagnostics, Phases& phases,
                                    const Overrides& overrides) {
  SyntaxTree tree;
  {
    const PhaseTimer timer(phases, "parse");
    tree = parse(sources, source, diagnostics);
    check_unique_classes(tree, diagnostics);
  }
  const PhaseTimer timer(phases, "flatten");
  const ClassSyntax* chosen = select_class(tree, name, source, diagnostics);
  if (chosen == nullptr) return std::nullopt;
  std::optional<FlatModel> flat = Flattener(tree, *chosen, overrides, diagnostics).run();
  if (diagnostics.has_errors()) return std::nullopt;
  return flat;
}

}  // namespace daedalus::modelica
