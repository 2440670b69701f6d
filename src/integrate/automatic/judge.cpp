#include "integrate/automatic/judge.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace daedalus::integrate {

using solution::SwitchReason;

namespace {

// Implicit steps in the time of all steps of an explicit method at its limit of stability: with so
// many, an implicit method is likely to need far fewer.
constexpr double many_steps = 20.0;

// And those that it needs at least, with the making of it, before the end of a run.
constexpr double least_steps = 8.0;

constexpr double edge = 0.75;            // of the limit of stability: there steps stop growing
constexpr double share_of_limit = 0.8;   // that a step has at most, to be well inside
constexpr double clearly = 0.85;         // faster
constexpr std::size_t edge_steps = 6;    // that show that stability limits an explicit method
constexpr std::size_t few = 10;          // steps from an event to the next one
constexpr std::size_t inside_steps = 6;  // in a row, that show the contrary
constexpr double fast_growth = 2.0;      // of a step over the one before
constexpr std::size_t trial = 7;         // steps of an implicit method after its first ones
constexpr double in_vain = 1.2;          // as slow, then
constexpr std::size_t more_patience = 4, most_patience = 1024;
constexpr std::size_t settled = 30;     // steps after that when a change has not been in vain
constexpr std::size_t most_apart = 16;  // steps from a look at the eigenvalues to the next one

}  // namespace

bool Judge::starts_stiff(double length, double lambda) const {
  const double explicit_steps = length * lambda / stability_limit_;
  return explicit_steps * costs_.nonstiff > many_steps * costs_.stiff;
}

bool Judge::may_pay(double left, double h) const {
  return left / h * costs_.nonstiff > least_steps * costs_.stiff;
}

void Judge::start() {
  patience_ = 1;
  edge_step_ = 0.0;
  changed();
}

void Judge::changed() {
  steps_ = at_the_edge_ = well_inside_ = last_judged_ = 0;
  since_event_ = few;
  missed_ = last_step_ = 0.0;
  last_look_ = 0;
  next_look_ = 1;
}

std::optional<SwitchReason> Judge::after_explicit(double stiffness, bool was_limited, double h) {
  ++steps_;
  const bool is_soon_after_event = since_event_++ < few;
  if (was_limited || stiffness > edge * stability_limit_) {
    well_inside_ = 0;
    if (!is_soon_after_event) ++at_the_edge_;
  } else if (++well_inside_ >= inside_steps) {
    at_the_edge_ = 0;
  }
  if (at_the_edge_ < edge_steps * patience_) return std::nullopt;
  edge_step_ = h;
  return SwitchReason::Stability;
}

std::optional<SwitchReason> Judge::on_trial(double h, double lambda) {
  ++steps_;
  const std::size_t compared = trial + static_cast<std::size_t>(costs_.first_steps);
  if (steps_ == compared + settled) patience_ = 1;
  const bool is_on_trial = steps_ == compared && edge_step_ > 0.0;
  const double explicit_h = std::min(edge_step_, longest_stable_step(lambda));
  if (!is_on_trial || costs_.stiff / h <= in_vain * costs_.nonstiff / explicit_h)
    return std::nullopt;
  patience_ = std::min(most_patience, more_patience * patience_);
  edge_step_ = 0.0;
  return SwitchReason::Cost;
}

// A change that is taken back soon costs about as much as the explicit steps that show that it was
// wrong, and the first steps of the method that returns. So it takes place when about as much has
// been missed by waiting for it.
std::optional<SwitchReason> Judge::after_implicit(double h, double lambda) {
  // Steps that grow so fast are far shorter than any method would like.
  const bool grows = h > fast_growth * std::exchange(last_step_, h);
  const double saved = saved_by_explicit(h, lambda);
  const auto steps = static_cast<double>(steps_ - std::exchange(last_judged_, steps_));
  if (saved > 0.0 && grows) return std::nullopt;
  missed_ = saved > 0.0 ? missed_ + steps * saved : 0.0;
  const double price =
      costs_.first_steps + edge_steps * costs_.nonstiff / costs_.stiff + preparation_;
  if (missed_ < price) {
    if (missed_ > 0.0) next_look_ = std::min(next_look_, steps_ + steps_until_look(price));
    return std::nullopt;
  }
  edge_step_ = 0.0;
  return SwitchReason::Accuracy;
}

// A step saves at most one.
std::size_t Judge::steps_until_look(double price) const {
  constexpr double looks = 4.0;  // until the price may have been missed
  return static_cast<std::size_t>(
      std::clamp((price - missed_) / looks, 1.0, static_cast<double>(most_apart)));
}

double Judge::longest_stable_step(double lambda) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return lambda > 0.0 ? share_of_limit * stability_limit_ / lambda : infinite;
}

// In implicit steps, for each of them; 0 where the explicit method is not clearly faster.
double Judge::saved_by_explicit(double h, double lambda) const {
  const double explicit_h = std::min(h / costs_.relative_length, longest_stable_step(lambda));
  const double share = costs_.nonstiff / costs_.stiff * h / explicit_h;
  return share < clearly ? 1.0 - share : 0.0;
}

bool Judge::is_look_due() const { return steps_ >= next_look_; }

void Judge::looked(std::size_t apart) {
  last_look_ = steps_;
  if (steps_ >= next_look_) next_look_ = steps_ + std::clamp<std::size_t>(steps_, 1, apart);
}

}  // namespace daedalus::integrate
