#include "runtime/model_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "daedalus/base/number.hpp"
#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/structure/structure.hpp"
#include "runtime/held_search.hpp"

namespace daedalus::runtime {
namespace {

using structure::Switch;
using structure::VariableId;
using system::Evaluation;
using system::Settling;

// Event iterations before the changes of each variable are counted, and changes of one variable at
// an event after which it counts as cycling.
constexpr int iterations_uncounted = 100;
constexpr int most_changes = 100;
constexpr int changes_that_show_a_circle = 10;
// Searches for held values in which all switches may change at once; after these comes
// find_with_care().
constexpr int searches_at_once = 10;
constexpr std::size_t most_modes_at_start = 64;  // each may need continuation from the start values

constexpr double none_yet = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t behind_found = 2;  // values after those that a search finds

// Clocks whose ticks are at most this far apart tick together: 3 * 0.1 is not 0.3.
double one_instant(double t) { return 4 * std::numeric_limits<double>::epsilon() * std::abs(t); }

// Reals that are found by going round a loop need not agree in their last bits.
bool differs(bool is_real, double now, double before) {
  if (now == before || (std::isnan(now) && std::isnan(before))) return false;
  if (!is_real) return true;
  return !(std::abs(now - before) <=
           structure::held_rounding * std::max(std::abs(now), std::abs(before)));
}

// The value of a switch that depends on time alone, and when it changes.
struct TimeSwitch {
  double value = 0.0;                                     // of the switch
  double next = std::numeric_limits<double>::infinity();  // when it changes
};

// True where rate * t + rest is positive; at the zero it already has its new value. At the start of
// a run it is taken literally there instead, and changes at once.
struct AtZero {
  bool is_literal = false;
  bool is_strict = true;
};
TimeSwitch look_at(double rate, double rest, double t, AtZero at_zero) {
  if (std::isnan(rate + rest)) return {.value = std::numeric_limits<double>::quiet_NaN()};
  if (rate == 0.0 || !std::isfinite(rest / rate)) return {.value = rest > 0.0 ? 1.0 : 0.0};
  const double zero = -rest / rate;
  if (t == zero && at_zero.is_literal && at_zero.is_strict == (rate > 0.0))
    return {.value = at_zero.is_strict ? 0.0 : 1.0, .next = t};
  if (t >= zero) return {.value = rate > 0.0 ? 1.0 : 0.0};
  return {.value = rate > 0.0 ? 0.0 : 1.0, .next = zero};
}

}  // namespace

void ModelEvents::size(Workspace& space) const {
  EventRoom& memory = space.events;
  if (memory.is_sized) return;
  memory.is_sized = true;
  memory.before.resize(observed_.size());
  memory.found.resize(found_places_.size() + behind_found);
  memory.values.resize(state_switches_.size());
  memory.time_forms.resize(2 * time_switches_.size());
  memory.margins.resize(std::max(margin_of_.size(), time_switches_.size()));
  memory.actions.resize(2 * model_.flat.actions.size());
  memory.discrete.resize(model_.discrete.assignments.size());
  memory.mode.resize(state_switches_.size());
  memory.set_in.resize(model_.states.size());
}

Evaluation ModelEvents::indicators(double t, std::span<const double> y, std::span<double> margins,
                                   const system::Context& context) const {
  Workspace& space = workspace(context.scratch);
  if (!flow_.watches_algebraic) {
    if (space.stamp != context.held.stamp()) system_.load_held(context.held, space);
    put_state(model_, t, y, space);
  } else if (system_.evaluate(t, y, ModelSystem::Extent::Watched, context) ==
             Evaluation::Undefined) {
    return Evaluation::Undefined;
  }
  const KernelFunction& wanted =
      space.state.watches_all != 0.0 ? functions_.margins : functions_.seen_margins;
  wanted(space.symbols.data(), margins.data());
  return Evaluation::Defined;
}

double ModelEvents::watched_value(std::size_t indicator, const system::Held& held) const {
  const Switch& watched = model_.discrete.switches[margin_of_[indicator]];
  return held[layout_.place_of(static_cast<std::uint32_t>(index(watched.symbol)))];
}

double ModelEvents::next_time_event(double t, const system::Held& held) const {
  const double next_switch = layout_.next_switch(held);
  if (next_switch == t && layout_.start(held) == t) return t;
  double next = next_switch > t ? next_switch : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < clocks_.size(); ++i)
    next = std::min(next, clocks_[i].time_of(layout_.next_tick(i, held)));
  return next;
}

// Starts one earlier, because of rounding. Where time cannot resolve the interval, the number is
// kept.
double ModelEvents::Clock::first_tick_after(double t, double number) const {
  double found = std::max(number, std::floor((t - start) / interval) - 1.0);
  for (int tries = 0; tries < 4 && time_of(found) <= t; ++tries) ++found;
  return time_of(found) > t ? found : number;
}

// Ticks of the past count as taken.
void ModelEvents::start_clocks(double t, Workspace& space) const {
  const double before =
      std::nextafter(t - one_instant(t), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < clocks_.size(); ++i)
    space.state.next_ticks[i] = clocks_[i].first_tick_after(before, 0.0);
}

// Whether a clock ticks at t. Each tick is taken once: taken ticks are counted, because another
// event may differ from it only by rounding, on either side.
bool ModelEvents::tick(double t, bool is_time_event, Workspace& space) const {
  bool any = false;
  const double now = t + one_instant(t);
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    double& next = space.state.next_ticks[i];
    const bool ticks = is_time_event && clocks_[i].time_of(next) <= now;
    if (ticks) next = clocks_[i].first_tick_after(now, next);
    space.symbols[index(clocks_[i].variable)] = ticks ? 1.0 : 0.0;
    any = any || ticks;
  }
  return any;
}

// What was found to be wrong is changed first: its old value may no longer make sense.
void ModelEvents::toggle(std::span<const std::size_t> crossed, Workspace& space) const {
  for (const std::size_t i : crossed) {
    const Switch& one = model_.discrete.switches[margin_of_[i]];
    double& held = space.symbols[index(one.symbol)];
    if (one.kind == Switch::Kind::Relation) {
      held = held == 0.0 ? 1.0 : 0.0;
    } else {
      const bool is_low = i == 0 || margin_of_[i - 1] != margin_of_[i];
      held += is_low ? -1.0 : 1.0;
    }
  }
}

// NaN says nothing about a switch.
void ModelEvents::put(const Symbol& symbol, double value, Workspace& space, Changed& changed) {
  double& held = space.symbols[symbol.place];
  space.events.is_untold = space.events.is_untold || std::isnan(value);
  if (held == value || std::isnan(value)) return;
  held = value;
  changed.add(symbol);
}

void ModelEvents::Changed::add(const Symbol& symbol) {
  any = true;
  motion = motion || symbol.feeds;
  search = search || symbol.feeds_search;
}

inline ModelEvents::Changed ModelEvents::find_at_once(Workspace& space) const {
  double* const symbols = space.symbols.data();
  double* const found = space.events.found.data();
  functions_.search(symbols, found);
  const std::size_t count = found_places_.size();
  space.state.next_switch = found[count];
  const auto flags = static_cast<unsigned>(found[count + 1]);
  space.events.is_untold = (flags & 16U) != 0;
  if (flags == 0) return {};
  for (std::size_t i = 0; i < count; ++i) symbols[found_places_[i]] = found[i];
  return {.any = (flags & 2U) != 0, .motion = (flags & 4U) != 0, .search = (flags & 8U) != 0};
}

ModelEvents::Changed ModelEvents::update_switches(double t, bool all, Workspace& space) const {
  Changed changed;
  update_time_switches(t, space, changed);
  if (state_switches_.empty()) return changed;
  functions_.values(space.symbols.data(), space.events.values.data());
  for (std::size_t i = 0; i < state_switches_.size() && (all || !changed.any); ++i) {
    put(state_switches_[i], space.events.values[i], space, changed);
  }
  return changed;
}

void ModelEvents::update_time_switches(double t, Workspace& space, Changed& changed) const {
  space.events.is_untold = false;
  double next = std::numeric_limits<double>::infinity();
  if (!time_switches_.empty()) {
    double* const forms = space.events.time_forms.data();
    functions_.time_forms(space.symbols.data(), forms);
    for (std::size_t i = 0; i < time_switches_.size(); ++i) {
      const TimeSwitch found =
          look_at(forms[2 * i], forms[2 * i + 1], t,
                  {.is_literal = space.state.start == t, .is_strict = is_strict_[i]});
      put(time_switches_[i], found.value, space, changed);
      next = std::min(next, found.next);
    }
  }
  space.state.next_switch = next;
}

void ModelEvents::update_discrete(Workspace& space, Changed& changed) const {
  if (computed_.empty()) return;
  double* const symbols = space.symbols.data();
  double* const before = space.events.discrete.data();
  for (std::size_t i = 0; i < computed_.size(); ++i) before[i] = symbols[computed_[i].place];
  functions_.assignments(symbols, nullptr);
  space.events.open = 0;
  std::size_t first = 0;
  for (const expr::CyclicEquations& loop : loops_) {
    if (const std::optional<std::size_t> open = loop.solve(space.symbols))
      space.events.open = static_cast<std::uint32_t>(index(loop_targets_[first + *open]));
    first += loop.size();
  }
  for (std::size_t i = 0; i < computed_.size(); ++i) {
    if (differs(computed_[i].is_real, symbols[computed_[i].place], before[i]))
      changed.add(computed_[i]);
  }
}

ModelEvents::Changed ModelEvents::find_by_kinds(double t, bool all, Workspace& space) const {
  Changed changed = update_switches(t, all, space);
  update_discrete(space, changed);
  return changed;
}

// Finds variables, switches and discrete variables that agree with each other, given the memories.
// `is_stale`: the variables have to be found from the held values first.
template <class Solver>
ModelEvents::Found ModelEvents::find_held(double t, Workspace& space, const Solver& solve,
                                          bool& is_stale) const {
  const bool at_once = finds_at_once_ && space.state.start != t;
  bool is_solved = true;
  for (int search = 0; search < searches_at_once; ++search) {
    is_solved = !is_stale || solve();
    const Changed changed = at_once ? find_at_once(space) : find_by_kinds(t, true, space);
    is_stale = changed.motion || !is_solved;
    if (is_solved && !changed.search) {
      // Unchanged values were judged before.
      const bool is_doubtful = changed.any || space.events.is_untold || space.events.open != 0;
      return is_doubtful ? judged(space) : Found::All;
    }
    if (!changed.any) break;
    is_solved = true;  // perhaps, with the changed values
  }
  return find_slowly(t, space, std::cref(solve), is_solved, is_stale);
}

ModelEvents::Found ModelEvents::find_slowly(double t, Workspace& space, const Solve& solve,
                                            bool is_solved, bool& is_stale) const {
  Search search{.t = t, .space = space, .solve = solve, .is_solved = is_solved};
  if (space.state.start == t) search.most_modes = most_modes_at_start;
  return find_with_care(std::move(search), is_stale);
}

// What was found, unless it is not a value.
ModelEvents::Found ModelEvents::judged(Workspace& space) const {
  if (space.events.is_untold && untold_switch(space) != nullptr) return Found::Untold;
  if (space.events.open != 0) return Found::Open;
  for (const Symbol& number : numbers_) {
    if (!number.can_be(space.symbols[number.place])) return Found::NotFinite;
  }
  return Found::All;
}

// A switch on which something depends, and whose relation has no value.
const Switch* ModelEvents::untold_switch(Workspace& space) const {
  double* const margins = space.events.margins.data();
  functions_.seen_margins(space.symbols.data(), margins);
  for (std::size_t i = 0; i < margin_of_.size(); ++i) {
    if (std::isnan(margins[i])) return &model_.discrete.switches[margin_of_[i]];
  }
  if (by_time_.empty()) return nullptr;
  functions_.seen_forms(space.symbols.data(), margins);
  for (std::size_t i = 0; i < by_time_.size(); ++i) {
    if (std::isnan(margins[i])) return &model_.discrete.switches[by_time_[i]];
  }
  return nullptr;
}

inline ModelEvents::Changed ModelEvents::remember(Workspace& space) const {
  Changed changed;
  double* const symbols = space.symbols.data();
  for (const Past& past : pasts_) {
    const double now = past.sign * symbols[past.of];
    if (symbols[past.place] == now) continue;
    symbols[past.place] = now;
    changed.any = changed.any || past.is_discrete;
    changed.motion = changed.motion || past.feeds;
  }
  return changed;
}

void ModelEvents::count_changes(const Workspace& space, std::vector<int>& changes) const {
  changes.resize(pasts_.size());
  for (std::size_t i = 0; i < pasts_.size(); ++i) {
    const Past& past = pasts_[i];
    const bool changed = space.symbols[past.place] != past.sign * space.symbols[past.of];
    if (past.is_discrete && changed) ++changes[i];
  }
}

// Everything on which events depend.
bool ModelEvents::evaluate(double t, std::span<const double> y, Workspace& space) const {
  if (!flow_.needs_variables) return true;
  if (!joint_.empty()) return evaluate_joint(t, y, space);
  if (flow_.needs_all) return system_.run_all(t, y, space) == Evaluation::Defined;
  if (system_.run_watched(t, y, space) == Evaluation::Undefined) return false;
  return std::ranges::all_of(
      model_.derivatives, [&](VariableId id) { return std::isfinite(space.symbols[index(id)]); });
}

bool ModelEvents::evaluate_joint(double t, std::span<const double> y, Workspace& space) const {
  put_state(model_, t, y, space);
  space.joint_failure = run_sequence(joint_, *model_.discrete.joint, model_.attributes,
                                     space.symbols.data(), *space.joint_memory);
  return !space.joint_failure;
}

// pre(x) of continuous variables, with the values held until now.
void ModelEvents::take_left_limits(const system::Instant& at, std::span<const double> y,
                                   Workspace& space) const {
  system_.run_all(at.t, y, space);
  remember(space);
}

void ModelEvents::keep_observed(Workspace& space) const {
  const double* const symbols = space.symbols.data();
  double* before = space.events.before.data();
  for (const Symbol& symbol : observed_) *before++ = symbols[symbol.place];
}

ModelEvents::Observation ModelEvents::compare_observed(const Workspace& space) const {
  const double* const symbols = space.symbols.data();
  const double* before = space.events.before.data();
  Observation change;
  for (const Symbol& symbol : observed_) {
    if (symbols[symbol.place] == *before++) continue;
    change.feeds |= symbol.feeds;
    change.shows |= symbol.is_shown;
  }
  return change;
}

bool ModelEvents::is_triggered(std::size_t when, const Workspace& space) const {
  const auto [condition, memory] = when_symbols_[when];
  return memory != 0 && space.symbols[condition] != 0.0 && space.symbols[memory] == 0.0;
}

bool ModelEvents::any_is_triggered(const Workspace& space) const {
  for (std::size_t i = 0; i < when_symbols_.size(); ++i) {
    if (is_triggered(i, space)) return true;
  }
  return false;
}

Settling ModelEvents::settle(const system::Instant& at, std::span<double> y, system::Held& held,
                             system::Scratch& scratch, system::Report* report) const {
  Workspace& space = workspace(scratch);
  system_.load(at.t, held, space);
  space.stamp = Workspace::unknown;  // until it is settled
  const bool is_usual = report == nullptr && std::isnan(space.state.start);
  Settling result = is_usual ? settle_at(at, y, space, nullptr) : settle_in(at, y, space, report);
  if (!space.events.warnings.empty()) result.warnings = std::exchange(space.events.warnings, {});
  if (result.end != Settling::End::Settled && result.end != Settling::End::Terminated)
    return result;
  if (!flow_.needs_variables && !layout_.followed().empty()) find_solutions(at.t, y, held, space);
  layout_.store(space.symbols, space.state, held);
  space.stamp = held.stamp();
  return result;
}

// Solutions of loops on which nothing at the event depends: the motion goes on from these. Where
// there are none, the last ones stay.
void ModelEvents::find_solutions(double t, std::span<const double> y, const system::Held& held,
                                 Workspace& space) const {
  if (system_.run_watched(t, y, space) == Evaluation::Undefined)
    layout_.load_last_guesses(held, space.symbols);
}

Settling ModelEvents::settle_in(const system::Instant& at, std::span<double> y, Workspace& space,
                                system::Report* report) const {
  if (!std::isnan(space.state.start)) return settle_after_start(at, y, space, report);
  return report == nullptr ? settle_at(at, y, space, nullptr)
                           : settle_and_report(at, y, space, *report);
}

// The start is over, except for clocks, which ticked when the run was begun.
Settling ModelEvents::settle_after_start(const system::Instant& at, std::span<double> y,
                                         Workspace& space, system::Report* report) const {
  const bool is_start = std::exchange(space.state.start, none_yet) == at.t;
  system::Instant instant = at;
  instant.is_time_event = at.is_time_event && !is_start;
  return settle_in(instant, y, space, report);
}

Settling ModelEvents::settle_and_report(const system::Instant& at, std::span<double> y,
                                        Workspace& space, system::Report& report) const {
  const std::vector<double> y_before(y.begin(), y.end()), time_before = time_values(space);
  Settling result = settle_at(at, y, space, &report);
  if (result.end != Settling::End::Settled && result.end != Settling::End::Terminated)
    return result;
  list_time_changes(space, time_before, report.time_sources);
  list_changes(space, report.changes);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != y_before[i])
      report.changes.push_back({system_.variable_name(i), y_before[i], y[i]});
  }
  return result;
}

// Whether a clock ticks, with the values at the instant before anything reacts to it.
inline bool ModelEvents::begin_event(const system::Instant& at, std::span<const double> y,
                                     Workspace& space) const {
  size(space);
  double* const symbols = space.symbols.data();
  space.events.open = 0;
  put_state(model_, at.t, y, space);
  keep_observed(space);
  for (std::size_t i = 0; i < state_switches_.size(); ++i)
    space.events.mode[i] = symbols[state_switches_[i].place];
  if (has_left_limits_) take_left_limits(at, y, space);
  toggle(at.crossed, space);
  if (!model_.flat.terminal_flag.is_none())
    symbols[index(model_.flat.terminal_flag)] = at.is_end ? 1.0 : 0.0;
  return tick(at.t, at.is_time_event, space);
}

// The variables that keep changing, where an event has very many iterations.
struct ModelEvents::Rounds {
  std::vector<int> changes;               // of each memory
  std::vector<system::Change> triggered;  // when-clauses
  int most = 0;
};

// Whether something goes round in a cycle.
bool ModelEvents::goes_on_and_on(const Workspace& space, std::optional<Rounds>& rounds) const {
  if (!rounds) rounds.emplace();
  if (rounds->most > most_changes - changes_that_show_a_circle)
    list_triggered(space, rounds->triggered);
  const bool is_over = rounds->most > most_changes;
  count_changes(space, rounds->changes);
  for (const int changes : rounds->changes) rounds->most = std::max(rounds->most, changes);
  return is_over;
}

// A single return: results are large, and this runs at every event.
Settling ModelEvents::settle_at(const system::Instant& at, std::span<double> y, Workspace& space,
                                system::Report* report) const {
  bool ticks = begin_event(at, y, space);
  if (report != nullptr && ticks) list_ticks(space, report->time_sources);
  const auto solve = [&] { return !flow_.needs_variables || evaluate(at.t, y, space); };
  bool is_stale = true, has_jumped = false, has_acted = false;
  std::optional<Rounds> rounds;
  Settling result;
  for (int iteration = 1;; ++iteration) {
    const Found found = find_held(at.t, space, solve, is_stale);
    if (found != Found::All) {
      result = not_found(found, space);
      return result;
    }
    result.iterations = iteration;
    if (report != nullptr) list_triggered(space, report->changes);
    bool jumps = false;
    if (!state_of_.empty()) {
      jumps = act(at.t, y, space, result);
      result.iterations = iteration;
      if (result.end != Settling::End::Settled && result.end != Settling::End::Terminated)
        return result;
      has_jumped = has_jumped || jumps;
      if (jumps) put_state(model_, at.t, y, space);  // for pre(x) in the next iteration
    }
    has_acted = has_acted || any_is_triggered(space);
    const bool is_over = iteration >= iterations_uncounted && goes_on_and_on(space, rounds);
    const Changed changed = remember(space);
    const bool has_ticked = std::exchange(ticks, false);
    if (has_ticked) tick(at.t, false, space);
    if (!jumps && !changed.any && !has_ticked) break;
    is_stale = jumps || changed.motion || has_ticked;
    if (!is_over) continue;
    result = rounds->triggered.empty() ? not_found(Found::Circles, space)
                                       : triggers_again(rounds->triggered);
    return result;
  }
  functions_.seen(space.symbols.data(), &space.state.any_is_seen);
  if (!free_assertions_.empty() && result.end == Settling::End::Settled &&
      has_violation(at.t, space, result))
    return result;
  const Observation change = compare_observed(space);
  result.is_new_motion = has_jumped || change.feeds;
  result.is_quiet = !result.is_new_motion && !has_acted && !change.shows;
  return result;
}

std::optional<Settling> ModelEvents::begin(double t, Workspace& space, const Solve& solve) const {
  size(space);
  std::vector<double>& symbols = space.symbols;
  symbols[index(model::FlatModel::time)] = t;
  expr::Walker walker;
  for (const structure::Memory& memory : model_.discrete.memories) {
    // A when-clause is triggered by a change, and at the start nothing has changed.
    symbols[index(memory.symbol)] =
        memory.is_condition ? 1.0 : memory.sign * model_.attributes[index(memory.of)].start;
  }
  for (const structure::Assignment& memory : model_.discrete.initial_memories) {
    symbols[index(memory.target)] =
        expr::evaluate(model_.flat.arena, walker, memory.value, symbols);
  }
  for (const structure::Memory& memory : model_.discrete.memories) {
    if (memory.is_discrete && !memory.is_condition)
      symbols[index(memory.of)] = memory.sign * symbols[index(memory.symbol)];
  }
  if (!model_.flat.initial_flag.is_none()) symbols[index(model_.flat.initial_flag)] = 1.0;
  start_clocks(t, space);
  tick(t, false, space);
  space.state.start = t;
  update_switches(t, true, space);
  bool is_stale = true;
  std::vector<double> y(model_.states.size());
  const auto take_states = [&] {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = symbols[index(model_.states[i])];
  };
  const auto solve_all = [&] {
    if (!solve()) return false;
    take_states();
    return joint_.empty() || evaluate_joint(t, y, space);
  };
  const Found found = find_held(t, space, solve_all, is_stale);
  if (found == Found::Undefined && !space.joint_failure) return std::nullopt;
  if (found != Found::All) return not_found(found, space);
  take_states();
  Settling said;
  act(t, y, space, said);  // actions of `when initial()`
  if (said.end != Settling::End::Settled) {
    said.warnings = std::exchange(space.events.warnings, {});
    return said;
  }
  remember(space);
  if (!model_.flat.initial_flag.is_none()) symbols[index(model_.flat.initial_flag)] = 0.0;
  Settling settled = settle_at({.t = t, .is_time_event = true}, y, space, nullptr);
  settled.warnings = std::exchange(space.events.warnings, {});
  return settled;
}

bool ModelEvents::hold_switches(double t, std::span<const double> y, system::Held& held,
                                Workspace& space) const {
  system_.load(t, held, space);
  space.stamp = Workspace::unknown;
  if (!holds_switches(t, y, space)) return false;
  layout_.store(space.symbols, space.state, held);
  space.stamp = held.stamp();
  return true;
}

bool ModelEvents::holds_switches(double t, std::span<const double> y, Workspace& space) const {
  size(space);
  put_state(model_, t, y, space);
  for (int search = 0; search < searches_at_once; ++search) {
    const bool is_solved = evaluate(t, y, space);
    if (!update_switches(t, true, space).any) return is_solved;
  }
  bool is_stale = true;
  const std::function<bool()> solve = [&] { return evaluate(t, y, space); };
  return find_with_care({.t = t, .space = space, .solve = solve, .finds_discrete = false},
                        is_stale) == Found::All;
}

}  // namespace daedalus::runtime
