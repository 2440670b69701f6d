#include "daedalus/hybrid/run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hybrid/endings.hpp"
#include "hybrid/event_loop.hpp"
#include "hybrid/piece.hpp"

namespace daedalus::hybrid {
namespace {

using solution::Outcome;
using solution::Recording;

constexpr double unseen = 1e-3;  // excursions that can be dropped, in units of the tolerances

Outcome stopped_at(double t) { return {.status = solution::Status::Terminated, .time = t}; }

}  // namespace

class Course {
 public:
  virtual ~Course() = default;
  virtual Outcome start(std::span<const double> y) = 0;
  virtual Outcome go_on() = 0;
  virtual void end(double) {}
  virtual void archive(Archive& a) = 0;
  virtual Run::Stop stop() const = 0;
  virtual std::span<const double> state() const = 0;
};

namespace {

// Without events.
class SmoothCourse final : public Course {
 public:
  explicit SmoothCourse(const Parts& parts) : parts_(parts), y_(parts.system.size()) {}

  Outcome start(std::span<const double> y) override {
    integrate::Integrator& integrator = parts_.integrator;
    if (const auto ended = integrator.start(y)) return *ended;
    if (!parts_.is_continued &&
        parts_.recorder.start(integrator.time(), integrator.state()) == Recording::Stop)
      return stopped_at(integrator.time());
    return go_on();
  }

  Outcome go_on() override {
    stop_ = Run::Stop::Ended;
    if (std::exchange(is_restored_, false) && last_stop_ != parts_.options.stop) {
      if (const auto ended = parts_.integrator.go_on(parts_.options.stop)) return *ended;
    }
    while (true) {
      if (const auto ended = parts_.integrator.advance()) {
        if (is_from_outside(*ended)) stop_ = Run::Stop::Interrupted;
        return *ended;
      }
      const solution::DenseStep& step = parts_.integrator.step();
      if (parts_.supervisor != nullptr) {
        if (const auto t = parts_.supervisor->leaves_at(step)) return leave(step, *t);
      }
      if (parts_.recorder.step(step) == Recording::Stop) return stopped_at(step.end());
      if (parts_.supervisor == nullptr || !parts_.supervisor->pauses(step.end())) continue;
      stop_ = Run::Stop::Paused;
      return stopped_at(step.end());
    }
  }

  void archive(Archive& a) override {
    last_stop_ = parts_.options.stop;
    a(last_stop_, parts_.integrator);
    is_restored_ = a.is_reading();
  }

  Run::Stop stop() const override { return stop_; }
  std::span<const double> state() const override {
    return stop_ == Run::Stop::Left ? std::span<const double>(y_) : parts_.integrator.state();
  }

 private:
  Outcome leave(const solution::DenseStep& step, double t) {
    step.at(t, y_);
    const bool goes_on =
        parts_.recorder.step(Piece(step, step.begin(), t, y_)) == Recording::Continue;
    if (goes_on) stop_ = Run::Stop::Left;
    return stopped_at(t);
  }

  const Parts parts_;
  std::vector<double> y_;  // where it is left
  Run::Stop stop_ = Run::Stop::Ended;
  bool is_restored_ = false;
  double last_stop_ = 0.0;  // of the run that was stored
};

// With events; may switch from the motion of the system to one on surfaces, and back.
class EventfulCourse final : public Course {
 public:
  EventfulCourse(const Parts& parts, const system::Events& events)
      : parts_(parts),
        stretches_(parts.stretches != nullptr ? *parts.stretches : unwanted_),
        events_(events),
        y_(parts.system.size()) {}

  Outcome start(std::span<const double> y) override {
    integrate::Integrator& integrator = parts_.integrator;
    std::ranges::copy(y, y_.begin());
    if (const auto ended = integrator.start(y)) return *ended;
    std::ranges::copy(integrator.state(), y_.begin());
    if (watches_all(parts_.options)) events_.watch_all(integrator.held());
    make_loop(integrator.time());
    if (!parts_.is_continued &&
        parts_.recorder.start(integrator.time(), integrator.state()) == Recording::Stop)
      return stopped_at(integrator.time());
    return to_the_next_stop(ran(free_->to_the_end()));
  }

  Outcome go_on() override {
    const bool has_other_stop =
        std::exchange(is_restored_, false) && last_stop_ != parts_.options.stop;
    return to_the_next_stop(ran(has_other_stop ? loop().go_on_to_other_stop() : loop().go_on()));
  }
  void end(double t) override;
  void archive(Archive& a) override;

  Run::Stop stop() const override { return stop_; }
  std::span<const double> state() const override { return y_; }

 private:
  EventLoop& loop() { return bound_ ? bound_->loop : *free_; }
  Outcome ran(Outcome outcome) {
    std::ranges::copy(loop().state(), y_.begin());
    stop_ = loop().stop();
    return outcome;
  }

  void make_loop(double start) {
    start_ = start;
    const Options& options = parts_.options;
    integrate::Integrator& integrator = parts_.integrator;
    history_.emplace(events_.indicator_count(), options.rtol, start,
                     options.zeno == Zeno::Regularize ? unseen : 0.0);
    shared_.emplace(Shared{options, parts_.recorder, parts_.log, stretches_, *history_, suspension_,
                           parts_.supervisor});
    free_.emplace(integrator, Motion{parts_.system, events_}, *shared_);
    if (!watches_all(options)) return;
    scratch_ = parts_.system.make_scratch();
    regulariser_.emplace(
        Subject{parts_.system, events_, integrator.held(), *scratch_, options, start}, parts_.log,
        stretches_);
  }

  Outcome to_the_next_stop(Outcome outcome);
  Outcome change_motion(double t);
  Outcome follow(std::unique_ptr<Constrained> motion, double t);
  Result<std::unique_ptr<integrate::Integrator>> make_integrator(const Constrained& motion,
                                                                 double t, std::size_t attempts);
  void archive_bound(Archive& a);
  void note_unresolved(const EventLoop& loop);

  // A motion on surfaces, with its own integrator.
  struct Bound {
    struct Start {
      double t = 0.0;
      std::size_t attempts = 0;  // of the run so far
    };
    Bound(std::unique_ptr<Constrained> given, std::unique_ptr<integrate::Integrator> made,
          const Start& from, Shared& shared)
        : motion(std::move(given)),
          integrator(std::move(made)),
          start(from),
          loop(*integrator, Motion{*motion, *motion, motion.get()}, shared) {}
    std::unique_ptr<Constrained> motion;
    std::unique_ptr<integrate::Integrator> integrator;
    Start start;
    EventLoop loop;
  };
  void tell_of_motion();

  const Parts parts_;
  Stretches unwanted_;
  Stretches& stretches_;
  const system::Events& events_;
  std::vector<double> y_;
  double start_ = 0.0;  // of the run
  Run::Stop stop_ = Run::Stop::Ended;
  bool is_restored_ = false;
  double last_stop_ = 0.0;  // of the run that was stored
  Suspension suspension_;
  std::optional<EventHistory> history_;
  std::optional<Shared> shared_;
  std::optional<EventLoop> free_;
  std::unique_ptr<system::Scratch> scratch_;
  std::optional<Regulariser> regulariser_;  // if the run may go on along surfaces
  std::optional<Bound> bound_;              // the motion that it follows then
  // One that was not followed, but that the recorder may look at until the end of the run.
  std::unique_ptr<Constrained> not_followed_;
};

Outcome EventfulCourse::to_the_next_stop(Outcome outcome) {
  while (stop_ == Run::Stop::Ended && loop().is_suspended()) outcome = change_motion(outcome.time);
  if (stop_ == Run::Stop::Ended) end(outcome.time);
  return outcome;
}

// The recorder may still want a row of the motion at the end.
void EventfulCourse::end(double t) {
  if (bound_) tell_of_motion();
  if (regulariser_) regulariser_->close(t);
  if (free_) note_unresolved(*free_);
}

// From an event that has been settled.
Outcome EventfulCourse::change_motion(double t) {
  const std::optional<Suspicion> suspicion = std::exchange(suspension_.suspicion, std::nullopt);
  std::unique_ptr<Constrained> next;
  if (t < parts_.options.stop) next = regulariser_->form(t, y_, suspicion ? &*suspicion : nullptr);
  if (!regulariser_->refusal().empty() && suspicion->is_unseen)
    next = regulariser_->form(t, y_, nullptr);  // the run can go on without it
  loop().end_suspension();
  if (!regulariser_->refusal().empty())
    return refused(suspicion->is_accumulation
                       ? accumulates(events_, suspicion->indicator, t, suspicion->limit)
                       : chatters(events_, suspicion->indicator, t),
                   regulariser_->refusal());
  if (parts_.options.mixture) parts_.options.mixture(next.get());
  if (parts_.recorder.event(t, y_) == Recording::Stop) {
    not_followed_ = std::move(next);
    return stopped_at(t);
  }
  if (bound_) tell_of_motion();
  bound_.reset();
  return next != nullptr ? follow(std::move(next), t) : ran(free_->go_on_from(t, y_));
}

void EventfulCourse::tell_of_motion() {
  note_unresolved(bound_->loop);
  integrate::Integrator& integrator = *bound_->integrator;
  integrator.event_counts().by_indicator.resize(events_.indicator_count());
  std::vector<std::size_t> components(parts_.system.size());
  std::iota(components.begin(), components.end(), 0U);
  stretches_.statistics.add(integrator.statistics(), components);
}

// A motion on surfaces has additional indicators, after those of the system.
void EventfulCourse::note_unresolved(const EventLoop& loop) {
  for (const Unresolved& one : loop.unresolved()) {
    if (one.indicator >= events_.indicator_count()) continue;
    const auto known =
        std::ranges::find(stretches_.unresolved, one.indicator, &Unresolved::indicator);
    if (known == stretches_.unresolved.end()) stretches_.unresolved.push_back(one);
  }
}

Outcome EventfulCourse::follow(std::unique_ptr<Constrained> motion, double t) {
  const std::size_t attempts =
      parts_.integrator.statistics().attempts + stretches_.statistics.attempts;
  Result<std::unique_ptr<integrate::Integrator>> made = make_integrator(*motion, t, attempts);
  if (!made) {
    not_followed_ = std::move(motion);
    return {.status = solution::Status::Failed,
            .reason = solution::Reason::Domain,
            .time = t,
            .message = made.error().message};
  }
  if (const auto ended = (*made)->start(y_)) {
    not_followed_ = std::move(motion);
    return *ended;
  }
  bound_.emplace(std::move(motion), std::move(*made), Bound::Start{t, attempts}, *shared_);
  return ran(bound_->loop.to_the_end());
}

Result<std::unique_ptr<integrate::Integrator>> EventfulCourse::make_integrator(
    const Constrained& motion, double t, std::size_t attempts) {
  Result<std::unique_ptr<integrate::Integrator>> made =
      parts_.options.make_integrator(motion, t, attempts);
  if (made) (*made)->hold(parts_.integrator.held());
  return made;
}

void EventfulCourse::archive(Archive& a) {
  last_stop_ = parts_.options.stop;
  a(last_stop_, start_, y_, stretches_);
  if (a.is_reading()) {
    is_restored_ = true;
    Archive::require(y_.size() == parts_.system.size());
    make_loop(start_);
  }
  a(*history_, suspension_.overlooked, *free_);
  if (!regulariser_) return;
  a(*regulariser_);
  archive_bound(a);
}

// Its surfaces are those that the regulariser keeps.
void EventfulCourse::archive_bound(Archive& a) {
  bool is_bound = bound_.has_value();
  a(is_bound);
  if (!is_bound) return;
  std::vector<system::Held> sides;
  if (!a.is_reading()) sides.assign(bound_->motion->sides().begin(), bound_->motion->sides().end());
  Bound::Start start = bound_ ? bound_->start : Bound::Start{};
  a(sides, start);
  if (a.is_reading()) {
    Archive::require(regulariser_->can_have(sides));
    std::unique_ptr<Constrained> motion = regulariser_->motion_between(std::move(sides));
    auto made = make_integrator(*motion, start.t, start.attempts);
    Archive::require(made.has_value());
    bound_.emplace(std::move(motion), std::move(*made), start, *shared_);
    if (parts_.options.mixture) parts_.options.mixture(bound_->motion.get());
  }
  a(*bound_->motion, bound_->loop);
}

}  // namespace

Run::Run(const Parts& parts) {
  if (const system::Events* events = parts.system.events()) {
    course_ = std::make_unique<EventfulCourse>(parts, *events);
  } else {
    course_ = std::make_unique<SmoothCourse>(parts);
  }
}

Run::~Run() = default;

Run::Stop Run::start(std::span<const double> y) { return stopped(course_->start(y)); }

Run::Stop Run::go_on() { return stopped(course_->go_on()); }

Run::Stop Run::stopped(Outcome outcome) {
  outcome_ = std::move(outcome);
  return course_->stop();
}

void Run::end() { course_->end(outcome_.time); }

void Run::archive(Archive& a) { course_->archive(a); }

bool Run::can_be_stored(const system::System& system) {
  return system.events() == nullptr || system.events()->holds_values();
}

std::span<const double> Run::state() const { return course_->state(); }

Outcome settle_start(const system::System& system, double t, std::span<double> y,
                     system::Held& held, std::vector<std::string>& warnings) {
  const system::Events* const events = system.events();
  if (events == nullptr) return {.time = t};
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  const system::Settling settling = events->settle({.t = t}, y, held, *scratch, nullptr);
  warnings.insert(warnings.end(), settling.warnings.begin(), settling.warnings.end());
  return settling.end == system::Settling::End::Settled ? Outcome{.time = t}
                                                        : not_settled(settling, t);
}

Outcome run(const Parts& parts, std::span<double> y) {
  Run whole(parts);
  if (whole.start(y) == Run::Stop::Interrupted) whole.end();
  std::ranges::copy(whole.state(), y.begin());
  return whole.outcome();
}

}  // namespace daedalus::hybrid
