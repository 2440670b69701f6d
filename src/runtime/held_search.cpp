// The search for held values, where changing all switches at once does not settle.
//
// One switch at a time, and always the first one: with this rule the search cannot cycle in linear
// circuits of ideal switches (Murty 1974, for complementarity problems with P-matrices), as long as
// signs are exact. At a commutation they are not: the compared value is 0 in the modes before and
// after it, and its computed sign is that of the rounding, which differs from mode to mode. So from
// the second change of a switch on, a relation whose sides differ only by rounding is right either
// way. Where the equations have no solution in a mode, or the search cycles all the same, the modes
// of the switches involved are tried one by one.
#include "runtime/held_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/expr/tape.hpp"
#include "runtime/rounding.hpp"

namespace daedalus::runtime {
namespace {

using structure::Switch;
using structure::VariableId;

constexpr int most_changes = 100;              // of one variable in one search
constexpr int changes_without_doubt = 1;       // of one switch
constexpr std::size_t most_in_doubt = 12;      // switches whose modes are tried
constexpr int most_passes_through_logic = 64;  // from switches to discrete variables
constexpr std::size_t many_switches = 64;      // from here on, a first pass takes them in order
constexpr double none_given = std::numeric_limits<double>::quiet_NaN();

// The value of the switch for a difference of d.
double value_at(const Switch& one, double d, bool is_strict) {
  switch (one.kind) {
    case Switch::Kind::Relation:
      return (is_strict ? d > 0.0 : d >= 0.0) ? 1.0 : 0.0;
    case Switch::Kind::Floor:
      return std::floor(d);
    case Switch::Kind::Truncation:
      return std::trunc(d);
  }
  return 0.0;
}

// Whether the switch has two modes.
bool is_relation(const Switch& one) { return one.kind == Switch::Kind::Relation; }

// The next set of `count` numbers below `n`, in order; false after the last.
bool next_combination(std::vector<std::size_t>& chosen, std::size_t n) {
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (chosen[i] + (chosen.size() - i) >= n) continue;
    ++chosen[i];
    for (std::size_t k = i + 1; k < chosen.size(); ++k) chosen[k] = chosen[k - 1] + 1;
    return true;
  }
  return false;
}

// Whether each value follows from those before it, so that one pass finds them all. Linear:
// arguments come before their users.
bool follow_one_another(const expr::Arena& arena, std::span<const Switch> switches,
                        std::span<const std::uint32_t> numbers) {
  std::vector<std::size_t> place(arena.size(), 0);  // from 1, of the last one that is read
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const expr::ExprId symbol = arena.find_symbol(switches[numbers[i]].symbol);
    if (!symbol.is_none()) place[index(symbol)] = i + 1;
  }
  for (std::size_t k = 0; k < arena.size(); ++k) {
    const expr::Node& node = arena[expr::ExprId(k)];
    const int arguments = expr::arity(node.op);
    if (arguments > 0) place[k] = place[node.a];
    if (arguments > 1) place[k] = std::max(place[k], place[node.b]);
    if (arguments > 2) place[k] = std::max(place[k], place[node.c]);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (place[index(switches[numbers[i]].value)] > i) return false;
  }
  return true;
}

}  // namespace

// Gives each switch the value that follows from those before it, where no equations have to be
// solved in between: a long chain of relations is right after one pass, while one change at a time
// would take as many searches as there are links.
void ModelEvents::change_in_order(Search& search) const {
  const std::vector<Switch>& switches = model_.discrete.switches;
  if (flow_.needs_variables || state_switches_.size() <= many_switches ||
      !follow_one_another(model_.flat.arena, switches, state_numbers_))
    return;
  expr::Tape chain;
  for (const std::uint32_t number : state_numbers_)
    chain.assign(model_.flat.arena, switches[number].symbol, switches[number].value);
  std::vector<double> found = search.space.symbols;
  chain.run(found, {});
  for (std::size_t i = 0; i < state_switches_.size(); ++i) {
    double& held = search.space.symbols[state_switches_[i].place];
    const double now = found[state_switches_[i].place];
    if (std::isnan(now) || now == held) continue;
    held = now;
    ++search.switch_changes[i];
  }
}

// Whether a switch has to change: it is not what it should be, by more than rounding.
bool ModelEvents::is_wrong(std::size_t i, const Search& search) const {
  const Switch& one = model_.discrete.switches[state_numbers_[i]];
  const std::vector<double>& symbols = search.space.symbols;
  const double held = symbols[state_switches_[i].place], now = search.space.events.values[i];
  if (std::isnan(now) || now == held) return false;
  if (search.roundings.empty()) return true;
  expr::Walker walker;
  const double d = expr::evaluate(model_.flat.arena, walker, one.difference, symbols);
  const double rounding = search.roundings[state_numbers_[i]];
  const bool is_strict = model_.flat.arena[one.value].op == expr::Op::Greater;
  return value_at(one, d - rounding, is_strict) != held &&
         value_at(one, d + rounding, is_strict) != held;
}

// At the current values, which solve the equations.
void ModelEvents::find_roundings(Search& search) const {
  Workspace& space = search.space;
  std::vector<double> y;
  for (const VariableId state : model_.states) y.push_back(space.symbols[index(state)]);
  if (!joint_.empty()) {
    if (!evaluate_joint(search.t, y, space)) return;
    search.roundings =
        rounding_of_switches(model_, *model_.discrete.joint, space.symbols, *space.joint_memory);
  } else if (system_.run_watched(search.t, y, space) == system::Evaluation::Defined) {
    search.roundings = rounding_of_switches(model_, model_.dynamics, space.symbols, space.memory);
  }
}

// Whether one had to change.
bool ModelEvents::change_first(Search& search) const {
  functions_.values(search.space.symbols.data(), search.space.events.values.data());
  for (std::size_t i = 0; i < state_switches_.size(); ++i) {
    if (!is_wrong(i, search)) continue;
    search.space.symbols[state_switches_[i].place] = search.space.events.values[i];
    ++search.switch_changes[i];
    return true;
  }
  return false;
}

void ModelEvents::update_discrete_with_care(Search& search, Changed& changed) const {
  if (!search.finds_discrete) return;
  std::vector<double> before;
  for (const Symbol& symbol : computed_) before.push_back(search.space.symbols[symbol.place]);
  update_discrete(search.space, changed);
  for (std::size_t i = 0; i < computed_.size(); ++i)
    search.discrete_changes[i] += search.space.symbols[computed_[i].place] != before[i] ? 1 : 0;
}

ModelEvents::Found ModelEvents::find_with_care(Search search, bool& is_stale) const {
  search.switch_changes.assign(state_switches_.size(), 0);
  search.discrete_changes.assign(computed_.size(), 0);
  search.space.events.modes = 0;
  if (!search.is_solved) return try_modes(search);
  is_stale = true;
  change_in_order(search);
  while (true) {
    search.is_solved = search.solve();
    if (!search.is_solved) return try_modes(search);
    const bool is_in_doubt = std::ranges::any_of(
        search.switch_changes, [](int changes) { return changes > changes_without_doubt; });
    if (is_in_doubt) find_roundings(search);
    Changed changed;
    update_time_switches(search.t, search.space, changed);
    const bool has_switched = change_first(search);
    update_discrete_with_care(search, changed);
    if (!has_switched && !changed.any) {
      search.space.events.is_untold = true;  // perhaps
      return judged(search.space);
    }
    is_stale = true;
    const auto is_too_often = [](int changes) { return changes > most_changes; };
    if (std::ranges::any_of(search.discrete_changes, is_too_often)) return Found::Circles;
    if (std::ranges::any_of(search.switch_changes, is_too_often)) return try_modes(search);
  }
}

// Switches whose values the search could not find: those that went round, and those on which the
// equations without a solution depend.
std::vector<std::uint32_t> ModelEvents::switches_in_doubt(const Search& search) const {
  std::vector<bool> is_read(model_.symbol_count, false);
  std::vector<expr::ExprId> pending;
  const Workspace& space = search.space;
  const structure::SortedSystem& sorted =
      space.joint_failure ? *model_.discrete.joint : model_.dynamics;
  const std::optional<BlockFailure>& failure =
      space.joint_failure ? space.joint_failure : space.failure;
  if (failure) {
    for (const structure::EquationId id : sorted.blocks[failure->block].equations) {
      const model::Equation& equation = sorted.equations[index(id)];
      pending.insert(pending.end(), {equation.left, equation.right});
    }
  }
  expr::Walker walker;
  for (int pass = 0; pass < most_passes_through_logic && !pending.empty(); ++pass) {
    for (const expr::SymbolId id : walker.symbols(model_.flat.arena, pending))
      is_read[index(id)] = true;
    pending.clear();
    for (const structure::Assignment& assignment : model_.discrete.assignments) {
      if (is_read[index(assignment.target)]) pending.push_back(assignment.value);
    }
  }
  std::vector<std::uint32_t> doubtful;
  for (std::uint32_t i = 0; i < state_switches_.size(); ++i) {
    const bool takes_part = search.switch_changes[i] > 0 || is_read[state_switches_[i].place];
    if (takes_part && is_relation(model_.discrete.switches[state_numbers_[i]]) &&
        doubtful.size() < most_in_doubt)
      doubtful.push_back(i);
  }
  return doubtful;
}

// A switch that is a Boolean variable gets its start value; the others are as before the event.
std::vector<double> ModelEvents::mode_of_start_values() const {
  std::vector<double> start(model_.symbol_count, none_given);
  for (const structure::Assignment& assignment : model_.discrete.assignments) {
    const structure::Attributes& attributes = model_.attributes[index(assignment.target)];
    if (model_.flat.arena.is_symbol(assignment.value) && attributes.start_given)
      start[index(model_.flat.arena.symbol_of(assignment.value))] = attributes.start;
  }
  std::vector<double> mode;
  for (const Symbol& symbol : state_switches_) mode.push_back(start[symbol.place]);
  return mode;
}

// Whether the equations have a solution in the mode, and the solution agrees with the mode.
bool ModelEvents::try_mode(Search& search, std::span<const double> mode) const {
  ++search.space.events.modes;
  search.wrong.clear();
  for (std::size_t i = 0; i < mode.size(); ++i)
    search.space.symbols[state_switches_[i].place] = mode[i];
  for (int pass = 0; pass < most_passes_through_logic && search.finds_discrete; ++pass) {
    Changed changed;
    update_discrete(search.space, changed);
    if (!changed.any) break;
  }
  if (!search.solve()) return false;
  find_roundings(search);
  functions_.values(search.space.symbols.data(), search.space.events.values.data());
  for (std::uint32_t i = 0; i < state_switches_.size(); ++i) {
    if (std::isnan(search.space.events.values[i]) || is_wrong(i, search)) search.wrong.push_back(i);
  }
  if (!search.wrong.empty()) return false;
  Changed changed;
  if (search.finds_discrete) update_discrete(search.space, changed);
  return !changed.any;
}

// Where a mode fails because of other equations than before, their switches are in doubt as well,
// such as those of two circuits that switch at the same instant; and where its equations have a
// solution, the switches that disagree with it.
void ModelEvents::doubt_more(Search& search, std::vector<std::uint32_t>& doubtful) const {
  const Workspace& space = search.space;
  const std::optional<BlockFailure>& failure =
      space.joint_failure ? space.joint_failure : space.failure;
  const auto doubt = [&](const std::vector<std::uint32_t>& switches) {
    for (const std::uint32_t i : switches) {
      const bool is_known = std::ranges::find(doubtful, i) != doubtful.end();
      const bool has_modes = is_relation(model_.discrete.switches[state_numbers_[i]]);
      if (has_modes && !is_known && doubtful.size() < most_in_doubt) doubtful.push_back(i);
    }
  };
  doubt(search.wrong);
  if (failure && search.failed.insert(failure->block).second) doubt(switches_in_doubt(search));
}

// Tries the modes of the switches in doubt: first that of the start values, then by the number of
// switches that differ from before the event.
ModelEvents::Found ModelEvents::try_modes(Search& search) const {
  Workspace& space = search.space;
  std::vector<std::uint32_t> doubtful = switches_in_doubt(search);
  const bool has_solution = search.is_solved;
  if (doubtful.empty()) return has_solution ? Found::Circles : Found::Undefined;
  const std::vector<double> symbols = space.symbols;  // for the message
  for (std::size_t known = 0; known < doubtful.size();) {
    known = doubtful.size();
    if (try_modes_of(search, doubtful)) return judged(space);
  }
  space.symbols = symbols;
  search.solve();  // so that the reported failure is that of the mode where the search ended
  return has_solution ? Found::Circles : Found::Undefined;
}

// Adds switches that turn out to be in doubt as well.
bool ModelEvents::try_modes_of(Search& search, std::vector<std::uint32_t>& doubtful) const {
  const Workspace& space = search.space;
  const std::vector<std::uint32_t> tried = doubtful;
  const auto works = [&](std::span<const double> mode) {
    const bool is_right = try_mode(search, mode);
    if (!is_right) doubt_more(search, doubtful);
    return is_right;
  };
  std::vector<double> mode = space.events.mode;
  const std::vector<double> start = mode_of_start_values();
  for (const std::uint32_t i : tried) {
    if (!std::isnan(start[i])) mode[i] = start[i];
  }
  if (works(mode)) return true;
  for (std::size_t count = 0; count <= tried.size(); ++count) {
    std::vector<std::size_t> chosen(count);
    for (std::size_t i = 0; i < count; ++i) chosen[i] = i;
    do {
      if (space.events.modes >= search.most_modes) return false;
      mode = space.events.mode;
      for (const std::size_t k : chosen) mode[tried[k]] = mode[tried[k]] == 0.0 ? 1.0 : 0.0;
      if (works(mode)) return true;
    } while (next_combination(chosen, tried.size()));
  }
  return false;
}

}  // namespace daedalus::runtime
