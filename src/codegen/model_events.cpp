#include "codegen/model_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "daedalus/base/number.hpp"
#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/tape.hpp"

namespace daedalus::codegen {
namespace {

using structure::Switch;
using structure::VariableId;
using system::Evaluation;
using system::Settling;

// Event iterations after which values that are held are said to go round in a circle.
constexpr int most_iterations = 100;
constexpr int iterations_that_show_a_circle = 10;
// Searches for what is held in which all switches may change at once. After that, one at a time and
// the first one first: with that rule the search cannot go round in linear circuits of ideal
// switches (Murty 1974, for complementarity problems with P-matrices).
constexpr int searches_at_once = 10;
constexpr int most_searches = 1000;

// Clocks whose ticks are no further apart than this tick together: 3 * 0.1 is not 0.3.
double one_instant(double t) { return 4 * std::numeric_limits<double>::epsilon() * std::abs(t); }

// Reals that are found by going round a loop need not agree in their last bits.
bool differs(model::Type type, double now, double before) {
  if (now == before || type != model::Type::Real) return now != before;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return !(std::abs(now - before) <= rounding * std::max(std::abs(now), std::abs(before)));
}

std::size_t margin_count(const Switch& one) { return one.kind == Switch::Kind::Relation ? 1 : 2; }

// Whether a switch that only time moves is on its far side.
struct TimeSwitch {
  double value = 0.0;                                     // of the switch
  double next = std::numeric_limits<double>::infinity();  // when it changes
};

// True where rate * t + rest is positive; at its zero it is what it will be.
TimeSwitch look_at(double rate, double rest, double t) {
  if (rate == 0.0 || !std::isfinite(rest / rate)) return {.value = rest > 0.0 ? 1.0 : 0.0};
  const double zero = -rest / rate;
  if (t >= zero) return {.value = rate > 0.0 ? 1.0 : 0.0};
  return {.value = rate > 0.0 ? 0.0 : 1.0, .next = zero};
}

// Whether one of the expressions reads more than states and what is known.
bool reads_computed(const structure::StructuredModel& model,
                    std::span<const expr::ExprId> expressions) {
  std::vector<bool> is_computed(model.symbol_count, false);
  for (const structure::Block& block : model.dynamics.blocks) {
    for (const VariableId id : block.unknowns) is_computed[index(id)] = true;
  }
  expr::Walker walker;
  return std::ranges::any_of(walker.symbols(model.flat.arena, expressions),
                             [&](expr::SymbolId id) { return is_computed[index(id)]; });
}

// What settling an event computes, apart from the switches.
std::vector<expr::ExprId> computed_at_events(const structure::StructuredModel& model) {
  std::vector<expr::ExprId> all;
  for (const structure::Assignment& assignment : model.discrete.assignments)
    all.push_back(assignment.value);
  for (const model::Action& action : model.flat.actions) {
    all.insert(all.end(), {action.guard, action.value});
    for (const model::MessagePart& part : action.message) all.push_back(part.value);
  }
  std::erase_if(all, [](expr::ExprId id) { return id.is_none(); });
  return all;
}

// Whether what is computed at events needs a variable that derivatives and switches do not.
bool depends_on_rest(const structure::StructuredModel& model) {
  std::vector<bool> is_rest(model.symbol_count, false);
  for (const structure::Block& block : model.dynamics.blocks) {
    for (const VariableId id : block.unknowns) is_rest[index(id)] = !block.feeds_derivatives;
  }
  const auto is_left_limit_of_rest = [&](const structure::Memory& memory) {
    return !memory.is_discrete && is_rest[index(memory.of)];
  };
  if (std::ranges::any_of(model.discrete.memories, is_left_limit_of_rest)) return true;
  expr::Walker walker;
  return std::ranges::any_of(walker.symbols(model.flat.arena, computed_at_events(model)),
                             [&](expr::SymbolId id) { return is_rest[index(id)]; });
}

}  // namespace

ModelEvents::ModelEvents(const ModelSystem& system, const structure::StructuredModel& model,
                         EventFunctions functions)
    : system_(system), model_(model), functions_(std::move(functions)) {
  for (std::uint32_t i = 0; i < model.discrete.switches.size(); ++i) {
    const Switch& one = model.discrete.switches[i];
    (one.in_time ? by_time_ : by_state_).push_back(i);
    if (!one.in_time) margin_of_.insert(margin_of_.end(), margin_count(one), i);
  }
  expr::Walker walker;
  const expr::Arena& arena = model.flat.arena;
  for (const model::Sampler& sampler : model.flat.samplers) {
    clocks_.push_back({expr::evaluate(arena, walker, sampler.start, model.values),
                       expr::evaluate(arena, walker, sampler.interval, model.values),
                       sampler.variable});
  }
  std::vector<expr::ExprId> motion;
  for (const model::Equation& equation : model.dynamics.equations)
    motion.insert(motion.end(), {equation.left, equation.right});
  feeds_.resize(model.symbol_count, false);
  for (const expr::SymbolId id : walker.symbols(arena, motion)) feeds_[index(id)] = true;
  needs_all_ = depends_on_rest(model);
  name_whens();
  std::vector<expr::ExprId> watched;
  for (const Switch& one : model.discrete.switches) watched.push_back(one.difference);
  watches_algebraic_ = reads_computed(model, watched);
  needs_variables_ = watches_algebraic_ || reads_computed(model, computed_at_events(model));
  find_what_feeds_searches(watched);
  has_left_limits_ = !std::ranges::all_of(model.discrete.memories, &structure::Memory::is_discrete);
  for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
    if (model.flat.is_memory(VariableId(i))) held_.push_back(VariableId(i));
  }
  const auto moves = [&](expr::SymbolId id) { return model::varies(model.flat, id); };
  for (const model::Action& action : model.flat.actions) {
    const auto state = std::ranges::find(model.states, action.target);
    state_of_.push_back(static_cast<std::size_t>(state - model.states.begin()));
    has_free_assertions_ |= action.kind == model::Action::Kind::Assert && action.guard.is_none() &&
                            expr::depends_on(arena, walker, action.value, moves);
  }
}

// Symbols with whose new values another search may find more: those that switches read, and
// assignments at or before their own place. Where the search solves equations, what these read.
void ModelEvents::find_what_feeds_searches(std::span<const expr::ExprId> differences) {
  const expr::Arena& arena = model_.flat.arena;
  expr::Walker walker;
  feeds_search_.resize(model_.symbol_count, false);
  if (needs_variables_) feeds_search_ = feeds_;
  std::vector<expr::ExprId> read(differences.begin(), differences.end());
  for (const Switch& one : model_.discrete.switches) {
    if (one.in_time) read.insert(read.end(), {one.in_time->coefficient, one.in_time->rest});
  }
  for (const expr::SymbolId id : walker.symbols(arena, read)) feeds_search_[index(id)] = true;
  std::vector<bool> is_later(model_.symbol_count, false);  // the target of this or a later one
  for (const structure::Assignment& assignment : model_.discrete.assignments)
    is_later[index(assignment.target)] = true;
  for (const structure::Assignment& assignment : model_.discrete.assignments) {
    for (const expr::SymbolId id : walker.symbols(arena, std::span(&assignment.value, 1))) {
      if (is_later[index(id)]) feeds_search_[index(id)] = true;
    }
    is_later[index(assignment.target)] = false;
  }
}

void ModelEvents::size(Workspace& space) const {
  EventMemory& memory = space.events;
  memory.values.resize(by_state_.size());
  memory.time_forms.resize(2 * by_time_.size());
  memory.actions.resize(2 * model_.flat.actions.size());
  memory.discrete.resize(model_.discrete.assignments.size());
  memory.is_reported.resize(model_.flat.actions.size());
}

Evaluation ModelEvents::indicators(double t, std::span<const double> y, std::span<double> margins,
                                   system::Scratch& scratch) const {
  Workspace& space = workspace(scratch);
  if (!watches_algebraic_) {
    put_state(model_, t, y, space);
  } else if (system_.evaluate_watched(t, y, scratch) == Evaluation::Undefined) {
    return Evaluation::Undefined;
  }
  const KernelFunction& wanted =
      space.events.watches_all ? functions_.margins : functions_.seen_margins;
  wanted(space.symbols.data(), margins.data());
  return Evaluation::Defined;
}

void ModelEvents::watch_all(system::Scratch& scratch) const {
  workspace(scratch).events.watches_all = true;
}

bool ModelEvents::is_idle(const system::Scratch& scratch) const {
  const EventMemory& memory = workspace(scratch).events;
  return !memory.watches_all && memory.any_is_seen == 0.0;
}

double ModelEvents::next_time_event(double t, const system::Scratch& scratch) const {
  const EventMemory& memory = workspace(scratch).events;
  double next =
      memory.next_switch > t ? memory.next_switch : std::numeric_limits<double>::infinity();
  const double now = t + one_instant(t);
  for (const Clock& clock : clocks_) {
    // One behind, for the rounding; where time cannot resolve the interval, none is behind t.
    double k = std::max(0.0, std::floor((t - clock.start) / clock.interval) - 1.0);
    for (int tries = 0; tries < 4 && clock.start + k * clock.interval <= now; ++tries) ++k;
    next = std::min(next, clock.start + k * clock.interval);
  }
  return next;
}

// Whether a clock ticks at t.
bool ModelEvents::tick(double t, bool is_time_event, Workspace& space) const {
  bool any = false;
  for (const Clock& clock : clocks_) {
    const double k = std::round((t - clock.start) / clock.interval);
    const double off = std::abs(clock.start + k * clock.interval - t);
    const bool now = is_time_event && k >= 0.0 && off <= one_instant(t);
    space.symbols[index(clock.variable)] = now ? 1.0 : 0.0;
    any = any || now;
  }
  return any;
}

// What was found to be wrong is changed first: its old value may make no sense any more.
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

void ModelEvents::put(VariableId id, double value, Workspace& space, Changed& changed) const {
  double& held = space.symbols[index(id)];
  if (held == value) return;
  held = value;
  changed.add(id, *this);
}

void ModelEvents::Changed::add(VariableId id, const ModelEvents& events) {
  any = true;
  motion = motion || events.feeds_[index(id)];
  search = search || events.feeds_search_[index(id)];
}

ModelEvents::Changed ModelEvents::update_switches(double t, bool all, Workspace& space) const {
  Changed changed;
  update_time_switches(t, space, changed);
  if (by_state_.empty()) return changed;
  functions_.values(space.symbols.data(), space.events.values.data());
  for (std::size_t i = 0; i < by_state_.size() && (all || !changed.any); ++i) {
    const double now = space.events.values[i];
    if (!std::isnan(now)) put(model_.discrete.switches[by_state_[i]].symbol, now, space, changed);
  }
  return changed;
}

void ModelEvents::update_time_switches(double t, Workspace& space, Changed& changed) const {
  space.events.next_switch = std::numeric_limits<double>::infinity();
  if (by_time_.empty()) return;
  std::vector<double>& forms = space.events.time_forms;
  functions_.time_forms(space.symbols.data(), forms.data());
  for (std::size_t i = 0; i < by_time_.size(); ++i) {
    const TimeSwitch found = look_at(forms[2 * i], forms[2 * i + 1], t);
    put(model_.discrete.switches[by_time_[i]].symbol, found.value, space, changed);
    space.events.next_switch = std::min(space.events.next_switch, found.next);
  }
}

void ModelEvents::update_discrete(Workspace& space, Changed& changed) const {
  const std::vector<structure::Assignment>& assignments = model_.discrete.assignments;
  if (assignments.empty()) return;
  std::vector<double>& before = space.events.discrete;
  for (std::size_t i = 0; i < assignments.size(); ++i)
    before[i] = space.symbols[index(assignments[i].target)];
  functions_.assignments(space.symbols.data(), nullptr);
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const VariableId target = assignments[i].target;
    if (differs(model_.flat[target].type, space.symbols[index(target)], before[i]))
      changed.add(target, *this);
  }
}

// Variables, switches and discrete variables that agree with each other, the memories given. What
// is stale has to be found from what is held.
template <class Solver>
ModelEvents::Held ModelEvents::find_held(double t, Workspace& space, const Solver& solve,
                                         bool& is_stale) const {
  bool is_solved = true;
  for (int search = 0; search < most_searches; ++search) {
    if (is_stale) is_solved = solve();
    const bool is_at_once = search < searches_at_once;
    Changed changed = update_switches(t, is_at_once, space);
    update_discrete(space, changed);
    is_stale = changed.motion || !is_solved;
    if (!changed.any || (is_at_once && is_solved && !changed.search))
      return is_solved ? Held::Found : Held::Undefined;
  }
  return Held::Circles;
}

ModelEvents::Changed ModelEvents::remember(Workspace& space) const {
  Changed changed;
  for (const structure::Memory& memory : model_.discrete.memories) {
    const double now = memory.sign * space.symbols[index(memory.of)];
    double& before = space.symbols[index(memory.symbol)];
    if (before == now) continue;
    before = now;
    changed.any = changed.any || memory.is_discrete;
    changed.motion = changed.motion || feeds_[index(memory.symbol)];
  }
  return changed;
}

// All that events depend on.
bool ModelEvents::evaluate(double t, std::span<const double> y, Workspace& space) const {
  if (!needs_variables_) return true;
  if (needs_all_) return system_.evaluate_all(t, y, space) == Evaluation::Defined;
  if (system_.evaluate_watched(t, y, space) == Evaluation::Undefined) return false;
  return std::ranges::all_of(
      model_.derivatives, [&](VariableId id) { return std::isfinite(space.symbols[index(id)]); });
}

// pre(x) of what moves: with what was held until now.
void ModelEvents::take_left_limits(const system::Instant& at, std::span<const double> y,
                                   Workspace& space) const {
  if (!has_left_limits_) return;
  system_.evaluate_all(at.t, y, space);
  remember(space);
}

// Whether an assertion that always has to hold does not.
bool ModelEvents::has_violation(double t, Workspace& space, Settling& result) const {
  const std::vector<model::Action>& actions = model_.flat.actions;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const model::Action& action = actions[i];
    if (action.kind != model::Action::Kind::Assert || !action.guard.is_none()) continue;
    if (space.events.actions[2 * i + 1] != 0.0) continue;
    const std::string message = message_of(action, space);
    if (action.level == model::Action::Level::Warning) {
      if (!space.events.is_reported[i])
        space.events.warnings.push_back(fmt::format("at t = {:.10g}: {}", t, message));
      space.events.is_reported[i] = true;
      continue;
    }
    result = {.end = Settling::End::Violated, .message = message, .span = action.span};
    return true;
  }
  return false;
}

// What is done once for each time that a when-clause triggers. Whether y has changed.
bool ModelEvents::act(double t, std::span<double> y, Workspace& space, Settling& result) const {
  const std::vector<model::Action>& actions = model_.flat.actions;
  if (actions.empty()) return false;
  functions_.actions(space.symbols.data(), space.events.actions.data());
  bool has_changed = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const model::Action& action = actions[i];
    if (action.guard.is_none() || space.events.actions[2 * i] == 0.0) continue;
    const double value = space.events.actions[2 * i + 1];
    switch (action.kind) {
      case model::Action::Kind::Reinit: {
        if (state_of_[i] == y.size()) {  // with the states that the run has chosen meanwhile
          result = {
              .end = Settling::End::Undefined,
              .message = fmt::format(
                  "`{}` cannot be given a value: it is no state here, but follows from others",
                  model_.flat[action.target].name),
              .span = action.span};
          return has_changed;
        }
        y[state_of_[i]] = value;
        has_changed = true;
        break;
      }
      case model::Action::Kind::Assert:
        if (value != 0.0) break;
        if (action.level == model::Action::Level::Warning) {
          space.events.warnings.push_back(
              fmt::format("at t = {:.10g}: {}", t, message_of(action, space)));
          break;
        }
        result = {.end = Settling::End::Violated,
                  .message = message_of(action, space),
                  .span = action.span};
        return has_changed;
      case model::Action::Kind::Terminate:
        result = {.end = Settling::End::Terminated,
                  .message = message_of(action, space),
                  .span = action.span};
        break;
    }
  }
  return has_changed;
}

bool ModelEvents::has_changed(std::size_t held, const Workspace& space) const {
  return space.symbols[index(held_[held])] != space.events.before[held];
}

// Whether the model has a name for it.
bool ModelEvents::is_shown(std::size_t held) const {
  const model::Variable& variable = model_.flat[held_[held]];
  return !variable.is_hidden && variable.pre_of.is_none();
}

bool ModelEvents::is_triggered(const model::When& when, const Workspace& space) const {
  const VariableId memory = model_.flat[when.condition].pre;
  return !memory.is_none() && space.symbols[index(when.condition)] != 0.0 &&
         space.symbols[index(memory)] == 0.0;
}

Settling ModelEvents::settle(const system::Instant& at, std::span<double> y,
                             system::Scratch& scratch, std::vector<system::Change>* changes) const {
  Workspace& space = workspace(scratch);
  size(space);
  std::vector<double>& symbols = space.symbols;
  put_state(model_, at.t, y, space);
  space.events.before.resize(held_.size());
  for (std::size_t i = 0; i < held_.size(); ++i) space.events.before[i] = symbols[index(held_[i])];
  std::vector<double> y_before;
  if (changes != nullptr) y_before.assign(y.begin(), y.end());
  take_left_limits(at, y, space);
  toggle(at.crossed, space);
  bool ticks = tick(at.t, at.is_time_event, space);
  if (!model_.flat.terminal_flag.is_none())
    symbols[index(model_.flat.terminal_flag)] = at.is_end ? 1.0 : 0.0;

  const auto solve = [&] { return evaluate(at.t, y, space); };
  bool is_stale = true;
  Settling result;
  bool has_jumped = false, has_acted = false;
  std::vector<system::Change> circle;  // of when-clauses
  for (int iteration = 1;; ++iteration) {
    result.iterations = iteration;
    const Held held = find_held(at.t, space, solve, is_stale);
    if (held != Held::Found) return not_found(held, space);
    if (changes != nullptr) list_triggered(space, *changes);
    if (iteration > most_iterations - iterations_that_show_a_circle) list_triggered(space, circle);
    const int iterations = result.iterations;
    const bool jumps = act(at.t, y, space, result);
    result.iterations = iterations;
    if (result.end != Settling::End::Settled && result.end != Settling::End::Terminated)
      return result;
    has_jumped = has_jumped || jumps;
    if (jumps) put_state(model_, at.t, y, space);  // pre(x) of the next iteration is from here on
    has_acted = has_acted || std::ranges::any_of(model_.flat.whens, [&](const model::When& when) {
                  return is_triggered(when, space);
                });
    const Changed changed = remember(space);
    const bool has_ticked = std::exchange(ticks, false);
    if (has_ticked) tick(at.t, false, space);
    if (!jumps && !changed.any && !has_ticked) break;
    is_stale = jumps || changed.motion || has_ticked;
    if (iteration == most_iterations)
      return circle.empty() ? not_found(Held::Circles, space) : triggers_again(circle);
  }
  functions_.seen(symbols.data(), &space.events.any_is_seen);
  if (result.end == Settling::End::Settled && has_violation(at.t, space, result)) return result;
  bool is_new_motion = has_jumped, shows = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!has_changed(i, space)) continue;
    is_new_motion = is_new_motion || feeds_[index(held_[i])];
    shows = shows || is_shown(i);
  }
  result.is_new_motion = is_new_motion;
  result.is_quiet = !is_new_motion && !has_acted && !shows;
  if (changes != nullptr) {
    list_changes(space, *changes);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != y_before[i]) changes->push_back({system_.variable_name(i), y_before[i], y[i]});
    }
  }
  return result;
}

Settling ModelEvents::check(double t, std::span<const double> y, system::Scratch& scratch) const {
  if (!has_free_assertions_) return {};
  Workspace& space = workspace(scratch);
  size(space);
  if (system_.evaluate_all(t, y, scratch) == Evaluation::Undefined) return {};  // told elsewhere
  functions_.actions(space.symbols.data(), space.events.actions.data());
  Settling result;
  has_violation(t, space, result);
  return result;
}

std::optional<Settling> ModelEvents::begin(double t, Workspace& space, const Solve& solve) const {
  size(space);
  std::vector<double>& symbols = space.symbols;
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
  tick(t, false, space);
  update_switches(t, true, space);
  bool is_stale = true;
  const Held held = find_held(t, space, solve, is_stale);
  if (held == Held::Undefined) return std::nullopt;
  if (held == Held::Circles) return not_found(held, space);
  std::vector<double> y;
  for (const VariableId state : model_.states) y.push_back(symbols[index(state)]);
  Settling said;
  act(t, y, space, said);  // what `when initial()` does
  if (said.end != Settling::End::Settled) return said;
  remember(space);
  if (!model_.flat.initial_flag.is_none()) symbols[index(model_.flat.initial_flag)] = 0.0;
  return settle({.t = t, .is_time_event = true}, y, space, nullptr);
}

bool ModelEvents::hold_switches(double t, std::span<const double> y, Workspace& space) const {
  size(space);
  for (int search = 0; search < most_searches; ++search) {
    const bool is_solved = evaluate(t, y, space);
    if (!update_switches(t, search < searches_at_once, space).any) return is_solved;
  }
  return false;
}

std::unique_ptr<system::Scratch> ModelEvents::copy_scratch(const system::Scratch& scratch) const {
  return std::make_unique<Workspace>(workspace(scratch));
}

void ModelEvents::copy_held(const system::Scratch& from, system::Scratch& to) const {
  const Workspace& source = workspace(from);
  Workspace& target = workspace(to);
  for (const VariableId id : held_) target.symbols[index(id)] = source.symbols[index(id)];
  target.events.next_switch = source.events.next_switch;
  target.events.any_is_seen = source.events.any_is_seen;
  target.events.watches_all = source.events.watches_all;
}

bool ModelEvents::holds_same(std::size_t indicator, const system::Scratch& one,
                             const system::Scratch& other) const {
  const std::size_t symbol = index(model_.discrete.switches[margin_of_[indicator]].symbol);
  return workspace(one).symbols[symbol] == workspace(other).symbols[symbol];
}

}  // namespace daedalus::codegen
