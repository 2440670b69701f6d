// The events of a compiled model.
#pragma once

#include <cmath>
#include <limits>

#include "daedalus/expr/cyclic.hpp"
#include "daedalus/runtime/model_system.hpp"
#include "daedalus/structure/event_flow.hpp"
#include "daedalus/system/events.hpp"
#include "runtime/sequence.hpp"
#include "runtime/workspace.hpp"

namespace daedalus::runtime {

// The kernels of structure::EventKernels.
struct EventFunctions {
  KernelFunction margins, seen_margins, values, time_forms, assignments, actions, seen, seen_forms,
      search;
};

class ModelEvents final : public system::Events {
 public:
  // All arguments but the functions live longer.
  ModelEvents(const ModelSystem& system, const structure::StructuredModel& model,
              const HeldLayout& layout, EventFunctions functions, std::vector<SequenceStep> joint);

  std::size_t indicator_count() const override { return margin_of_.size(); }
  system::Evaluation indicators(double t, std::span<const double> y, std::span<double> margins,
                                const system::Context& context) const override;
  void watch_all(system::Held& held) const override { layout_.watch_all(held); }
  bool is_idle(const system::Held& held) const override {
    return layout_.watches_all(held) == 0.0 && layout_.any_is_seen(held) == 0.0;
  }
  system::EventSource indicator_source(std::size_t i) const override;
  double next_time_event(double t, const system::Held& held) const override;
  // The clocks, then the switches that depend on time alone.
  std::size_t time_source_count() const override { return clocks_.size() + by_time_.size(); }
  system::EventSource time_source(std::size_t i) const override;
  system::Settling settle(const system::Instant& at, std::span<double> y, system::Held& held,
                          system::Scratch& scratch, system::Report* report) const override;
  system::Settling check(double t, std::span<const double> y, system::Held& held,
                         system::Scratch& scratch) const override;
  double watched_value(std::size_t indicator, const system::Held& held) const override;

  // At the start `solve` finds the variables from the held values. If it finds none, that is left
  // to the caller; otherwise the held values agree with them, and with those from before the start.
  using Solve = std::function<bool()>;
  std::optional<system::Settling> begin(double t, Workspace& space, const Solve& solve) const;

  // Finds the values of the switches at a point, given the discrete variables and memories. Returns
  // whether there are such values.
  bool hold_switches(double t, std::span<const double> y, system::Held& held,
                     Workspace& space) const;

 private:
  struct Symbol {  // whose value is held between events
    std::uint32_t place = 0;
    bool is_real = false;
    bool feeds = false;         // the dynamics depend on it
    bool feeds_search = false;  // the results of searches at events can depend on it
    bool is_shown = false;      // it has a name in the model

    // The largest magnitude of its values.
    double largest = std::numeric_limits<double>::max();

    bool can_be(double value) const { return std::abs(value) <= largest; }  // not NaN
  };
  struct Past {  // a symbol for the previous value of another one
    std::uint32_t place = 0;
    std::uint32_t of = 0;
    double sign = 1.0;
    bool is_discrete = true;
    bool feeds = false;
  };
  struct Clock {  // of sample()
    double start, interval;
    structure::VariableId variable;

    double time_of(double number) const { return start + number * interval; }
    double first_tick_after(double t, double number) const;  // its number, at least this one
  };

  void size(Workspace& space) const;
  void start_clocks(double t, Workspace& space) const;
  bool tick(double t, bool is_time_event, Workspace& space) const;
  void toggle(std::span<const std::size_t> crossed, Workspace& space) const;
  // The changes made by an update.
  struct Changed {
    bool any = false;
    bool motion = false;  // the variables have to be found again
    bool search = false;  // and perhaps other switches or discrete variables
    void add(const Symbol& symbol);
  };
  static void put(const Symbol& symbol, double value, Workspace& space, Changed& changed);
  Changed find_at_once(Workspace& space) const;
  Changed find_by_kinds(double t, bool all, Workspace& space) const;
  Changed update_switches(double t, bool all, Workspace& space) const;
  void update_time_switches(double t, Workspace& space, Changed& changed) const;
  void update_discrete(Workspace& space, Changed& changed) const;
  bool evaluate(double t, std::span<const double> y, Workspace& space) const;
  bool evaluate_joint(double t, std::span<const double> y, Workspace& space) const;
  void find_solutions(double t, std::span<const double> y, const system::Held& held,
                      Workspace& space) const;
  system::Settling settle_in(const system::Instant& at, std::span<double> y, Workspace& space,
                             system::Report* report) const;
  system::Settling settle_after_start(const system::Instant& at, std::span<double> y,
                                      Workspace& space, system::Report* report) const;
  system::Settling settle_and_report(const system::Instant& at, std::span<double> y,
                                     Workspace& space, system::Report& report) const;
  bool begin_event(const system::Instant& at, std::span<const double> y, Workspace& space) const;
  struct Rounds;
  bool goes_on_and_on(const Workspace& space, std::optional<Rounds>& rounds) const;
  system::Settling settle_at(const system::Instant& at, std::span<double> y, Workspace& space,
                             system::Report* report) const;

  // The search for held values: quickly, then with care (held_search.cpp).
  enum class Found {
    All,
    Undefined,  // the equations have no solution
    Circles,    // values go round in a cycle
    NotFinite,  // a discrete variable is not finite, or an Integer is too large
    Open,       // the equations do not determine a discrete variable
    Untold,     // a relation compares NaN
  };
  template <class Solver>
  Found find_held(double t, Workspace& space, const Solver& solve, bool& is_stale) const;
  Found judged(Workspace& space) const;
  struct Search;
  Found find_slowly(double t, Workspace& space, const Solve& solve, bool is_solved,
                    bool& is_stale) const;
  Found find_with_care(Search search, bool& is_stale) const;
  void change_in_order(Search& search) const;
  bool change_first(Search& search) const;
  void update_discrete_with_care(Search& search, Changed& changed) const;
  bool is_wrong(std::size_t i, const Search& search) const;
  void find_roundings(Search& search) const;
  Found try_modes(Search& search) const;
  bool try_modes_of(Search& search, std::vector<std::uint32_t>& doubtful) const;
  void doubt_more(Search& search, std::vector<std::uint32_t>& doubtful) const;
  bool try_mode(Search& search, std::span<const double> mode) const;
  std::vector<std::uint32_t> switches_in_doubt(const Search& search) const;
  std::vector<double> mode_of_start_values() const;

  void take_left_limits(const system::Instant& at, std::span<const double> y,
                        Workspace& space) const;
  Changed remember(Workspace& space) const;
  void count_changes(const Workspace& space, std::vector<int>& changes) const;  // to be remembered
  bool act(double t, std::span<double> y, Workspace& space, system::Settling& result) const;
  bool has_violation(double t, Workspace& space, system::Settling& result) const;
  bool holds_switches(double t, std::span<const double> y, Workspace& space) const;
  std::string message_of(const model::Action& action, const Workspace& space) const;
  const structure::Switch* untold_switch(Workspace& space) const;
  system::Settling not_found(Found held, Workspace& space) const;
  system::Settling not_defined(Workspace& space) const;
  const model::Equation& equation_for(std::size_t symbol) const;
  system::Settling goes_round(Workspace& space) const;
  system::Settling set_twice(std::size_t action, double first, double second) const;
  system::Settling untold(Workspace& space) const;
  system::Settling undefined(const model::Action& action, const Workspace& space) const;
  system::Settling triggers_again(std::span<const system::Change> circle) const;
  struct Observation {
    bool feeds = false;  // the dynamics depend on a value that has changed
    bool shows = false;  // the model has a name for it
  };
  void keep_observed(Workspace& space) const;  // at the start of the event
  Observation compare_observed(const Workspace& space) const;
  bool is_triggered(std::size_t when, const Workspace& space) const;
  bool any_is_triggered(const Workspace& space) const;
  void list_triggered(const Workspace& space, std::vector<system::Change>& changes) const;
  void name_whens();
  void list_symbols();
  std::string text_of(expr::ExprId id) const;
  void list_changes(const Workspace& space, std::vector<system::Change>& changes) const;
  void list_ticks(const Workspace& space, std::vector<std::size_t>& sources) const;
  std::vector<double> time_values(const Workspace& space) const;  // of switches
  void list_time_changes(const Workspace& space, std::span<const double> before,
                         std::vector<std::size_t>& sources) const;

  const ModelSystem& system_;
  const structure::StructuredModel& model_;
  const HeldLayout& layout_;
  EventFunctions functions_;
  std::vector<SequenceStep> joint_;                  // where discrete Reals are in loops
  std::vector<expr::CyclicEquations> loops_;         // of Integers and Booleans
  std::vector<structure::VariableId> loop_targets_;  // loop by loop
  std::vector<std::uint32_t> margin_of_;             // by indicator: its switch
  std::vector<std::uint32_t> by_time_;               // switches that only time moves
  std::vector<std::size_t> state_of_;                // set by the action; by action
  expr::Names names_;                                // of all symbols
  std::vector<std::string> when_names_;              // "when h < 0"; by condition of a when-clause
  std::vector<Clock> clocks_;
  std::vector<Symbol> time_switches_, state_switches_;  // that only time moves, and the others
  std::vector<std::uint32_t> state_numbers_;            // of the others, among all switches
  std::vector<bool> is_strict_;                         // of those that only time moves: not >=
  std::vector<Symbol> targets_;                         // of assignments
  std::vector<Symbol> computed_;                        // of these, those not solved for
  std::vector<Symbol> numbers_;                         // of the targets, all but Booleans
  std::vector<std::uint32_t> found_places_;             // of all of these, in order
  std::vector<structure::VariableId> held_;             // all memories
  std::vector<Symbol> observed_;                        // of these, seen by dynamics or users
  std::vector<Past> pasts_;                             // in the order of the model's memories
  std::vector<std::pair<std::size_t, std::size_t>> when_symbols_;  // condition and its memory, or 0
  std::vector<std::size_t> free_assertions_;                       // those outside when-clauses
  structure::EventFlow flow_;
  bool has_left_limits_ = false;
  bool finds_at_once_ = false;            // with one kernel for everything
  bool can_fail_between_events_ = false;  // a free assertion
};

}  // namespace daedalus::runtime
