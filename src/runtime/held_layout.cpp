#include "runtime/held_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/base/check.hpp"

namespace daedalus::runtime {

using system::Held;

namespace {

// Between numbers in a row and their places among the symbols. This happens at every event.
inline double* gather(std::span<const std::uint32_t> places, std::span<const double> symbols,
                      double* numbers) {
  const double* const from = symbols.data();
  for (const std::uint32_t place : places) *numbers++ = from[place];
  return numbers;
}
inline void scatter(std::span<const std::uint32_t> places, const double* numbers,
                    std::span<double> symbols) {
  double* const to = symbols.data();
  for (const std::uint32_t place : places) to[place] = *numbers++;
}

}  // namespace

HeldLayout::HeldLayout(const structure::StructuredModel& model) {
  if (!model.discrete.is_empty(model.flat)) {
    for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
      if (model.flat.variables[i].is_memory) symbols_.push_back(static_cast<std::uint32_t>(i));
    }
    clocks_ = model.flat.samplers.size();
    actions_ = model.flat.actions.size();
    first_guess_ = symbols_.size() + scalars + clocks_ + actions_;
  }
  const auto add = [&](const structure::SortedSystem& sorted, auto&& is_wanted) {
    for (const structure::Block& block : sorted.blocks) {
      if (block.linear || !is_wanted(block)) continue;
      for (const structure::VariableId id : block.tearing) {
        if (!model.flat.is_memory(id)) guesses_.push_back(static_cast<std::uint32_t>(index(id)));
      }
    }
  };
  add(model.dynamics, [](const structure::Block& block) { return block.feeds_derivatives; });
  followed_ = guesses_.size();
  add(model.dynamics, [](const structure::Block& block) { return !block.feeds_derivatives; });
  if (model.discrete.joint)
    add(*model.discrete.joint, [](const structure::Block&) { return true; });
  first_before_ = first_guess_ + guesses_.size();
}

std::size_t HeldLayout::place_of(std::uint32_t symbol) const {
  const auto place = std::ranges::lower_bound(symbols_, symbol);
  DAEDALUS_CHECK(place != symbols_.end() && *place == symbol);
  return static_cast<std::size_t>(place - symbols_.begin());
}

inline void HeldLayout::load_symbols(const Held& held, std::span<double> symbols) const {
  DAEDALUS_CHECK(held.numbers().size() == size());
  scatter(symbols_, held.numbers().data(), symbols);
}

void HeldLayout::load_last_guesses(const Held& held, std::span<double> symbols) const {
  scatter(guesses_, held.numbers().data() + first_guess_, symbols);
}

void HeldLayout::show(const Held& held, std::span<double> symbols) const {
  load_symbols(held, symbols);
  scatter(guesses_, held.numbers().data() + first_guess_, symbols);
}

void HeldLayout::load(const Held& held, std::span<double> symbols, EventState& state) const {
  load_symbols(held, symbols);
  if (!has_events()) return;
  state.next_switch = next_switch(held);
  state.start = start(held);
  state.any_is_seen = any_is_seen(held);
  state.watches_all = watches_all(held);
  const double* place = held.numbers().data() + symbols_.size() + scalars;
  for (double& tick : state.next_ticks) tick = *place++;
  for (double& is_reported : state.is_reported) is_reported = *place++;
}

void HeldLayout::store(std::span<const double> symbols, const EventState& state, Held& held) const {
  const std::span<double> numbers = held.change();
  if (has_events()) {
    double* place = gather(symbols_, symbols, numbers.data());
    *place++ = state.next_switch;
    *place++ = state.start;
    *place++ = state.any_is_seen;
    *place++ = state.watches_all;
    for (const double tick : state.next_ticks) *place++ = tick;
    for (const double is_reported : state.is_reported) *place++ = is_reported;
  }
  hold_all_guesses(symbols, numbers);
}

inline void HeldLayout::hold_all_guesses(std::span<const double> symbols,
                                         std::span<double> numbers) const {
  if (guesses_.empty()) return;
  gather(guesses_, symbols, numbers.data() + first_guess_);
  forget_before(symbols[index(model::FlatModel::time)], numbers);
}

void HeldLayout::forget_before(double t, std::span<double> numbers) const {
  if (followed_ == 0) return;
  numbers[first_before_ + followed_] = t;
  numbers[first_before_ + followed_ + 1] = std::numeric_limits<double>::quiet_NaN();
}

double HeldLayout::way_ahead(const Held& held, double t) const {
  constexpr double farthest = 2.0;
  if (followed_ == 0) return 0.0;
  const double last = held[first_before_ + followed_], before = held[first_before_ + followed_ + 1];
  const double share = (t - last) / (last - before);
  return share > 0.0 ? std::min(share, farthest) : 0.0;
}

void HeldLayout::load_guesses(const Held& held, double t, std::span<double> symbols) const {
  constexpr double most_change = 0.5;
  load_last_guesses(held, symbols);
  const double ahead = way_ahead(held, t);
  if (ahead == 0.0) return;
  for (std::size_t k = 0; k < followed_; ++k) {
    const double now = held[first_guess_ + k], limit = most_change * std::abs(now);
    symbols[guesses_[k]] = now + std::clamp(ahead * (now - held[first_before_ + k]), -limit, limit);
  }
}

void HeldLayout::hold_guesses(double t, std::span<const double> found, Held& held) const {
  const std::span<double> numbers = held.change();
  const std::span<double> now = numbers.subspan(first_guess_, followed_);
  std::ranges::copy(now, numbers.subspan(first_before_).begin());
  std::ranges::copy(found, now.begin());
  double& last = numbers[first_before_ + followed_];
  numbers[first_before_ + followed_ + 1] = last;
  last = t;
}

void HeldLayout::hold_guesses_among(std::span<const double> symbols, Held& held) const {
  if (!guesses_.empty()) hold_all_guesses(symbols, held.change());
}

void HeldLayout::hold_other_guesses(std::span<const double> symbols, Held& held) const {
  gather(std::span(guesses_).subspan(followed_), symbols,
         held.change().data() + first_guess_ + followed_);
}

void HeldLayout::copy_other_guesses(const Held& from, Held& to) const {
  const std::size_t count = guesses_.size() - followed_;
  if (count == 0) return;
  std::ranges::copy(from.numbers().subspan(first_guess_ + followed_, count),
                    to.change().subspan(first_guess_ + followed_).begin());
}

Held HeldLayout::adopt(const Held& other, std::span<const double> symbols) const {
  std::vector<double> numbers(size());
  std::ranges::copy(other.numbers().first(first_guess_), numbers.begin());
  hold_all_guesses(symbols, numbers);
  return Held(std::move(numbers));
}

}  // namespace daedalus::runtime
