#include "hybrid/lookout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "daedalus/linalg/small.hpp"

namespace daedalus::hybrid {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double far = 4.0;            // in units of the change of an indicator over a step
constexpr double restless = 2.0;       // in the same units
constexpr double forgotten = 0.25;     // of the pace that an indicator had, in each step
constexpr int restless_looks = 16;     // that must agree with polynomials until it is calm again
constexpr double most_growth = 2.0;    // of the length that was searched, without a closer look
constexpr int most_samples = 20'000;   // for one look
constexpr int spot_check = 16;         // steps from one to the next
constexpr double narrowest = 0x1p-20;  // stretch of a step that is searched
constexpr double state_rounding = 16 * epsilon;  // of the components of y
constexpr double beyond_samples = 4.0;           // rounding, in units of the largest in a few
constexpr double at_once = 1e4;  // in units of the resolution of time, from an event to the next
constexpr std::array first_moments = {0x1p-26, 0x1p-13};  // of a step
constexpr double steady = 0.25;  // pace at the first moment, in units of that over the step
constexpr std::size_t most_stretches = 64;
constexpr int few_tries = 4;  // in steps of the resolution of time
constexpr std::size_t inner_nodes = SignBound::points - 2;

}  // namespace

Lookout::Lookout(const system::Events& events, const system::Held& held, system::Scratch& scratch,
                 solution::EventCounts& counts, std::size_t states, const Options& tolerances)
    : events_(events),
      held_(held),
      scratch_(scratch),
      counts_(counts),
      count_(events.indicator_count()),
      tolerances_(tolerances),
      trusts_polynomials_(!watches_all(tolerances)),
      watched_(count_),
      begin_(count_),
      end_(count_),
      before_(count_),
      samples_(inner_nodes * count_),
      limited_((inner_nodes + 1) * count_),
      margins_(count_),
      y_(states) {
  for (std::size_t k = 0; k < states; ++k)
    disturbance_.push_back(std::sin(1.0 + 1.7 * static_cast<double>(k)));
  crossed_.reserve(count_);
  fresh_.reserve(count_);
}

bool Lookout::evaluate(double t, std::span<const double> y, std::span<double> margins) {
  ++counts_.evaluations;
  const system::Evaluation said = events_.indicators(t, y, margins, {held_, scratch_});
  double sum = 0.0;  // of differences that are 0, or not finite
  for (const double margin : margins) sum += margin - margin;
  if (said == system::Evaluation::Defined && sum == 0.0) return true;
  note_undefined(t, margins);
  return false;
}

void Lookout::note_undefined(double t, std::span<const double> margins) {
  const auto bad =
      std::ranges::find_if(margins, [](double margin) { return !std::isfinite(margin); });
  undefined_at_ = t;
  undefined_ = bad == margins.end() ? count_ : static_cast<std::size_t>(bad - margins.begin());
}

bool Lookout::evaluate(const solution::DenseStep& step, double t, std::span<double> margins) {
  if (t == step.end()) return evaluate(t, step.end_state(), margins);
  step.at(t, y_);
  return evaluate(t, y_, margins);
}

bool Lookout::begin_arc(double t, std::span<const double> y) {
  const double last = std::exchange(arc_begin_, t);
  from_ = t;
  last_length_ = 0.0;
  may_rest_ = false;
  if (fresh_.empty() && crossed_.empty()) depth_ = -1.0;
  crossed_.clear();
  fresh_.clear();
  is_idle_ = count_ == 0 || events_.is_idle(held_);
  if (is_idle_) return true;
  const bool follows_at_once = t - last <= at_once * time_resolution(t, 0.0, 0.0);
  if (!evaluate(t, y, begin_)) return false;
  bool is_clear = true;
  for (std::size_t i = 0; i < count_; ++i) {
    watched_[i].floor = 0.0;
    watched_[i].pace = 0.0;
    watched_[i].rises = t;
    watched_[i].largest = std::abs(begin_[i]);
    is_clear = is_clear && begin_[i] > 0.0;
  }
  if (!(is_clear && !follows_at_once) && !find_floors(t, y, follows_at_once)) return false;
  return depth_ < 0.0 || find_fresh(t, y);
}

// What has just crossed differs from 0 by as much as it did before, but on the other side.
bool Lookout::find_fresh(double t, std::span<const double> y) {
  const double nearest = 2.0 * depth_;
  for (std::size_t i = 0; i < count_; ++i) {
    if (begin_[i] > 0.0 && begin_[i] <= nearest) fresh_.push_back(i);
  }
  if (fresh_.empty() || may_rest_) return true;  // floors have been found
  if (!disturb_by_rounding(t, y)) return false;
  for (const std::size_t i : fresh_) {
    watched_[i].state_noise = std::abs(margins_[i] - begin_[i]);
    watched_[i].noise = std::max(watched_[i].state_noise, watched_[i].rounding);
    if (begin_[i] <= watched_[i].noise) watched_[i].floor = -watched_[i].noise;
  }
  return true;
}

// The indicators at (t, y) with errors in y, of no particular sign.
bool Lookout::disturb_by_tolerances(double t, std::span<const double> y) {
  const std::span<const double> atol = tolerances_.atol;
  for (std::size_t k = 0; k < y.size(); ++k)
    y_[k] = y[k] +
            disturbance_[k] * (tolerances_.rtol * std::abs(y[k]) + atol[atol.size() == 1 ? 0 : k]);
  return evaluate(t, y_, margins_);
}

bool Lookout::disturb_by_rounding(double t, std::span<const double> y) {
  for (std::size_t k = 0; k < y.size(); ++k)
    y_[k] = y[k] + disturbance_[k] * state_rounding * std::abs(y[k]);
  return evaluate(t, y_, margins_);
}

// The rounding of everything that is computed on the way from y to the indicators, measured by how
// they differ at times that can hardly be distinguished.
void Lookout::measure_rounding(double t, std::span<const double> y) {
  const double resolution = time_resolution(t, 0.0, tolerances_.time_tolerance);
  for (const double nearby : {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0}) {
    if (!evaluate(t + nearby * resolution, y, margins_)) continue;  // the edge of a domain
    for (std::size_t i = 0; i < count_; ++i) {
      const double difference = std::abs(margins_[i] - begin_[i]);
      watched_[i].state_noise = std::max(watched_[i].state_noise, beyond_samples * difference);
    }
  }
}

// An indicator that is not positive, or only by rounding, may fall as far as rounding errors of y
// can move it, and one that rests as far as the tolerances allow. Where events follow each other at
// once, rounding on the way from y to the indicator may be their cause.
bool Lookout::find_floors(double t, std::span<const double> y, bool follows_at_once) {
  if (!disturb_by_tolerances(t, y)) return false;
  for (std::size_t i = 0; i < count_; ++i)
    watched_[i].resting_floor = -std::abs(margins_[i] - begin_[i]);
  if (!disturb_by_rounding(t, y)) return false;
  for (std::size_t i = 0; i < count_; ++i)
    watched_[i].state_noise = std::abs(margins_[i] - begin_[i]);
  if (follows_at_once) measure_rounding(t, y);
  for (std::size_t i = 0; i < count_; ++i) {
    watched_[i].noise = watched_[i].state_noise;
    if (begin_[i] <= watched_[i].noise)
      watched_[i].floor = std::min(begin_[i], 0.0) - watched_[i].noise;
  }
  may_rest_ = true;
  return true;
}

// Looks at the first moments of an arc: what is positive there does not rest.
bool Lookout::tell_what_rests(const solution::DenseStep& step) {
  may_rest_ = false;
  for (const double moment : first_moments) {
    const double t = from_ + moment * (step.end() - from_);
    if (!evaluate(step, t, margins_)) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (begin_[i] > watched_[i].noise || watched_[i].rises > from_ ||
          !(margins_[i] > watched_[i].noise))
        continue;
      watched_[i].floor = 0.0;
      watched_[i].rises = t;
      watched_[i].risen = margins_[i];
    }
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (begin_[i] <= 0.0 && !(watched_[i].rises > from_))
      watched_[i].floor = std::min(watched_[i].floor, watched_[i].resting_floor);
  }
  return true;
}

// A step far from all zeros takes one evaluation, at its end; the first one of an arc takes two
// more.
Lookout::Sight Lookout::look(const solution::DenseStep& step) {
  limit_ = step.end();
  limited_to_ = step.end();
  length_ = step.end() - from_;
  samples_left_ = most_samples;
  is_sampled_ = false;
  confirmed_ = std::numeric_limits<double>::quiet_NaN();
  if (is_idle_) return Sight::Nothing;
  if (trusts_polynomials_ && !may_rest_ && from_ == step.begin()) {
    const solution::Polynomials margins = step.margins();
    if (!margins.coefficients.empty()) {
      if (const std::optional<Sight> seen = look_along(step, margins)) return *seen;
    }
  }
  if (!evaluate(step.end(), step.end_state(), end_)) return Sight::Undefined;
  if (last_length_ == 0.0 && !may_rest_ && steps_to_spot_check_ > 0 && ends_negative()) {
    --steps_to_spot_check_;
    if (!sample(step)) return Sight::Undefined;
    measure_changes_by_samples();
    return look_closer(step);
  }
  measure_changes(step);
  if (--steps_to_spot_check_ < 0 || may_rest_ || length_ > most_growth * checked_length_) {
    steps_to_spot_check_ = spot_check;
    checked_length_ = std::max(checked_length_, length_);
    if (!sample(step)) return Sight::Undefined;
    note_restless();
    if (may_rest_ && !tell_what_rests(step)) return Sight::Undefined;
  }
  for (std::size_t i = 0; i < count_ && !is_sampled_; ++i) {
    if (!is_far(i) && !sample(step)) return Sight::Undefined;
  }
  return is_sampled_ ? look_closer(step) : Sight::Nothing;
}

// By polynomials, where these are enough; none: they are not.
std::optional<Lookout::Sight> Lookout::look_along(const solution::DenseStep& step,
                                                  const solution::Polynomials& margins) {
  PolynomialSign first{.zero = 2.0};
  for (std::size_t i = 0; i < count_; ++i) {
    const PolynomialSign sign =
        sign_of(margins.coefficients.subspan(i * margins.terms, margins.terms), -watched_[i].floor);
    if (sign.change == SignChange::Unclear) return std::nullopt;
    end_[i] = sign.end + watched_[i].floor;
    if (sign.change == SignChange::None || sign.zero >= first.zero) continue;
    first = sign;
    crossing_indicator_ = i;
  }
  return first.zero > 1.0 ? Sight::Nothing : confirm(step, first);
}

// Finds the first point near the zero where the indicator itself is negative; none: there is none.
std::optional<Lookout::Sight> Lookout::confirm(const solution::DenseStep& step,
                                               const PolynomialSign& sign) {
  const double h = step.end() - step.begin();
  const double resolution = time_resolution(step.end(), h, tolerances_.time_tolerance);
  const double zero = step.begin() + sign.zero * h;
  const double nearly_zero = -sign.rounding - few_tries * std::abs(sign.slope) * (resolution / h);
  for (int tries = 0; tries < few_tries; ++tries) {
    const double t = std::min(zero + tries * resolution, step.end());
    const Value value = follow(step, crossing_indicator_, t);
    if (!value.is_defined || value.value < nearly_zero) return std::nullopt;
    if (value.value >= 0.0) continue;
    crossing_ = limit_ = confirmed_ = t;
    return Sight::Crossing;
  }
  return std::nullopt;
}

// Measures how much the indicators move, from this step and the previous one. Without a previous
// one, from this step and two points inside it, which tell nothing where they are outside the
// model's domain.
void Lookout::measure_changes(const solution::DenseStep& step) {
  const double length = step.end() - from_;
  if (last_length_ > 0.0) {
    const double ratio = length / last_length_;
    for (std::size_t i = 0; i < count_; ++i)
      watched_[i].change =
          std::max(std::abs(end_[i] - begin_[i]), ratio * std::abs(begin_[i] - before_[i]));
    return;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    watched_[i].lowest = std::min(begin_[i], end_[i]);
    watched_[i].change = std::max(begin_[i], end_[i]);
  }
  for (const double inside : {1.0 / 3.0, 2.0 / 3.0}) {
    const double t = from_ + inside * length;
    step.roughly_at(t, y_);
    if (!evaluate(t, y_, margins_)) {
      for (Watched& one : watched_) one.change = std::numeric_limits<double>::infinity();
      return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      watched_[i].lowest = std::min(watched_[i].lowest, margins_[i]);
      watched_[i].change = std::max(watched_[i].change, margins_[i]);
    }
  }
  for (std::size_t i = 0; i < count_; ++i) watched_[i].change -= watched_[i].lowest;
}

// For a step that has to be searched anyway, so that samples inside it are known.
void Lookout::measure_changes_by_samples() {
  for (std::size_t i = 0; i < count_; ++i) {
    double lowest = begin_[i], highest = begin_[i];
    for (std::size_t node = 1; node < SignBound::points; ++node) {
      lowest = std::min(lowest, sampled(node, i));
      highest = std::max(highest, sampled(node, i));
    }
    watched_[i].change = highest - lowest;
  }
}

bool Lookout::ends_negative() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (shifted(i, end_[i]) < 0.0) return true;
  }
  return false;
}

// Starts with the indicator that seems to cross first: before its crossing, the others are soon
// excluded.
Lookout::Sight Lookout::look_closer(const solution::DenseStep& step) {
  const std::size_t first = first_to_cross();
  Sight sight = first < count_ ? look_at(step, first, from_) : Sight::Nothing;
  for (std::size_t i = 0; i < count_ && sight != Sight::Undefined; ++i) {
    if (i == first) continue;
    note_sampled_pace(i);
    if (is_far(i)) continue;
    const Sight seen = look_at(step, i, from_);
    if (seen != Sight::Nothing) sight = seen;
  }
  return sight;
}

// Judged by straight lines between the samples; none: count_.
std::size_t Lookout::first_to_cross() const {
  const SignBound::Values& nodes = SignBound::nodes();
  std::size_t first = count_;
  double earliest = 2.0;
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t node = 1; node < SignBound::points && nodes[node - 1] < earliest; ++node) {
      const double before = shifted(i, sampled(node - 1, i)), value = shifted(i, sampled(node, i));
      if (!(value < 0.0)) continue;
      const double share = before > 0.0 ? before / (before - value) : 0.0;
      const double at = nodes[node - 1] + share * (nodes[node] - nodes[node - 1]);
      if (at < earliest) {
        earliest = at;
        first = i;
      }
      break;
    }
  }
  return first;
}

// Also in units of how far it moves at the pace of earlier steps: one that swings through a whole
// period in each step has the same value at both ends.
bool Lookout::is_far(std::size_t i) const {
  if (watched_[i].restless_for > 0) return false;
  const double least = std::max(far * watched_[i].change, watched_[i].pace * length_);
  return std::min(shifted(i, begin_[i]), shifted(i, end_[i])) >= least;
}

bool Lookout::sample(const solution::DenseStep& step) {
  const SignBound::Values& nodes = SignBound::nodes();
  for (std::size_t node = 0; node < inner_nodes; ++node) {
    const double t = from_ + nodes[node + 1] * (step.end() - from_);
    if (!evaluate(step, t, std::span(samples_).subspan(node * count_, count_))) return false;
  }
  is_sampled_ = true;
  return true;
}

// Between the samples, where the look at the step starts at from_.
void Lookout::note_sampled_pace(std::size_t i) {
  const SignBound::Values& nodes = SignBound::nodes();
  double before = begin_[i];
  for (std::size_t node = 1; node < SignBound::points; ++node) {
    const double value = sampled(node, i);
    note_pace(i, value - before, (nodes[node] - nodes[node - 1]) * length_);
    before = value;
  }
}

double Lookout::sampled(std::size_t node, std::size_t i) const {
  if (node == 0) return begin_[i];
  return node == SignBound::points - 1 ? end_[i] : samples_[(node - 1) * count_ + i];
}

void Lookout::note_restless() {
  for (std::size_t i = 0; i < count_; ++i) {
    const double change = end_[i] - begin_[i];
    const double rounding = state_rounding * std::max(std::abs(begin_[i]), std::abs(end_[i]));
    double most = 0.0;
    for (std::size_t node = 1; node <= inner_nodes; ++node) {
      const double straight = begin_[i] + SignBound::nodes()[node] * change;
      most = std::max(most, std::abs(sampled(node, i) - straight));
    }
    if (most > restless * watched_[i].change + rounding) watched_[i].restless_for = restless_looks;
  }
}

Lookout::Sight Lookout::look_at(const solution::DenseStep& step, std::size_t i, double from) {
  const double begin = std::max(from, watched_[i].rises);
  if (begin >= limit_) return Sight::Nothing;
  const Stretch whole{.begin = begin,
                      .end = limit_,
                      .value_begin = begin > from ? watched_[i].risen : shifted(i, begin_[i]),
                      .value_end = shifted(i, end_[i])};
  if (limit_ < step.end()) return look_before_limit(step, i, whole, from);
  if (begin > from) return search(step, i, whole);
  SignBound::Values values;
  for (std::size_t node = 0; node < SignBound::points; ++node)
    values[node] = shifted(i, sampled(node, i));
  return judge(step, i, whole, values);
}

// Another one has been seen to cross at the limit. The samples up to there serve all that are left.
Lookout::Sight Lookout::look_before_limit(const solution::DenseStep& step, std::size_t i,
                                          Stretch whole, double from) {
  if (limited_to_ != limit_) {
    for (std::size_t node = 1; node < SignBound::points; ++node) {
      const double t = node == SignBound::points - 1
                           ? limit_
                           : from + SignBound::nodes()[node] * (limit_ - from);
      if (!evaluate(step, t, std::span(limited_).subspan((node - 1) * count_, count_)))
        return Sight::Undefined;
    }
    limited_to_ = limit_;
  }
  const auto limited = [&](std::size_t node) {
    return shifted(i, limited_[(node - 1) * count_ + i]);
  };
  whole.value_end = limited(SignBound::points - 1);
  if (whole.begin > from) return search(step, i, whole);
  SignBound::Values values;
  values.front() = whole.value_begin;
  for (std::size_t node = 1; node < SignBound::points; ++node) values[node] = limited(node);
  return judge(step, i, whole, values);
}

Lookout::Sight Lookout::judge(const solution::DenseStep& step, std::size_t i, const Stretch& whole,
                              const SignBound::Values& values) {
  const std::optional<Sight> told = tell(step, i, whole, values);
  if (!told) return search(step, i, whole);
  if (watched_[i].restless_for > 0) --watched_[i].restless_for;
  return *told;
}

// By the polynomial through the values; none: it is not conclusive, or the indicator deviates from
// it between them. The two are compared at more points where the polynomial has not yet been seen
// to be right, or was seen to be wrong.
std::optional<Lookout::Sight> Lookout::tell(const solution::DenseStep& step, std::size_t i,
                                            const Stretch& stretch,
                                            const SignBound::Values& values) {
  const SignBound bound(values);
  const double length = stretch.end - stretch.begin;
  const bool is_clear = bound.excludes_negative();
  if (bound.is_vague()) watched_[i].restless_for = restless_looks;
  if (!is_clear && !(values.back() < 0.0 && bound.has_one_sign_change())) return std::nullopt;
  const bool is_new = watched_[i].restless_for > 0 || length > most_growth * watched_[i].followed;
  const std::size_t checks = is_new ? SignBound::checks : is_clear ? 1 : 0;
  double off = 0.0;
  for (std::size_t k = 0; k < checks; ++k) {
    const double t = stretch.begin + SignBound::check(k) * length;
    const Value value = follow(step, i, t);
    if (!value.is_defined) return Sight::Undefined;
    off = std::max(off, std::abs(value.value - SignBound::predicted(values, k)));
  }
  const auto before = std::tuple(crossing_, crossing_indicator_, limit_);
  Sight sight = Sight::Nothing;
  if (!is_clear) {
    double at_guess = 0.0;
    sight = narrow_down(step, i, first_change(stretch, values), guess_of_zero(stretch, values),
                        &at_guess);
    off = std::max(off, std::abs(at_guess));
  }
  if (bound.is_refuted_by(off)) watched_[i].restless_for = restless_looks;
  if (bound.is_refuted_by(off) || (is_clear && !bound.excludes_negative(off))) {
    std::tie(crossing_, crossing_indicator_, limit_) = before;
    return std::nullopt;
  }
  if (is_new) watched_[i].followed = length;
  return sight;
}

// The part of a stretch that ends at the first negative one of its values.
Lookout::Stretch Lookout::first_change(const Stretch& stretch, const SignBound::Values& values) {
  std::size_t node = 1;
  while (node + 1 < SignBound::points && values[node] >= 0.0) ++node;
  const auto time = [&](std::size_t k) {
    if (k == SignBound::points - 1) return stretch.end;
    return stretch.begin + SignBound::nodes()[k] * (stretch.end - stretch.begin);
  };
  return {time(node - 1), time(node), values[node - 1], values[node]};
}

double Lookout::guess_of_zero(const Stretch& stretch, const SignBound::Values& values) {
  return stretch.begin + SignBound::zero(values) * (stretch.end - stretch.begin);
}

double Lookout::straight_zero(const Stretch& stretch) {
  const double share = stretch.value_begin / (stretch.value_begin - stretch.value_end);
  return stretch.begin + share * (stretch.end - stretch.begin);
}

Lookout::Value Lookout::follow(const solution::DenseStep& step, std::size_t i, double t) {
  --samples_left_;
  const bool is_defined = evaluate(step, t, margins_);
  return {.value = shifted(i, margins_[i]), .is_defined = is_defined};
}

// From left to right through repeated halves, as long as they may hide a crossing.
Lookout::Sight Lookout::search(const solution::DenseStep& step, std::size_t i, Stretch whole) {
  const double length = whole.end - whole.begin;
  const double resolution = time_resolution(whole.end, length, tolerances_.time_tolerance);
  std::array<Stretch, most_stretches> stretches;
  std::size_t count = 0;
  stretches[count++] = whole;
  while (count > 0) {
    const Stretch stretch = stretches[--count];
    const double width = stretch.end - stretch.begin;
    const bool ends_negative = stretch.value_end < 0.0;
    if (width <= narrowest * length || width <= 4 * resolution) {
      if (ends_negative) return narrow_down(step, i, stretch, straight_zero(stretch));
      continue;
    }
    if (samples_left_ <= 0) return give_up(step, i, whole, stretch.begin);
    SignBound::Values values;
    values.front() = stretch.value_begin;
    values.back() = stretch.value_end;
    for (std::size_t node = 1; node + 1 < SignBound::points; ++node) {
      const Value inner = follow(step, i, stretch.begin + SignBound::nodes()[node] * width);
      if (!inner.is_defined) return Sight::Undefined;
      values[node] = inner.value;
    }
    if (const std::optional<Sight> told = tell(step, i, stretch, values)) {
      if (*told != Sight::Nothing) return *told;
      continue;
    }
    const double middle = stretch.begin + 0.5 * width;
    const Value at_middle = follow(step, i, middle);
    if (!at_middle.is_defined) return Sight::Undefined;
    // What is after a negative value needs no look: the first crossing is before it.
    if (at_middle.value >= 0.0)
      stretches[count++] = {middle, stretch.end, at_middle.value, stretch.value_end};
    stretches[count++] = {stretch.begin, middle, stretch.value_begin, at_middle.value};
  }
  return Sight::Nothing;
}

// It moves too fast: only a crossing that shows at the end is seen.
Lookout::Sight Lookout::give_up(const solution::DenseStep& step, std::size_t i,
                                const Stretch& whole, double t) {
  if (std::ranges::find(unresolved_, i, &Unresolved::indicator) == unresolved_.end())
    unresolved_.push_back({i, t});
  return whole.value_end < 0.0 ? narrow_down(step, i, whole, straight_zero(whole)) : Sight::Nothing;
}

// Also returns the value at the guess, if the guess is inside the stretch.
Lookout::Sight Lookout::narrow_down(const solution::DenseStep& step, std::size_t i,
                                    const Stretch& stretch, double guess, double* value_at_guess) {
  // Once it is clearly positive, it is treated like any other.
  const double lift = stretch.value_begin > -2.0 * watched_[i].floor ? watched_[i].floor : 0.0;
  Bracket bracket{stretch.begin, stretch.end, stretch.value_begin + lift, stretch.value_end + lift};
  const double resolution =
      time_resolution(stretch.end, step.end() - step.begin(), tolerances_.time_tolerance);
  if (!(guess > stretch.begin && guess < stretch.end)) value_at_guess = nullptr;
  const bool is_defined = narrow(bracket, guess, resolution, [&](double t) {
    const Value value = follow(step, i, t);
    if (value_at_guess != nullptr) *std::exchange(value_at_guess, nullptr) = value.value;
    return std::pair(value.value + lift, value.is_defined);
  });
  if (!is_defined) return Sight::Undefined;
  crossing_ = limit_ = bracket.behind;
  crossing_indicator_ = i;
  return Sight::Crossing;
}

bool Lookout::is_tolerated(std::size_t i, double t, std::span<const double> y) {
  confirmed_ = std::numeric_limits<double>::quiet_NaN();
  if (!evaluate(t, y, margins_)) return false;
  const double margin = margins_[i];
  return disturb_by_tolerances(t, y) && std::abs(margin) <= std::abs(margins_[i] - margin);
}

double Lookout::excursion(std::size_t i, const solution::DenseStep& step, double t,
                          std::span<const double> y) {
  constexpr double far_away = std::numeric_limits<double>::infinity();
  if (!evaluate(t, y, margins_)) return far_away;
  const double margin = margins_[i];
  if (!disturb_by_tolerances(t, y)) return far_away;
  const double tolerated = std::abs(margins_[i] - margin);
  const Value middle = follow(step, i, from_ + 0.5 * (t - from_));
  if (!middle.is_defined) return far_away;
  const double largest = std::max(watched_[i].largest, std::abs(middle.value + watched_[i].floor));
  return largest == 0.0 ? 0.0 : largest / tolerated;
}

void Lookout::pass(const solution::DenseStep& step) {
  last_length_ = step.end() - from_;
  from_ = step.end();
  if (is_idle_) return;
  for (std::size_t i = 0; i < count_; ++i) {
    watched_[i].pace *= 1.0 - forgotten;
    note_pace(i, end_[i] - begin_[i], last_length_);
    if (is_sampled_) note_sampled_pace(i);
    if (watched_[i].floor < 0.0 && end_[i] > watched_[i].noise) watched_[i].floor = 0.0;
    watched_[i].largest = std::max(watched_[i].largest, std::abs(end_[i]));
    watched_[i].rises = from_;
  }
  if (!fresh_.empty())
    std::erase_if(fresh_, [&](std::size_t i) { return end_[i] > watched_[i].noise; });
  std::swap(before_, begin_);
  std::swap(begin_, end_);
}

std::optional<double> Lookout::unsteady_rise(std::size_t i, const solution::DenseStep& step,
                                             double t) {
  if (t != step.end() && !evaluate(step, t, margins_)) return std::nullopt;
  const double rise = (t == step.end() ? end_[i] : margins_[i]) - begin_[i];
  if (!(rise > watched_[i].noise)) return std::nullopt;
  const double share = first_moments.back();
  if (!evaluate(step, from_ + share * (t - from_), margins_)) return std::nullopt;
  return margins_[i] - begin_[i] < steady * share * rise ? std::optional(rise) : std::nullopt;
}

void Lookout::state_at(const solution::DenseStep& step, double t, std::span<double> y) const {
  if (t == confirmed_) {
    linalg::copy_fresh(y_, y);
  } else {
    step.at(t, y);
  }
}

std::span<const std::size_t> Lookout::crossed(const solution::DenseStep& step, double t,
                                              std::span<const double> y) {
  crossed_.clear();
  const bool is_defined = t == confirmed_ || evaluate(t, y, margins_);
  bool touches = false;
  if (fresh_.empty()) depth_ = 0.0;
  for (std::size_t i = 0; i < count_; ++i) {
    watched_[i].rounding = state_rounding * std::max(std::abs(begin_[i]), std::abs(end_[i]));
    const bool is_negative = is_defined && shifted(i, margins_[i]) < 0.0;
    if (!is_negative && i != crossing_indicator_) {
      touches |= is_defined && margins_[i] == 0.0 && begin_[i] > 0.0;
      continue;
    }
    crossed_.push_back(i);
    if (is_defined) depth_ = std::max(depth_, std::abs(margins_[i]));
  }
  if (touches) add_what_falls(step, t);
  return crossed_;
}

void Lookout::archive(Archive& a) {
  a(arc_begin_, from_, last_length_, is_idle_, steps_to_spot_check_, checked_length_, may_rest_,
    watched_, begin_, end_, before_, unresolved_, fresh_, depth_, crossed_, crossing_,
    crossing_indicator_);
}

// What has come down to 0 and continues below it becomes negative at the same instant.
void Lookout::add_what_falls(const solution::DenseStep& step, double t) {
  for (std::size_t i = 0; i < count_; ++i) watched_[i].lowest = margins_[i];
  if (!(step.begin() <= t && t < step.end()) ||
      !evaluate(step, t + first_moments.back() * (step.end() - t), margins_))
    return;
  for (std::size_t i = 0; i < count_; ++i) {
    if (watched_[i].lowest == 0.0 && begin_[i] > 0.0 && margins_[i] < 0.0 &&
        i != crossing_indicator_)
      crossed_.push_back(i);
  }
  std::ranges::sort(crossed_);
}

}  // namespace daedalus::hybrid
