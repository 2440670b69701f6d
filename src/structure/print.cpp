// The structure as text.
#include <fmt/format.h>

#include <algorithm>

#include "daedalus/structure/inlining.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::structure {
namespace {

constexpr std::size_t longest_equation = 200;
constexpr std::size_t most_tearing_listed = 100;

std::string variable_list(const model::FlatModel& flat, const std::vector<VariableId>& variables) {
  std::string text;
  for (const VariableId id : variables)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", flat[id].name);
  return text;
}

// "linear loop of 14 with constant coefficients, iterates on u2, u12 (the minimum)"
std::string loop_text(const model::FlatModel& flat, const Block& block) {
  std::string text =
      fmt::format("{} loop of {}{}{}", block.linear ? "linear" : "nonlinear",
                  block.equations.size(), block.constant ? " with constant coefficients" : "",
                  block.sparse ? ", solved as a sparse system" : "");
  if (block.torn == Torn::NotAtAll && block.equations.size() > 1) return text + ", not torn";
  const std::size_t listed = std::min(block.tearing.size(), most_tearing_listed);
  text += fmt::format(", iterates on {}",
                      variable_list(flat, {block.tearing.begin(), block.tearing.begin() + listed}));
  if (listed < block.tearing.size())
    text += fmt::format(" and {} more", block.tearing.size() - listed);
  if (block.equations.size() > 1)
    text += block.torn == Torn::Minimally ? " (the minimum)" : " (chosen greedily)";
  return text;
}

std::string block_text(const model::FlatModel& flat, const SortedSystem& sorted, const Block& block,
                       const expr::Names& names) {
  std::string text;
  const auto assignment = [&](const Assignment& a, std::string_view indent) {
    text += fmt::format("{}{} := {}\n", indent, names[index(a.target)],
                        expr::to_string(flat.arena, a.value, names, longest_equation));
  };
  if (block.is_explicit()) {
    assignment(block.assignments.front(), "  ");
    return text;
  }
  text += fmt::format("  {}\n", loop_text(flat, block));
  for (const Assignment& a : block.assignments) assignment(a, "    ");
  for (const EquationId id : block.residual_equations) {
    text +=
        fmt::format("    residual {}\n", equation_text(flat, sorted.equations[index(id)], names));
  }
  return text;
}

// The values held between events, and those computed at events.
std::string event_text(const StructuredModel& model, const expr::Names& names) {
  if (model.discrete.is_empty(model.flat)) return "";
  const auto written = [&](ExprId id) {
    return expr::to_string(model.flat.arena, id, names, longest_equation);
  };
  std::string text = "at events:\n";
  for (const Switch& one : model.discrete.switches)
    text += fmt::format("  {}\n", names[index(one.symbol)]);
  for (const Assignment& a : model.discrete.assignments) {
    text += model.flat[a.target].is_hidden
                ? fmt::format("  when {}\n", names[index(a.target)])
                : fmt::format("  {} := {}\n", names[index(a.target)], written(a.value));
  }
  for (const model::Action& action : model.flat.actions) {
    const std::string guard =
        action.guard.is_none() ? "" : fmt::format(" if {}", written(action.guard));
    switch (action.kind) {
      case model::Action::Kind::Reinit:
        text += fmt::format("  reinit({}, {}){}\n", names[index(action.target)],
                            written(action.value), guard);
        break;
      case model::Action::Kind::Assert:
        text += fmt::format("  assert({}){}\n", written(action.value), guard);
        break;
      case model::Action::Kind::Terminate:
        text += fmt::format("  terminate{}\n", guard);
        break;
    }
  }
  return text;
}

}  // namespace

std::string equation_text(const model::FlatModel& flat, const model::Equation& equation,
                          const expr::Names& names) {
  return fmt::format("{} = {}", expr::to_string(flat.arena, equation.left, names, longest_equation),
                     expr::to_string(flat.arena, equation.right, names, longest_equation));
}

expr::Names names_of(const StructuredModel& model) {
  const expr::Arena& arena = model.flat.arena;
  expr::Names names = model::names_of(model.flat);
  const auto text = [&](ExprId id) { return expr::to_string(arena, id, names, longest_equation); };
  for (const model::Sampler& sampler : model.flat.samplers) {
    names[index(sampler.variable)] =
        fmt::format("sample({}, {})", text(sampler.start), text(sampler.interval));
  }
  for (const Assignment& a : model.discrete.assignments) {  // triggers of when-clauses
    const model::Variable& variable = model.flat[a.target];
    if (!variable.is_hidden) continue;
    const bool is_compound =
        arena[a.value].op == expr::Op::And || arena[a.value].op == expr::Op::Or;
    std::string& name = names[index(a.target)];
    name = is_compound ? fmt::format("({})", text(a.value)) : text(a.value);
    if (!variable.pre.is_none()) names[index(variable.pre)] = fmt::format("pre({})", name);
  }
  return names;
}

std::string to_string(const StructuredModel& model) {
  const expr::Names names = names_of(model);
  std::string text = fmt::format("states: {}\n", variable_list(model.flat, model.states));
  if (model.differentiated > 0) {
    std::vector<VariableId> dummies;
    for (const StateGroup& group : model.groups) {
      dummies.insert(dummies.end(), group.dummies.begin(), group.dummies.end());
    }
    text += fmt::format("index {}: {} equations differentiated, dummy derivatives {}{}\n",
                        model.index, model.differentiated, variable_list(model.flat, dummies),
                        model.source ? " (at the start)" : "");
  }
  if (!model.aliases.empty()) text += "aliases:\n";
  for (const Alias& alias : model.aliases) {
    text += fmt::format("  {} = {}{}\n", names[index(alias.variable)], alias.sign > 0 ? "" : "-",
                        names[index(alias.representative)]);
  }
  if (!model.assumed_starts.empty()) {
    text += fmt::format("start values taken as initial conditions: {}\n",
                        variable_list(model.flat, model.assumed_starts));
  }
  const auto section = [&](std::string_view title, const SortedSystem& sorted) {
    text += fmt::format("{}:\n", title);
    for (const Block& block : sorted.blocks) text += block_text(model.flat, sorted, block, names);
  };
  section("at the start", model.initial);
  for (const Assignment& start : model.start_values.value_or(std::vector<Assignment>())) {
    text += fmt::format("  {} := {}\n", names[index(start.target)],
                        expr::to_string(model.flat.arena, start.value, names, longest_equation));
  }
  section(model.start_values ? "at the start and at every time" : "at every time", model.dynamics);
  return text + event_text(model, names);
}

std::string to_string(const InlinedStep& step) {
  const expr::Names names = model::names_of(step.flat);
  std::string text = "in every step:\n";
  for (const Block& block : step.sorted.blocks)
    text += block_text(step.flat, step.sorted, block, names);
  return text;
}

}  // namespace daedalus::structure
