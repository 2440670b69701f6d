#include "hybrid/constrained.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hybrid/slope.hpp"

namespace daedalus::hybrid {
namespace {

using system::Evaluation;
using system::Settling;

constexpr double longest_probe = 1e4;  // in units of the shortest
constexpr double no_change = 1e-8;     // of a slope, relative to it

struct NoScratch final : system::Scratch {};

}  // namespace

double Subject::tolerance_along(std::span<const double> y,
                                std::span<const double> direction) const {
  double allowed = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (direction[k] != 0.0) allowed = std::min(allowed, tolerance(y, k) / std::abs(direction[k]));
  }
  return allowed;
}

std::optional<Normal> normal_of(const Subject& subject, std::size_t indicator, double t,
                                std::span<const double> y) {
  std::vector<double> margins(subject.events.indicator_count()), point(y.begin(), y.end());
  const auto margin = [&]() -> std::optional<double> {
    const Evaluation said =
        subject.events.indicators(t, point, margins, {subject.held, subject.scratch});
    const bool is_number = std::isfinite(margins[indicator]);
    return said == Evaluation::Defined && is_number ? std::optional(margins[indicator])
                                                    : std::nullopt;
  };
  const std::optional<double> here = margin();
  if (!here) return std::nullopt;
  Normal normal{.step = std::vector<double>(y.size()), .margin = *here};
  double sum = 0.0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double size = subject.tolerance(y, k);
    point[k] = y[k] + size;
    const std::optional<double> there = margin();
    point[k] = y[k];
    if (!there) return std::nullopt;
    const double change = *there - *here;
    normal.step[k] = size * change;
    sum += change * change;
  }
  if (!(sum > 0.0)) return std::nullopt;
  normal.change = std::sqrt(sum);
  for (double& step : normal.step) step /= normal.change;
  return normal;
}

Constrained::Constrained(const Subject& subject, std::vector<Constraint> constraints,
                         std::vector<system::Held> sides)
    : subject_(subject),
      constraints_(std::move(constraints)),
      sides_(std::move(sides)),
      is_between_(subject.events.indicator_count(), false),
      inner_count_(subject.events.indicator_count()) {
  const std::size_t n = subject.system.size(), m = constraints_.size();
  std::size_t side = 0;
  for (const Constraint& constraint : constraints_) {
    side_number_.push_back(side);
    if (!constraint.is_rest) ++side;
    room_.deltas.push_back(constraint.is_rest ? constraint.direction : std::vector<double>(n));
  }
  for (const system::Held& one : sides_) {
    for (std::size_t i = 0; i < inner_count_; ++i)
      is_between_[i] = is_between_[i] || subject.events.watched_value(i, subject.held) !=
                                             subject.events.watched_value(i, one);
  }
  for (std::size_t k = 0; k < n; ++k) sizes_.push_back(subject.absolute(k) / subject.options.rtol);
  for (std::vector<double>* vector : {&room_.f, &room_.inner_f, &room_.point, &room_.inner_point,
                                      &room_.crossed_y, &room_.shifted_y, &room_.shifted_f})
    vector->resize(n);
  room_.margins.resize(inner_count_);
  room_.side_margins.resize(inner_count_);
  room_.matrix.resize(m * m);
  room_.lu = linalg::DenseLu<double>(m);
  room_.factors.resize(m);
  room_.speeds.resize(m);
}

std::unique_ptr<system::Scratch> Constrained::make_scratch() const {
  return std::make_unique<NoScratch>();
}

system::Fault Constrained::why_undefined(const system::Scratch&) const {
  return subject_.system.why_undefined(subject_.scratch);
}

double Constrained::reach(std::span<const double> y, std::span<const double> direction,
                          double pace) const {
  const double run = subject_.options.stop - subject_.start;
  return probe_length(y, direction, sizes_, probe_,
                      pace != 0.0 ? 1e-4 * run : std::numeric_limits<double>::infinity());
}

std::optional<double> Constrained::margin(std::size_t indicator, double t,
                                          std::span<const double> y) const {
  if (subject_.events.indicators(t, y, room_.margins, {subject_.held, subject_.scratch}) ==
      Evaluation::Undefined)
    return std::nullopt;
  return room_.margins[indicator];
}

// How fast an indicator changes if nothing holds it.
std::optional<double> Constrained::speed(std::size_t indicator, double t,
                                         std::span<const double> y) const {
  if (subject_.system.derivatives(t, y, room_.inner_f, {subject_.held, subject_.scratch}) ==
      Evaluation::Undefined)
    return std::nullopt;
  return slope_along(
      t, y, room_.inner_f, 1.0, reach(y, room_.inner_f, 1.0), room_.inner_point,
      [&](double at, std::span<const double> point) { return margin(indicator, at, point); });
}

// The quantity on which the factors act directly.
std::optional<double> Constrained::watched(std::size_t i, double t,
                                           std::span<const double> y) const {
  const Constraint& constraint = constraints_[i];
  return constraint.degree == 1 ? margin(constraint.indicator, t, y)
                                : speed(constraint.indicator, t, y);
}

std::optional<double> Constrained::along(std::size_t i, double t, std::span<const double> y,
                                         std::span<const double> direction, double pace) const {
  return slope_along(
      t, y, direction, pace, reach(y, direction, pace), room_.point,
      [&](double at, std::span<const double> point) { return watched(i, at, point); });
}

// Short differences suffer from rounding, long ones from curvature: the best are the longest for
// which the slope does not change, or otherwise those for which it changes least, as they become
// longer. Chosen where the motion starts.
void Constrained::choose_probes(double t, std::span<const double> y) const {
  double pace = 0.0;  // of the components of y
  for (const double f : room_.f) pace = std::max(pace, std::abs(f));
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    double best = 1.0, least = std::numeric_limits<double>::infinity();
    std::optional<double> last_rate, last_effect;
    for (probe_ = 1.0; probe_ <= longest_probe; probe_ *= 10.0) {
      const std::optional<double> rate = along(i, t, y, room_.f, 1.0);
      const std::optional<double> effect = along(i, t, y, room_.deltas[i], 0.0);
      if (!rate || !effect) break;
      const double usual = constraints_[i].is_rest ? pace : 1.0;  // size of the factor
      const double size = std::abs(*rate) + usual * std::abs(*effect);
      const double change =
          last_rate && last_effect && size > 0.0
              ? (std::abs(*rate - *last_rate) + usual * std::abs(*effect - *last_effect)) / size
              : std::numeric_limits<double>::infinity();
      if (change < least || change <= no_change) {
        best = probe_;
        least = change;
      }
      last_rate = rate;
      last_effect = effect;
    }
    probes_.push_back(best);
  }
}

// The equation of constraint i for the factors.
bool Constrained::add_row(std::size_t i, double t, std::span<const double> y) const {
  const Constraint& constraint = constraints_[i];
  probe_ = probes_[i];
  const double w = subject_.return_rate();
  const std::optional<double> g = margin(constraint.indicator, t, y);
  const std::optional<double> v = constraint.degree == 1 ? g : watched(i, t, y);
  const std::optional<double> rate = along(i, t, y, room_.f, 1.0);
  if (!g || !v || !rate) return false;
  const double off = *g - constraint.target;
  room_.speeds[i] = constraint.degree == 1 ? off : *v;
  room_.factors[i] =
      constraint.degree == 1 ? -(*rate + w * off) : -(*rate + 2.0 * w * *v + w * w * off);
  for (std::size_t j = 0; j < constraints_.size(); ++j) {
    const std::optional<double> effect = along(i, t, y, room_.deltas[j], 0.0);
    if (!effect) return false;
    room_.matrix[i * constraints_.size() + j] = *effect;
  }
  return true;
}

bool Constrained::find_factors(double t, std::span<const double> y) const {
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (constraints_[i].is_rest) continue;
    const system::Held& side = sides_[side_number_[i]];
    if (subject_.system.derivatives(t, y, room_.deltas[i], {side, subject_.scratch}) ==
        Evaluation::Undefined)
      return false;
  }
  if (subject_.system.derivatives(t, y, room_.f, {subject_.held, subject_.scratch}) ==
      Evaluation::Undefined)
    return false;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (constraints_[i].is_rest) continue;
    for (std::size_t k = 0; k < y.size(); ++k) room_.deltas[i][k] -= room_.f[k];
  }
  if (probes_.empty()) choose_probes(t, y);
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (!add_row(i, t, y)) return false;
  }
  return true;
}

std::optional<std::span<const double>> Constrained::factors(double t, std::span<const double> y) {
  if (!find_factors(t, y) || !solve_for_factors()) return std::nullopt;
  return room_.factors;
}

std::optional<double> Constrained::effect(std::size_t i, double t,
                                          std::span<const double> y) const {
  if (!find_factors(t, y)) return std::nullopt;
  return room_.matrix[i * constraints_.size() + i];
}

double Constrained::flight(std::size_t i, double t, std::span<const double> y) const {
  const std::optional<double> push = effect(i, t, y);
  if (!push) return std::numeric_limits<double>::infinity();
  const double speed = room_.speeds[i];
  if (constraints_[i].degree == 1) return std::abs(speed);
  const double back =
      room_.factors[i] * (*push > 0.0 ? 1.0 : -1.0);  // a right-hand side, not yet solved
  return back > 0.0 ? 0.5 * speed * speed / back : std::numeric_limits<double>::infinity();
}

bool Constrained::stop(double t, std::span<double> y) {
  if (!find_factors(t, y)) return false;
  const std::size_t m = constraints_.size();
  for (std::size_t i = 0; i < m; ++i) {
    room_.factors[i] = constraints_[i].is_rest ? -room_.speeds[i] : 0.0;
    for (std::size_t j = 0; j < m; ++j) {
      if (!constraints_[i].is_rest || !constraints_[j].is_rest)
        room_.matrix[i * m + j] = i == j ? 1.0 : 0.0;
    }
  }
  if (!solve_for_factors()) return false;
  for (std::size_t i = 0; i < m; ++i) {
    if (!constraints_[i].is_rest) continue;
    for (std::size_t k = 0; k < y.size(); ++k)
      y[k] += room_.factors[i] * constraints_[i].direction[k];
  }
  return true;
}

// From their matrix and right-hand side.
bool Constrained::solve_for_factors() const {
  const std::size_t m = constraints_.size();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) room_.lu.matrix()[j * m + i] = room_.matrix[i * m + j];
  }
  if (room_.lu.factor() == linalg::Factorization::Singular) return false;
  room_.lu.solve(room_.factors);
  return std::ranges::all_of(room_.factors, [](double x) { return std::isfinite(x); });
}

Evaluation Constrained::derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                    const system::Context&) const {
  if (!find_factors(t, y) || !solve_for_factors()) return Evaluation::Undefined;
  std::ranges::copy(room_.f, dydt.begin());
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    for (std::size_t k = 0; k < y.size(); ++k) dydt[k] += room_.factors[i] * room_.deltas[i][k];
  }
  return Evaluation::Defined;
}

Evaluation Constrained::jacobian(double t, std::span<const double> y, std::span<double> values,
                                 const system::Context& context) const {
  constexpr double share = 1e-3;  // of the size of a component
  const std::size_t n = y.size();
  for (std::size_t j = 0; j < n; ++j) {
    const double h = share * (std::abs(y[j]) + sizes_[j]);
    const std::span<double> column = values.subspan(j * n, n);
    std::ranges::copy(y, room_.shifted_y.begin());
    room_.shifted_y[j] = y[j] + h;
    if (derivatives(t, room_.shifted_y, column, context) == Evaluation::Undefined)
      return Evaluation::Undefined;
    room_.shifted_y[j] = y[j] - h;
    if (derivatives(t, room_.shifted_y, room_.shifted_f, context) == Evaluation::Undefined)
      return Evaluation::Undefined;
    for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - room_.shifted_f[i]) / (2.0 * h);
  }
  return Evaluation::Defined;
}

// Two for each constraint that slides: the motion may leave to either side.
std::size_t Constrained::indicator_count() const {
  return inner_count_ + constraints_.size() + sides_.size();
}

// Between two sides an indicator is a mixture of both. One that distinguishes them is no event
// there.
Evaluation Constrained::indicators(double t, std::span<const double> y, std::span<double> margins,
                                   const system::Context&) const {
  if (!find_factors(t, y) || !solve_for_factors()) return Evaluation::Undefined;
  const std::span<double> inner = margins.first(inner_count_);
  if (subject_.events.indicators(t, y, room_.margins, {subject_.held, subject_.scratch}) ==
      Evaluation::Undefined)
    return Evaluation::Undefined;
  std::ranges::copy(room_.margins, inner.begin());
  std::size_t exit = inner_count_;
  for (std::size_t j = 0; j < constraints_.size(); ++j) {
    const double factor = room_.factors[j];
    margins[exit++] = factor;
    if (constraints_[j].is_rest) continue;
    margins[exit++] = 1.0 - factor;
    const system::Held& side = sides_[side_number_[j]];
    if (subject_.events.indicators(t, y, room_.side_margins, {side, subject_.scratch}) ==
        Evaluation::Undefined)
      return Evaluation::Undefined;
    for (std::size_t i = 0; i < inner_count_; ++i)
      inner[i] += factor * (room_.side_margins[i] - room_.margins[i]);
  }
  for (std::size_t i = 0; i < inner_count_; ++i) {
    if (is_between_[i]) inner[i] = 1.0;
  }
  return Evaluation::Defined;
}

system::EventSource Constrained::indicator_source(std::size_t i) const {
  if (i < inner_count_) return subject_.events.indicator_source(i);
  std::size_t exit = inner_count_;
  for (const Constraint& constraint : constraints_) {
    exit += constraint.is_rest ? 1 : 2;
    if (i < exit) return subject_.events.indicator_source(constraint.indicator);
  }
  return {};
}

double Constrained::next_time_event(double t, const system::Held& held) const {
  return subject_.events.next_time_event(t, held);
}

// Where the motion only leaves a surface, nothing has to be settled: both sides already are.
Settling Constrained::settle(const system::Instant& at, std::span<double> y, system::Held&,
                             system::Scratch&, system::Report* report) const {
  if (find_factors(at.t, y) && solve_for_factors()) last_factors_ = room_.factors;
  room_.crossed.clear();
  for (const std::size_t i : at.crossed) {
    if (i < inner_count_)
      room_.crossed.push_back(i);
    else
      is_left_ = true;
  }
  if (room_.crossed.empty() && !at.is_time_event && !at.is_end)
    return {.is_new_motion = true, .is_quiet = true};
  const system::Instant inner{
      .t = at.t, .crossed = room_.crossed, .is_time_event = at.is_time_event, .is_end = at.is_end};
  const Settling settling = settle_on_first_side(inner, y, report);
  is_left_ = is_left_ || !settling.is_quiet;
  return settling;
}

// On the surface itself, rounding would decide the side.
Settling Constrained::settle_on_first_side(const system::Instant& at, std::span<double> y,
                                           system::Report* report) const {
  std::vector<double>& moved = room_.crossed_y;
  std::ranges::copy(y, moved.begin());
  for (const Constraint& constraint : constraints_) {
    if (constraint.is_rest) continue;
    const std::optional<Normal> normal = normal_of(subject_, constraint.indicator, at.t, y);
    if (!normal) continue;
    const double share = 1.0 - normal->margin / normal->change;
    for (std::size_t k = 0; k < y.size(); ++k) moved[k] += share * normal->step[k];
  }
  const std::vector<double> before = moved;
  Settling settling = subject_.events.settle(at, moved, subject_.held, subject_.scratch, report);
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (moved[k] != before[k]) y[k] = moved[k];
  }
  return settling;
}

Settling Constrained::check(double t, std::span<const double> y, system::Held& held,
                            system::Scratch&) const {
  if (!subject_.system.guesses().empty()) {
    for (system::Held& side : sides_) follow_solutions(t, y, side);
    follow_solutions(t, y, held);
  }
  return subject_.events.check(t, y, held, subject_.scratch);
}

// Where the equations have no solution, the last one is kept.
void Constrained::follow_solutions(double t, std::span<const double> y, system::Held& held) const {
  if (subject_.system.derivatives(t, y, room_.inner_f, {held, subject_.scratch}) ==
      Evaluation::Undefined)
    return;
  const std::span<const double> values = subject_.system.values(subject_.scratch);
  room_.found.clear();
  for (const std::uint32_t symbol : subject_.system.guesses())
    room_.found.push_back(values[symbol]);
  subject_.system.hold_guesses(t, room_.found, held);
}

bool Constrained::evaluate(double t, std::span<const double> y, std::span<double> shares,
                           std::span<double> force) {
  if (is_left_) {
    if (last_factors_.empty()) return false;
    room_.factors = last_factors_;
  } else if (!factors(t, y)) {
    return false;
  }
  std::ranges::fill(force, 0.0);
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (!constraints_[i].is_rest) shares[side_number_[i]] = room_.factors[i];
    for (std::size_t k = 0; k < y.size() && constraints_[i].is_rest; ++k)
      force[k] += room_.factors[i] * constraints_[i].direction[k];
  }
  return true;
}

}  // namespace daedalus::hybrid
