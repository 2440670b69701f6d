#include "daedalus/engine/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/methods/method.hpp"
#include "engine/other_states.hpp"

namespace daedalus::engine {
namespace {

using solution::EventRecord;
using solution::Solution;
using solution::Table;

constexpr double most_digits = 16.0;
constexpr double tightening = 100.0;
constexpr double tightest_rtol = 1e-13;
constexpr double parting_errors = 10.0;  // in tolerances

// A time for which both runs have a row: the last one at that time, after any events there.
struct CommonPoint {
  double t = 0.0;
  std::size_t first = 0, second = 0;  // rows
};

std::vector<CommonPoint> common_points(const Table& first, const Table& second) {
  std::vector<CommonPoint> points;
  const auto last_at = [](const Table& table, std::size_t row) {
    while (row + 1 < table.rows() && table.time(row + 1) == table.time(row)) ++row;
    return row;
  };
  for (std::size_t i = 0, j = 0; i < first.rows() && j < second.rows();) {
    const double a = first.time(i), b = second.time(j);
    if (a == b) {
      i = last_at(first, i);
      j = last_at(second, j);
      points.push_back({a, i, j});
    }
    i += a <= b ? 1 : 0;
    j += b <= a ? 1 : 0;
  }
  return points;
}

std::vector<const EventRecord*> events_of(const Solution& solution) {
  std::vector<const EventRecord*> events;
  for (const EventRecord& record : solution.events.records) {
    if (!record.is_end) events.push_back(&record);
  }
  return events;
}

std::string text_of(const Solution& solution, const EventRecord& record) {
  std::string text;
  for (const std::size_t cause : record.causes)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", solution.events.causes[cause].text);
  return text.empty() ? "an event" : text;
}

// The events of both runs side by side, as far as they have the same causes.
class EventPairs {
 public:
  EventPairs(const Solution& first, const Solution& second)
      : first_run_(first),
        second_run_(second),
        first_(events_of(first)),
        second_(events_of(second)) {
    const std::size_t most = std::min(first_.size(), second_.size());
    while (same_ < most && is_same(same_, same_)) ++same_;
  }

  // Whether a point lies between the times that the runs give for one event; only events next to it
  // in the first run are looked at.
  bool is_between(double t) const {
    const auto same = std::span(first_).first(same_);
    const auto next = std::ranges::lower_bound(same, t, {}, &EventRecord::t) - same.begin();
    const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - 2, 0));
    for (std::size_t k = from; k < std::min(same_, from + 4); ++k) {
      const auto [low, high] = std::minmax(first_[k]->t, second_[k]->t);
      if (low <= t && t <= high && low < high) return true;
    }
    return false;
  }

  // Why the runs part, from the first event that is not the same, if it is no later than t.
  std::optional<Parting> parting_before(double t) const {
    const bool in_first = same_ < first_.size(), in_second = same_ < second_.size();
    if (!in_first && !in_second) return std::nullopt;
    const double at = std::min(in_first ? first_[same_]->t : second_[same_]->t,
                               in_second ? second_[same_]->t : first_[same_]->t);
    if (at > t) return std::nullopt;
    Parting parting{.t = t, .cause = cause(), .event_time = at};
    const bool names_second = parting.cause == Parting::Cause::MissingEvent;
    parting.event = names_second ? text_of(second_run_, *second_[same_])
                    : in_first   ? text_of(first_run_, *first_[same_])
                                 : text_of(second_run_, *second_[same_]);
    return parting;
  }

 private:
  bool is_same(std::size_t i, std::size_t j) const {
    return i < first_.size() && j < second_.size() && first_[i]->causes == second_[j]->causes &&
           first_[i]->passage == second_[j]->passage;
  }

  Parting::Cause cause() const {
    const std::size_t k = same_;
    if (is_same(k, k + 1) && is_same(k + 1, k)) return Parting::Cause::SwappedEvents;
    if (k >= first_.size() || is_same(k, k + 1)) return Parting::Cause::MissingEvent;
    if (k >= second_.size() || is_same(k + 1, k)) return Parting::Cause::ExtraEvent;
    return Parting::Cause::OtherEvents;
  }

  const Solution& first_run_;
  const Solution& second_run_;
  std::vector<const EventRecord*> first_, second_;
  std::size_t same_ = 0;  // the number of first events that are the same
};

double digits_of(double error, double scale) {
  if (error == 0.0) return most_digits;
  return std::clamp(-std::log10(error / scale), 0.0, most_digits);
}

// One variable of both runs at the common points.
struct Compared {
  const solution::Variable* first;
  const solution::Variable* second;
  double scale = 0.0;
};

class Comparison {
 public:
  Comparison(const Solution& first, const Solution& second, const Promise& promise)
      : first_(first), second_(second), promise_(promise), events_(first, second) {
    points_ = common_points(first.table, second.table);
    std::erase_if(points_, [&](const CommonPoint& point) { return events_.is_between(point.t); });
    for (const solution::Variable& variable : first.table.variables) {
      const solution::Variable* other = second.table.find(variable.name);
      if (variable.is_constant || other == nullptr) continue;
      compared_.push_back({&variable, other, promise.atol / promise.rtol});
      for (const CommonPoint& point : points_) {
        compared_.back().scale =
            std::max({compared_.back().scale, std::abs(first.table.value(variable, point.first)),
                      std::abs(second.table.value(*other, point.second))});
      }
    }
  }

  Verification result() const {
    Verification result{.method = second_.method,
                        .outcome = second_.outcome,
                        .promised = -std::log10(promise_.rtol)};
    for (const Compared& one : compared_) result.variables.push_back(agreement(one));
    result.parting = parting();
    return result;
  }

 private:
  double error(const Compared& one, const CommonPoint& point) const {
    return std::abs(first_.table.value(*one.first, point.first) -
                    second_.table.value(*one.second, point.second));
  }

  Agreement agreement(const Compared& one) const {
    Agreement agreement{.name = one.first->name};
    for (const CommonPoint& point : points_) {
      const double digits = digits_of(error(one, point), one.scale);
      agreement.at_end = digits;
      if (digits >= agreement.digits) continue;
      agreement.digits = digits;
      agreement.worst_at = point.t;
    }
    return agreement;
  }

  std::optional<Parting> parting() const {
    for (const CommonPoint& point : points_) {
      const Compared* worst = nullptr;
      double most = parting_errors * promise_.rtol;
      bool is_state = false;
      for (const Compared& one : compared_) {
        const double relative = error(one, point) / one.scale;
        if (!(relative > parting_errors * promise_.rtol)) continue;
        is_state =
            is_state || std::ranges::find(first_.states, one.first->name) != first_.states.end();
        if (relative <= most) continue;
        most = relative;
        worst = &one;
      }
      if (worst == nullptr) continue;
      Parting parting = events_.parting_before(point.t).value_or(
          Parting{.t = point.t,
                  .cause = is_state ? Parting::Cause::Sensitivity : Parting::Cause::OtherBranch});
      parting.variable = worst->first->name;
      return parting;
    }
    return std::nullopt;
  }

  const Solution& first_;
  const Solution& second_;
  Promise promise_;
  EventPairs events_;
  std::vector<CommonPoint> points_;
  std::vector<Compared> compared_;
};

bool is_rosenbrock(const std::string& method) {
  const Result<methods::Method> found = methods::require_method(method);
  return found && std::holds_alternative<const methods::Rosenbrock*>(*found);
}

// A method with which any model can be run, stiff or not.
std::string other_family(const Solution& first) {
  const auto& switches = first.statistics.switches;
  const bool has_rosenbrock = is_rosenbrock(first.method) ||
                              std::ranges::any_of(switches, is_rosenbrock, &solution::Switch::to);
  return has_rosenbrock ? "radau" : "rodas5p";
}

}  // namespace

std::string_view parting_cause_name(Parting::Cause cause) {
  switch (cause) {
    case Parting::Cause::ExtraEvent:
      return "extra-event";
    case Parting::Cause::MissingEvent:
      return "missing-event";
    case Parting::Cause::SwappedEvents:
      return "swapped-events";
    case Parting::Cause::OtherEvents:
      return "other-events";
    case Parting::Cause::OtherBranch:
      return "other-branch";
    case Parting::Cause::Sensitivity:
      return "sensitivity";
  }
  return "";
}

std::vector<const Agreement*> Verification::doubtful() const {
  std::vector<const Agreement*> found;
  for (const Agreement& agreement : variables) {
    if (agreement.digits < promised - 1.0) found.push_back(&agreement);
  }
  return found;
}

const Agreement* Verification::worst() const {
  const auto found = std::ranges::min_element(variables, {}, &Agreement::digits);
  return found == variables.end() ? nullptr : &*found;
}

std::string Verification::run_name() const {
  std::string name = fmt::format("{} at rtol = {:g}", method, rtol);
  if (!other_states.empty())
    name += fmt::format(" with other states (`{}`)", fmt::join(other_states, "`, `"));
  return name;
}

std::string Verification::summary() const {
  const std::string second = run_name();
  if (outcome.status == solution::Status::Failed)
    return fmt::format("{} fails at t = {:g} s: {}", second, outcome.time, outcome.message);
  const Agreement* least = worst();
  if (least == nullptr) return fmt::format("{}: nothing varies", second);
  return fmt::format("{} agrees to {:.1f} digits or more (`{}` at t = {:g} s)", second,
                     least->digits, least->name, least->worst_at);
}

std::string Verification::parting_text() const {
  if (!parting) return "";
  const std::string where =
      fmt::format("from t = {:g} s on, `{}` differs by more than ten tolerances", parting->t,
                  parting->variable);
  switch (parting->cause) {
    case Parting::Cause::ExtraEvent:
      return fmt::format("{}: only this run has the event of {} at t = {:.10g} s", where,
                         parting->event, parting->event_time);
    case Parting::Cause::MissingEvent:
      return fmt::format("{}: only the run with {} has the event of {} at t = {:.10g} s", where,
                         method, parting->event, parting->event_time);
    case Parting::Cause::SwappedEvents:
      return fmt::format("{}: two events come in another order, {} at t = {:.10g} s", where,
                         parting->event, parting->event_time);
    case Parting::Cause::OtherEvents:
      return fmt::format("{}: the runs have different events from {} at t = {:.10g} s on", where,
                         parting->event, parting->event_time);
    case Parting::Cause::OtherBranch:
      return fmt::format("{}, and no state does: it may be on another solution of a loop", where);
    case Parting::Cause::Sensitivity:
      return fmt::format("{}, and events do not: errors grow there, or are not seen", where);
  }
  return "";
}

Verification compare(const Solution& first, const Solution& second, const Promise& promise) {
  return Comparison(first, second, promise).result();
}

Result<Verification> verify(const Model& model, const Options& options, const Solution& first) {
  const Result<ResolvedOptions> resolved = resolve(options, model.experiment);
  if (!resolved) return resolved.error();
  Options second = options;
  second.row_sink = nullptr;
  second.event_sink = nullptr;
  second.keeps_rows = true;
  second.method = other_family(first);
  second.rtol = std::max(resolved->rtol / tightening, tightest_rtol);
  if (resolved->atol) second.atol = *resolved->atol / tightening;
  second.step.reset();
  second.real_time.reset();
  second.controller = integrate::Controller::Family;
  second.linear_solver = integrate::LinearSolver::Suitable;
  Result<Solution> again = simulate_with_other_states(model, second);
  if (!again) return again.error();
  Verification result =
      compare(first, *again,
              {.rtol = resolved->rtol, .atol = resolved->atol.value_or(resolved->default_atol())});
  result.rtol = *second.rtol;
  for (const std::string& state : again->states) {
    if (std::ranges::find(first.states, state) == first.states.end())
      result.other_states.push_back(state);
  }
  result.table = std::move(again->table);
  return result;
}

}  // namespace daedalus::engine
