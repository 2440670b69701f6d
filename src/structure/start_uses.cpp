#include "daedalus/structure/start_uses.hpp"

#include <algorithm>

#include "structure/graph/components.hpp"

namespace daedalus::structure {
namespace {

using Kind = StartUse::Kind;

constexpr std::uint32_t none = ~std::uint32_t{0};

// Knows for every variable what computes it at the start.
class StartUses {
 public:
  StartUses(const StructuredModel& model, std::span<const model::Equation> written)
      : model_(model),
        flat_(model.flat),
        sorted_(model.start_values ? model.dynamics : model.initial),
        about_(flat_.variables.size()) {
    for (const Alias& alias : model.aliases) about(alias.variable).alias = &alias;
    for (std::uint32_t b = 0; b < sorted_.blocks.size(); ++b) {
      const Block& block = sorted_.blocks[b];
      for (std::size_t i = 0; i < block.unknowns.size(); ++i) {
        about(block.unknowns[i]).block = b;
        about(block.unknowns[i]).equation = &sorted_.equations[index(block.equations[i])];
      }
      for (const VariableId id : block.tearing) about(id).is_iterated = true;
    }
    for (std::size_t i = 0; i < model.discrete.assignments.size(); ++i)
      about(model.discrete.assignments[i].target).equation = &model.discrete.equations[i];
    for (const Memory& memory : model.discrete.memories) about(memory.of).has_memory = true;
    for (const VariableId id : model.states) about(id).is_state = true;
    for (const VariableId id : model.assumed_starts) about(id).is_assumed = true;
    if (std::ranges::any_of(model.groups, &StateGroup::may_change)) {
      for (const VariableId id : model.former_states) about(id).might_be_state = true;
    }
    for (const auto conditions :
         {std::span<const model::Equation>(flat_.initial_equations), written})
      note_conditions(conditions);
    trace_conditions();
    find_searches();
  }

  StartUse of(VariableId id) const {
    const model::Variable& variable = flat_[id];
    if (variable.fixed) return {};
    if (const Alias* alias = about_[index(id)].alias) {
      if (gives_its_start(*alias)) return of(alias->representative);
      return {.kind = Kind::Ignored, .decided_by = alias->span, .same_as = alias->representative};
    }
    return variable.variability == model::Variability::Discrete ? of_discrete(about_[index(id)])
                                                                : of_continuous(about_[index(id)]);
  }

 private:
  struct About {
    const Alias* alias = nullptr;
    std::uint32_t block = none;
    const model::Equation* equation = nullptr;   // the one that gives its value
    const model::Equation* condition = nullptr;  // an initial equation `it = ...`
    bool is_state = false;
    bool is_assumed = false;      // its start value is a condition
    bool might_be_state = false;  // elsewhere
    bool is_iterated = false;
    bool is_searched = false;
    bool has_memory = false;  // pre(it)
  };
  About& about(VariableId id) { return about_[index(id)]; }

  // Whether the representative has taken it over. Elements of an array share one span.
  bool gives_its_start(const Alias& alias) const {
    const VariableId of = alias.variable, to = alias.representative;
    return flat_[of].start_span == flat_[to].start_span &&
           model_.attributes[index(to)].start == alias.sign * model_.attributes[index(of)].start;
  }

  // name = expression or pre(name) = expression, whichever side the name is on.
  void note_conditions(std::span<const model::Equation> conditions) {
    for (const model::Equation& condition : conditions) {
      for (const ExprId side : {condition.left, condition.right}) {
        if (!flat_.arena.is_symbol(side)) continue;
        const VariableId id = flat_.arena.symbol_of(side);
        const VariableId past = flat_[id].pre_of;
        about(past.is_none() ? id : past).condition = &condition;
      }
    }
  }

  // The start value of another variable.
  bool is_start(const model::Equation& condition) const {
    if (!flat_.arena.is_symbol(condition.left)) return false;
    const model::Variable& variable = flat_[flat_.arena.symbol_of(condition.left)];
    return variable.fixed || condition.span == variable.start_span ||
           condition.span == variable.span;
  }

  // For each block the initial equation, if any, from which it is computed: its own, or that of the
  // first block with one among those that it needs.
  void trace_conditions() {
    condition_of_.resize(sorted_.blocks.size(), nullptr);
    if (model_.start_values) return;
    for (std::uint32_t b = 0; b < sorted_.blocks.size(); ++b) {
      const model::Equation*& found = condition_of_[b];
      for (const EquationId id : sorted_.blocks[b].equations) {
        const model::Equation& equation = sorted_.equations[index(id)];
        const bool is_condition = index(id) >= flat_.equations.size();
        if (found == nullptr && is_condition && !is_start(equation)) found = &equation;
      }
      for (const EquationId id : sorted_.blocks[b].equations) {
        if (found != nullptr) break;
        const ExprId sides[] = {sorted_.equations[index(id)].left,
                                sorted_.equations[index(id)].right};
        for (const SymbolId symbol : walker_.symbols(flat_.arena, sides)) {
          const std::uint32_t other = about(symbol).block;
          if (other < b && found == nullptr) found = condition_of_[other];
        }
      }
    }
  }

  // What is searched for together with relations or discrete variables, which are held meanwhile:
  // where several values of these are consistent, the first ones decide which are found.
  void find_searches() {
    if (model_.discrete.switches.empty() && model_.discrete.assignments.empty()) return;
    std::vector<std::vector<std::uint32_t>> needs(about_.size());
    std::vector<bool> is_held(about_.size(), false);
    const auto add = [&](VariableId id, std::span<const ExprId> roots) {
      for (const SymbolId other : walker_.symbols(flat_.arena, roots))
        needs[index(id)].push_back(other.value);
    };
    for (const Block& block : sorted_.blocks) {
      for (const VariableId id : block.unknowns) {
        const ExprId sides[] = {about(id).equation->left, about(id).equation->right};
        add(id, sides);
      }
    }
    for (const Switch& one : model_.discrete.switches) {
      is_held[index(one.symbol)] = true;
      add(one.symbol, std::span(&one.value, 1));
    }
    for (const Assignment& assignment : model_.discrete.assignments) {
      is_held[index(assignment.target)] = true;
      add(assignment.target, std::span(&assignment.value, 1));
    }
    const Lists components = strong_components(Graph(needs));
    for (std::size_t c = 0; c < components.size(); ++c) {
      const auto held = [&](std::uint32_t i) { return is_held[i]; };
      const std::uint32_t first = components[c].front();
      const bool is_loop =
          components[c].size() > 1 || std::ranges::find(needs[first], first) != needs[first].end();
      if (!is_loop || std::ranges::none_of(components[c], held)) continue;
      for (const std::uint32_t i : components[c]) about_[i].is_searched = true;
    }
  }

  static Span span_of(const model::Equation* first, const model::Equation* second) {
    return first != nullptr ? first->span : second != nullptr ? second->span : Span{};
  }

  // pre() starts with it, unless an initial equation says otherwise.
  static StartUse of_discrete(const About& about) {
    if (about.has_memory && about.condition == nullptr) return {};
    return {.kind = about.is_searched ? Kind::Guess : Kind::Ignored,
            .decided_by = span_of(about.condition, about.equation)};
  }

  StartUse of_continuous(const About& about) const {
    if (about.is_assumed) return {};
    if (about.block == none)  // a state whose value is given by an initial equation
      return {.kind = Kind::Ignored, .decided_by = span_of(about.condition, nullptr)};
    const Block& block = sorted_.blocks[about.block];
    const model::Equation* condition = about.is_state ? condition_of_[about.block] : nullptr;
    const Span decided_by = span_of(condition, about.equation);
    if (block.is_explicit() || block.linear) {
      const bool is_guess = about.is_searched || about.might_be_state;
      return {.kind = is_guess ? Kind::Guess : Kind::Ignored, .decided_by = decided_by};
    }
    return {.kind = Kind::Guess,
            .decided_by = decided_by,
            .iterated = about.is_iterated ? VariableId{} : block.tearing.front()};
  }

  const StructuredModel& model_;
  const model::FlatModel& flat_;
  const SortedSystem& sorted_;  // computes the start
  expr::Walker walker_;
  std::vector<About> about_;                          // by variable
  std::vector<const model::Equation*> condition_of_;  // by block
};

}  // namespace

std::vector<StartUse> start_uses(const StructuredModel& model,
                                 std::span<const model::Equation> written,
                                 std::span<const VariableId> variables) {
  if (variables.empty()) return {};
  const StartUses all(model, written);
  std::vector<StartUse> uses;
  for (const VariableId id : variables) uses.push_back(all.of(id));
  return uses;
}

}  // namespace daedalus::structure
