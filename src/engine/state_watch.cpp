#include "engine/state_watch.hpp"

namespace daedalus::engine {
namespace {

// A dummy that moves this much faster than a state is a bad choice. A pendulum has the ratio 1
// where both of its coordinates are equally good; a new choice is below 1, so that it is not undone
// soon.
constexpr double too_fast = 3.0;
constexpr double far_too_fast = 10.0;  // the end of such a step is not to be trusted
constexpr double worth_a_change = 1.2;

double point(const solution::DenseStep& step, double share) {
  return share == 1.0 ? step.end() : step.begin() + share * (step.end() - step.begin());
}

}  // namespace

StateWatch::StateWatch(const runtime::ModelSystem& system, const system::Held& held)
    : system_(system),
      scratch_(system.make_scratch()),
      held_(system, held),
      monitor_(system.model()),
      state_(system.size()) {}

std::optional<StateChange> StateWatch::look(const solution::DenseStep& step) {
  held_.go_on();
  double good = 0.0;
  for (const double share : {0.25, 0.5, 0.75}) {
    if (look_at(step, share, far_too_fast)) return look_between(step, good, share);
    good = share;
  }
  std::optional<structure::StateChoice> choice = look_at(step, 1.0, too_fast);
  if (!choice) return std::nullopt;
  // At the end of a step an event may be due that is not yet settled; inside it there is none.
  if (system_.events() != nullptr ||
      monitor_.better_choice(system_.values(*scratch_), far_too_fast))
    return look_between(step, good, 1.0);
  return change_at(step.end(), std::move(*choice));
}

// The last look was at t.
StateChange StateWatch::change_at(double t, structure::StateChoice choice) const {
  const std::span<const double> values = system_.values(*scratch_);
  return {.t = t, .choice = std::move(choice), .values = {values.begin(), values.end()}};
}

// Where the variables are not defined, nothing can be said about them.
std::optional<structure::StateChoice> StateWatch::look_at(const solution::DenseStep& step,
                                                          double share, double ratio) {
  const double t = point(step, share);
  step.at(t, state_);
  if (held_.evaluate(t, state_, *scratch_) == system::Evaluation::Undefined) return std::nullopt;
  return monitor_.better_choice(system_.values(*scratch_), ratio);
}

// Between a share of the step where the states are good and one where they are not, finds a share
// where others are already better and these are still good.
std::optional<StateChange> StateWatch::look_between(const solution::DenseStep& step, double good,
                                                    double bad) {
  constexpr int most_halvings = 40;
  std::optional<structure::StateChoice> choice;
  const auto go_back = [&] { look_at(step, good, far_too_fast); };  // to the branch of the values
  go_back();
  double at = good;
  for (int k = 0; k < most_halvings; ++k) {
    choice = at > 0.0 ? look_at(step, at, worth_a_change) : std::nullopt;
    if (choice) break;
    const double middle = 0.5 * (good + bad);
    if (look_at(step, middle, far_too_fast)) {
      bad = middle;
      go_back();
    } else {
      good = middle;
    }
    at = good;
  }
  const double t = point(step, at);
  if (!choice || t >= step.end()) return std::nullopt;  // no better choice, or too short a step
  return change_at(t, std::move(*choice));
}

}  // namespace daedalus::engine
