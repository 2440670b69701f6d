#include "engine/state_watch.hpp"

#include <array>

namespace daedalus::engine {
namespace {

// A dummy that moves so much faster than a state is a bad choice. A pendulum is at 1 where both of
// its coordinates are equally good; what is chosen anew is below 1, so that it is not undone soon.
constexpr double too_fast = 3.0;
constexpr double far_too_fast = 10.0;  // the end of such a step is not to be trusted
constexpr double worth_a_change = 1.2;

// The first part of a step.
class Part final : public solution::DenseStep {
 public:
  Part(const solution::DenseStep& whole, double end, std::span<const double> end_state)
      : DenseStep(whole.begin(), end, whole.error()), whole_(whole), end_state_(end_state) {}

  std::span<const double> end_state() const override { return end_state_; }
  void at(double t, std::span<double> y) const override { whole_.at(t, y); }

 private:
  const solution::DenseStep& whole_;
  std::span<const double> end_state_;
};

double point(const solution::DenseStep& step, double share) {
  return share == 1.0 ? step.end() : step.begin() + share * (step.end() - step.begin());
}

}  // namespace

StateWatch::StateWatch(const runtime::ModelSystem& system, const system::Scratch& scratch,
                       ModelRecorder& rows, bool is_first)
    : system_(system),
      scratch_(system.copy_scratch(scratch)),
      rows_(rows),
      is_first_(is_first),
      monitor_(system.model()),
      state_(system.size()) {
  // The run tells them; other states would repeat them.
  system_.take_warnings(*scratch_);
}

// A later segment begins where the one before has written its last row.
solution::Recording StateWatch::start(double t, std::span<const double> y) {
  if (!is_first_) return solution::Recording::Continue;
  return rows_.start(t, y);
}

solution::Recording StateWatch::step(const solution::DenseStep& step) {
  double good = 0.0;
  for (const double share : {0.25, 0.5, 0.75}) {
    if (look_inside(step, share, far_too_fast)) return end_inside(step, good, share);
    good = share;
  }
  const std::optional<structure::StateChoice> choice = look_inside(step, 1.0, too_fast);
  if (!choice) return rows_.step(step);
  // At the end of a step an event may be due that is not settled; inside of it there is none.
  if (system_.events() != nullptr ||
      monitor_.better_choice(system_.values(*scratch_), far_too_fast))
    return end_inside(step, good, 1.0);
  return end_with(step, step.end(), *choice);
}

solution::Recording StateWatch::event(double t, std::span<const double> y) {
  system_.copy_held(*rows_.held(), *scratch_);
  return rows_.event(t, y);
}

// The last look was at t.
solution::Recording StateWatch::end_with(const solution::DenseStep& step, double t,
                                         structure::StateChoice choice) {
  change_ =
      StateChange{.t = t, .choice = std::move(choice), .scratch = system_.copy_scratch(*scratch_)};
  const std::vector<double> end_state = state_;
  if (rows_.step(Part(step, t, end_state)) == solution::Recording::Stop) change_.reset();
  return solution::Recording::Stop;
}

std::optional<structure::StateChoice> StateWatch::look_inside(const solution::DenseStep& step,
                                                              double share, double ratio) {
  const double t = point(step, share);
  step.at(t, state_);
  return look(t, state_, ratio);
}

// Where the variables are not defined nothing can be said of them.
std::optional<structure::StateChoice> StateWatch::look(double t, std::span<const double> y,
                                                       double ratio) {
  if (system_.evaluate_all(t, y, *scratch_) == system::Evaluation::Undefined) return std::nullopt;
  return monitor_.better_choice(system_.values(*scratch_), ratio);
}

// Between a share of the step where the states are good and one where they are not, finds one
// where others are better already, and these are still good.
solution::Recording StateWatch::end_inside(const solution::DenseStep& step, double good,
                                           double bad) {
  constexpr int most_halvings = 40;
  std::optional<structure::StateChoice> choice;
  const auto go_back = [&] {
    look_inside(step, good, far_too_fast);
  };  // to the branch of these values
  go_back();
  double at = good;
  for (int k = 0; k < most_halvings; ++k) {
    choice = at > 0.0 ? look_inside(step, at, worth_a_change) : std::nullopt;
    if (choice) break;
    const double middle = 0.5 * (good + bad);
    if (look_inside(step, middle, far_too_fast)) {
      bad = middle;
      go_back();
    } else {
      good = middle;
    }
    at = good;
  }
  const double t = point(step, at);
  if (!choice || t >= step.end()) return rows_.step(step);  // it gets no better, or is too short
  return end_with(step, t, *choice);
}

}  // namespace daedalus::engine
