// The layout in system::Held of what a model holds between events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daedalus/structure/structured.hpp"
#include "daedalus/system/held.hpp"

namespace daedalus::runtime {

// What is known about the next events of a model, and which of its warnings were given.
struct EventState {
  double next_switch;             // when the next one that depends on time alone changes
  double start;                   // of the run, until the run has gone on from there; then NaN
  double any_is_seen;             // of the switches that depend on more than time: 0 if none is
  double watches_all;             // not 0: all switches are watched, not only those that are seen
  std::span<double> next_ticks;   // of the clocks: their numbers
  std::span<double> is_reported;  // by action: not 0 where its warning was given
};

// The memories of the model and the state of its events, where it has any; then the tearing
// variables of nonlinear loops. All but these have the same places for all choices of states of one
// model.
class HeldLayout {
 public:
  explicit HeldLayout(const structure::StructuredModel& model);

  // At the end stand the last two times of the guesses that are followed.
  std::size_t size() const { return first_before_ + followed_ + (followed_ > 0 ? 2 : 0); }
  bool has_events() const { return first_guess_ > 0; }

  double next_switch(const system::Held& held) const { return held[symbols_.size()]; }
  double start(const system::Held& held) const { return held[symbols_.size() + 1]; }
  double any_is_seen(const system::Held& held) const { return held[symbols_.size() + 2]; }
  double watches_all(const system::Held& held) const { return held[symbols_.size() + 3]; }
  double next_tick(std::size_t clock, const system::Held& held) const {
    return held[symbols_.size() + scalars + clock];
  }
  void watch_all(system::Held& held) const { held.change()[symbols_.size() + 3] = 1.0; }

  std::span<const std::uint32_t> symbols() const { return symbols_; }
  // The place of a memory; by bisection.
  std::size_t place_of(std::uint32_t symbol) const;

  // From Held to symbols and `state`, and back.
  void load(const system::Held& held, std::span<double> symbols, EventState& state) const;
  void store(std::span<const double> symbols, const EventState& state, system::Held& held) const;

  // Tearing variables: those that the derivatives depend on come first.
  std::span<const std::uint32_t> guesses() const { return guesses_; }
  std::span<const std::uint32_t> followed() const { return std::span(guesses_).first(followed_); }
  // From Held to symbols: the memories and the last guesses.
  void show(const system::Held& held, std::span<double> symbols) const;
  // As they should be at t: those that are followed are extrapolated from the last two steps, but
  // not so far that a solution of the other sign, or twice as large, would be just as close.
  void load_guesses(const system::Held& held, double t, std::span<double> symbols) const;
  // Whether these differ from the last ones.
  bool looks_ahead(const system::Held& held, double t) const { return way_ahead(held, t) > 0.0; }
  void load_last_guesses(const system::Held& held, std::span<double> symbols) const;
  // Those that are followed, at the start of another step.
  void hold_guesses(double t, std::span<const double> found, system::Held& held) const;
  // All; nothing is known about earlier ones.
  void hold_guesses_among(std::span<const double> symbols, system::Held& held) const;
  // Those that the derivatives do not depend on.
  void hold_other_guesses(std::span<const double> symbols, system::Held& held) const;
  void copy_other_guesses(const system::Held& from, system::Held& to) const;

  // For the same model with other states, whose loops may have other tearing variables.
  system::Held adopt(const system::Held& other, std::span<const double> symbols) const;

 private:
  // How far to extrapolate, in units of the step before; 0: there is none.
  double way_ahead(const system::Held& held, double t) const;
  void load_symbols(const system::Held& held, std::span<double> symbols) const;
  void hold_all_guesses(std::span<const double> symbols, std::span<double> numbers) const;
  void forget_before(double t, std::span<double> numbers) const;

  static constexpr std::size_t scalars = 4;

  std::vector<std::uint32_t> symbols_;  // memories
  std::size_t clocks_ = 0, actions_ = 0;
  std::size_t first_guess_ = 0;
  std::vector<std::uint32_t> guesses_;
  std::size_t followed_ = 0;
  std::size_t first_before_ = 0;  // of those that are followed, at the start of the step before
};

}  // namespace daedalus::runtime
