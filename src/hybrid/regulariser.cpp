#include "hybrid/regulariser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedalus::hybrid {
namespace {

using solution::Passage;
using system::Settling;

// Distances of a rest from its event, in units of the tolerances.
constexpr double clearances[] = {0.1, 1e-3, 1e-5, 1e-7};
constexpr double far = 10.0;                  // from a surface, in the same units
constexpr double unseen = 1e-3;               // flight of something at rest, in the same units
constexpr double acts_directly = 1e-3;        // effect of a push on an indicator, in the same units
constexpr std::size_t most_stretches = 1000;  // that are reported one by one

// A push of this size or smaller is only rounding.
constexpr double weakest = 1e-10;

// y + share * step
std::vector<double> moved(std::span<const double> y, double share, const Normal& normal) {
  std::vector<double> point(y.begin(), y.end());
  for (std::size_t k = 0; k < point.size(); ++k) point[k] += share * normal.step[k];
  return point;
}

// Whether `held` can be settled at a point without a jump of y.
bool settles(const Subject& subject, double t, std::span<const double> y, system::Held& held) {
  std::vector<double> point(y.begin(), y.end());
  const Settling settling = subject.events.settle({.t = t}, point, held, subject.scratch, nullptr);
  return settling.end == Settling::End::Settled && std::ranges::equal(point, y);
}

}  // namespace

std::unique_ptr<Constrained> Regulariser::form(double t, std::span<double> y,
                                               const Suspicion* suspicion) {
  refusal_.clear();
  is_last_new_ = false;
  drop_what_events_set_in_motion(t, y);
  if (suspicion != nullptr) is_last_new_ = suspect(*suspicion, t, y);
  if (!refusal_.empty()) return nullptr;
  while (!kept_.empty()) {
    Draft found = draft(t, y);
    const std::optional<Violation> violation =
        found.motion ? find_violation(found, t, y) : std::nullopt;
    if (found.motion && !violation) {
      if (begin(*found.motion, t, y)) return std::move(found.motion);
      found = {.unfit = kept_.size() - 1, .why = "the motion on it is not determined"};
    }
    const bool is_new =
        is_last_new_ && (violation ? violation->constraint : found.unfit) + 1 == kept_.size();
    if (!violation && is_new) {
      refusal_ = found.why;
      kept_.pop_back();
      return nullptr;
    }
    if (violation && violation->is_beyond)
      subject_.held = found.motion->side_of(violation->constraint);
    drop(violation ? violation->constraint : found.unfit, t);
  }
  return nullptr;
}

void Regulariser::drop_what_events_set_in_motion(double t, std::span<const double> y) {
  for (std::size_t i = kept_.size(); i-- > 0;) {
    if (is_set_in_motion(kept_[i], t, y)) drop(i, t);
  }
}

bool Regulariser::is_set_in_motion(const Constraint& constraint, double t,
                                   std::span<const double> y) const {
  const std::optional<Normal> normal = normal_of(subject_, constraint.indicator, t, y);
  if (!normal) return true;
  const double off = std::abs(normal->margin) - std::abs(constraint.target);
  if (std::abs(off) > far * normal->change) return true;
  if (!constraint.is_rest) return false;
  return !(Constrained(subject_, {constraint}, {}).flight(0, t, y) <= unseen * normal->change);
}

// Returns whether it has added a constraint for the suspicion.
bool Regulariser::suspect(const Suspicion& suspicion, double t, std::span<double> y) {
  const bool jumps = std::ranges::any_of(suspicion.jump, [](double jump) { return jump != 0.0; });
  if (subject_.system.form() != system::Form::Explicit) {
    refusal_ = "that is known only for systems y' = f(t, y)";
  } else if (jumps && subject_.options.zeno == Zeno::Stop) {
    refusal_ = "its events change states, and --zeno regularize was not asked for";
  } else if (!jumps && suspicion.is_accumulation) {
    refusal_ = "its events change no state, so that no force is known which could hold it";
  } else if (!jumps && subject_.options.chattering == Chattering::Stop) {
    refusal_ = "--chattering sliding was not asked for";
  }
  if (!refusal_.empty()) return false;
  const auto same = std::ranges::find(kept_, suspicion.indicator, &Constraint::indicator);
  if (same != kept_.end()) drop(static_cast<std::size_t>(same - kept_.begin()), t);
  if (jumps) return add_rest(suspicion, t, y);
  kept_.push_back({.indicator = suspicion.indicator, .begin = t});
  return true;
}

// The events threw y in a direction. A force in this direction holds what they kept from falling,
// slightly on the side from which they are triggered, so that a push does trigger them.
bool Regulariser::add_rest(const Suspicion& suspicion, double t, std::span<double> y) {
  Constraint rest{.indicator = suspicion.indicator,
                  .is_rest = true,
                  .direction = suspicion.jump,
                  .limit = suspicion.limit,
                  .begin = t};
  double largest = 0.0;
  for (const double jump : rest.direction) largest = std::max(largest, std::abs(jump));
  for (double& jump : rest.direction) jump /= largest;
  const std::optional<Normal> normal = normal_of(subject_, rest.indicator, t, y);
  if (!normal) {
    refusal_ = "it does not depend on the states there";
    return false;
  }
  const auto push = [&] { return Constrained(subject_, {rest}, {}).effect(0, t, y).value_or(0.0); };
  double effect = push();
  const double allowed = subject_.tolerance_along(y, rest.direction);
  if (!(std::abs(effect) * allowed > acts_directly * normal->change)) {
    rest.degree = 2;
    effect = push();
  }
  if (!(std::abs(effect) > weakest)) {
    refusal_ = "its events change states that do not move it";
    return false;
  }
  if (!clear(std::copysign(normal->change, effect), *normal, t, y)) {
    refusal_ = "other events lie too near beside its own";
    return false;
  }
  const std::optional<Normal> beside = normal_of(subject_, rest.indicator, t, y);
  rest.target = beside ? beside->margin : 0.0;
  kept_.push_back(std::move(rest));
  return true;
}

// Moves y off the surface by a share of the tolerances, to where there is no other event.
bool Regulariser::clear(double margin, const Normal& normal, double t, std::span<double> y) {
  for (const double share : clearances) {
    const std::vector<double> point =
        moved(y, (share * margin - normal.margin) / normal.change, normal);
    system::Held there = subject_.held;
    if (!settles(subject_, t, point, there)) continue;
    subject_.held = std::move(there);
    std::ranges::copy(point, y.begin());
    return true;
  }
  return false;
}

// The sides of all relations that slide lie around the point: the run holds what is right on the
// first side of all of them, and each further side is the other one of a single relation.
Regulariser::Draft Regulariser::draft(double t, std::span<const double> y) const {
  std::vector<Normal> normals;
  std::vector<std::size_t> sliding;
  std::vector<double> first(y.begin(), y.end());
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i].is_rest) continue;
    std::optional<Normal> normal = normal_of(subject_, kept_[i].indicator, t, y);
    if (!normal) return {.unfit = i, .why = "it does not depend on the states there"};
    first = moved(first, 1.0 - normal->margin / normal->change, *normal);
    normals.push_back(std::move(*normal));
    sliding.push_back(i);
  }
  std::vector<system::Held> sides;
  if (!sliding.empty()) {
    const std::string why = find_sides(t, first, normals, sliding, sides);
    if (!why.empty()) {
      const std::size_t at = std::min(sides.size(), sliding.size() - 1);
      return {.unfit = sliding[at], .why = why};
    }
  }
  return {.motion = motion_between(std::move(sides))};
}

// Returns why there are none; empty: they were found.
std::string Regulariser::find_sides(double t, std::span<const double> first,
                                    std::span<const Normal> normals,
                                    std::span<const std::size_t> sliding,
                                    std::vector<system::Held>& sides) const {
  const system::Events& events = subject_.events;
  if (!events.holds_values())
    return "what the system holds lies in its functions, which cannot hold both sides at once";
  system::Held front = subject_.held;
  if (!settles(subject_, t, first, front)) return "its events change states";
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    system::Held back = front;
    if (!settles(subject_, t, moved(first, -2.0, normals[i]), back))
      return "its events change states";
    const std::size_t indicator = kept_[sliding[i]].indicator;
    if (events.watched_value(indicator, front) == events.watched_value(indicator, back))
      return "it is the same on both sides";
    sides.push_back(std::move(back));
  }
  subject_.held = std::move(front);
  return {};
}

// A surface that both sides push away from is left, too. Without factors the draft has no motion.
std::optional<Regulariser::Violation> Regulariser::find_violation(Draft& draft, double t,
                                                                  std::span<const double> y) const {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const double effect = draft.motion->effect(i, t, y).value_or(0.0);
    if (!(std::abs(effect) > 0.0)) {
      draft = {.unfit = i, .why = "the motion is the same on both sides"};
      return std::nullopt;
    }
    if (!kept_[i].is_rest && effect < 0.0) return Violation{.constraint = i};
  }
  const std::optional<std::span<const double>> factors = draft.motion->factors(t, y);
  if (!factors) {
    draft = {.unfit = kept_.size() - 1, .why = "the motion on it is not determined"};
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const double factor = (*factors)[i];
    if (factor < 0.0) return Violation{.constraint = i};
    if (!kept_[i].is_rest && factor > 1.0) return Violation{.constraint = i, .is_beyond = true};
  }
  return std::nullopt;
}

// Moves y onto the surfaces, and stops what is to rest.
bool Regulariser::begin(Constrained& motion, double t, std::span<double> y) {
  for (const Constraint& constraint : kept_) {
    if (constraint.is_rest) continue;
    const std::optional<Normal> normal = normal_of(subject_, constraint.indicator, t, y);
    if (!normal) return false;
    std::ranges::copy(moved(y, -normal->margin / normal->change, *normal), y.begin());
  }
  if (std::ranges::any_of(kept_, &Constraint::is_rest) && !motion.stop(t, y)) return false;
  if (!is_last_new_) return true;
  const Constraint& newest = kept_.back();
  ++(newest.is_rest ? stretches_.statistics.events.rests : stretches_.statistics.events.slidings);
  note(newest.is_rest ? Passage::RestBegins : Passage::SlidingBegins, newest, t);
  return true;
}

void Regulariser::drop(std::size_t constraint, double t) {
  const bool is_new = is_last_new_ && constraint + 1 == kept_.size();
  const Constraint& dropped = kept_[constraint];
  if (is_new) {
    is_last_new_ = false;
  } else {
    if (stretches_.passed.size() < most_stretches)
      stretches_.passed.push_back({dropped.indicator, dropped.is_rest, dropped.begin, t});
    note(dropped.is_rest ? Passage::RestEnds : Passage::SlidingEnds, dropped, t);
  }
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(constraint));
}

void Regulariser::close(double t) {
  for (const Constraint& constraint : kept_) {
    if (stretches_.passed.size() < most_stretches)
      stretches_.passed.push_back({constraint.indicator, constraint.is_rest, constraint.begin, t});
  }
  kept_.clear();
}

bool Regulariser::can_have(std::span<const system::Held> sides) const {
  const auto sliding =
      std::ranges::count_if(kept_, [](const Constraint& kept) { return !kept.is_rest; });
  return std::ssize(sides) == sliding;
}

std::unique_ptr<Constrained> Regulariser::motion_between(std::vector<system::Held> sides) const {
  return std::make_unique<Constrained>(subject_, kept_, std::move(sides));
}

void Regulariser::note(Passage passage, const Constraint& constraint, double t) {
  if (log_ == nullptr) return;
  const bool begins = passage == Passage::RestBegins;
  log_->add({.t = t,
             .causes = {constraint.indicator},
             .passage = passage,
             .limit = begins ? constraint.limit : std::numeric_limits<double>::quiet_NaN()});
}

}  // namespace daedalus::hybrid
