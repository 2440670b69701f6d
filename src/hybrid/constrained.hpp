// A motion that keeps to surfaces where indicators are zero.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/hybrid/run.hpp"
#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/system/events.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::hybrid {

// The system that a run with events is about, with its options.
struct Subject {
  const system::System& system;
  const system::Events& events;
  system::Held& held;  // of the run
  system::Scratch& scratch;
  const Options& options;
  double start;  // of the run

  double tolerance(std::span<const double> y, std::size_t k) const {
    return options.rtol * std::abs(y[k]) + absolute(k);
  }
  double absolute(std::size_t k) const { return options.atol[options.atol.size() == 1 ? 0 : k]; }
  // How far y may move along a direction within the tolerances.
  double tolerance_along(std::span<const double> y, std::span<const double> direction) const;
  // The rate at which deviations from a surface decay: slow enough for explicit methods.
  double return_rate() const { return 50.0 / (options.stop - start); }
};

// A surface that a motion keeps to: where an indicator is `target`.
struct Constraint {
  std::size_t indicator = 0;
  bool is_rest = false;  // a force keeps it there; otherwise the motion slides between two sides
  // Of a rest: the direction in which the events threw y, and how often the indicator has to be
  // differentiated until a push in that direction shows.
  std::vector<double> direction = {};
  int degree = 1;
  double target = 0.0;
  double limit = std::numeric_limits<double>::quiet_NaN();  // of the events that accumulated
  double begin = 0.0;                                       // when it started

  void archive(Archive& a) { a(indicator, is_rest, direction, degree, target, limit, begin); }
};

// What moves an indicator at a point, within the tolerances of y.
struct Normal {
  std::vector<double> step;  // adds `change` to the margin
  double change = 0.0;       // > 0
  double margin = 0.0;       // at the point
};
std::optional<Normal> normal_of(const Subject& subject, std::size_t indicator, double t,
                                std::span<const double> y);

// y' = f + sum mu[i] (f of side i - f) + sum mu[j] direction[j], with mu such that all indicators
// return to their targets: (g - target)' = -w (g - target), or (d/dt + w)^2 (g - target) = 0 where
// the force acts on the second derivative. The shares of sides are between 0 and 1 and forces are
// not negative; its indicators after those of the system watch this. For one thread only.
class Constrained final : public system::System, public system::Events, public Mixture {
 public:
  // One side for each constraint that slides, in their order. What the subject refers to must
  // outlive this object.
  Constrained(const Subject& subject, std::vector<Constraint> constraints,
              std::vector<system::Held> sides);

  // The factors mu at a point. None: they are not determined.
  std::optional<std::span<const double>> factors(double t, std::span<const double> y);
  // The effect of factor i on constraint i; none: it is not known.
  std::optional<double> effect(std::size_t i, double t, std::span<const double> y) const;
  // How far the indicator of rest i would fly from its surface with its current speed before what
  // pushes it back returns it; infinity: nothing pushes it back.
  double flight(std::size_t i, double t, std::span<const double> y) const;
  // Moves y along the directions of the rests so that all of them stand still. False: it cannot.
  bool stop(double t, std::span<double> y);

  std::span<const Constraint> constraints() const { return constraints_; }
  const system::Held& side_of(std::size_t constraint) const {
    return sides_[side_number_[constraint]];
  }
  // Whether an event has happened at which this motion ends.
  bool is_left() const { return is_left_; }

  std::size_t size() const override { return subject_.system.size(); }
  std::string variable_name(std::size_t i) const override {
    return subject_.system.variable_name(i);
  }
  std::unique_ptr<system::Scratch> make_scratch() const override;
  system::Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 const system::Context& context) const override;
  const linalg::Sparsity* jacobian_pattern() const override { return nullptr; }
  // By differences, as an integrator would do it; but an integrator does not see the terms of f,
  // whose sum is near 0 where forces balance each other.
  bool has_jacobian() const override { return true; }
  system::Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              const system::Context& context) const override;
  system::Fault why_undefined(const system::Scratch& scratch) const override;

  std::size_t indicator_count() const override;
  system::Evaluation indicators(double t, std::span<const double> y, std::span<double> margins,
                                const system::Context& context) const override;
  system::EventSource indicator_source(std::size_t i) const override;
  std::size_t time_source_count() const override { return subject_.events.time_source_count(); }
  system::EventSource time_source(std::size_t i) const override {
    return subject_.events.time_source(i);
  }
  double next_time_event(double t, const system::Held& held) const override;
  system::Settling settle(const system::Instant& at, std::span<double> y, system::Held& held,
                          system::Scratch& scratch, system::Report* report) const override;
  // Each side follows its own solutions of loops from step to step.
  system::Settling check(double t, std::span<const double> y, system::Held& held,
                         system::Scratch& scratch) const override;

  std::span<const system::Held> sides() const override { return sides_; }
  bool evaluate(double t, std::span<const double> y, std::span<double> shares,
                std::span<double> force) override;

  // Read by a motion with the same constraints and sides as the one that was written.
  void archive(Archive& a) { a(is_between_, is_left_, last_factors_, probes_); }

 private:
  // Work arrays for evaluations.
  struct Room {
    std::vector<std::vector<double>> deltas;  // what a factor of 1 adds to y'
    std::vector<double> f, inner_f, point, inner_point, margins, side_margins;
    std::vector<double> matrix, factors, speeds;  // of the constraints
    linalg::DenseLu<double> lu{0};
    std::vector<double> crossed_y, shifted_y, shifted_f, found;
    std::vector<std::size_t> crossed;
  };

  bool solve_for_factors() const;
  bool find_factors(double t, std::span<const double> y) const;
  bool add_row(std::size_t i, double t, std::span<const double> y) const;
  std::optional<double> margin(std::size_t indicator, double t, std::span<const double> y) const;
  std::optional<double> speed(std::size_t indicator, double t, std::span<const double> y) const;
  std::optional<double> watched(std::size_t i, double t, std::span<const double> y) const;
  std::optional<double> along(std::size_t i, double t, std::span<const double> y,
                              std::span<const double> direction, double pace) const;
  double reach(std::span<const double> y, std::span<const double> direction, double pace) const;
  void choose_probes(double t, std::span<const double> y) const;
  void follow_solutions(double t, std::span<const double> y, system::Held& held) const;
  system::Settling settle_on_first_side(const system::Instant& at, std::span<double> y,
                                        system::Report* report) const;

  Subject subject_;
  std::vector<Constraint> constraints_;
  mutable std::vector<system::Held> sides_;
  std::vector<std::size_t> side_number_;  // by constraint
  std::vector<bool> is_between_;          // indicators that differ between sides
  std::vector<double> sizes_;             // used for components near 0
  std::size_t inner_count_;
  mutable Room room_;
  mutable bool is_left_ = false;
  mutable std::vector<double> last_factors_;  // where it ends: what is held changes there
  mutable std::vector<double> probes_;  // lengths of differences by constraint; empty: not chosen
  mutable double probe_ = 1.0;          // the one in use
};

}  // namespace daedalus::hybrid
