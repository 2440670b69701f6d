#include "capi/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "capi/errors.hpp"
#include "daedalus/base/build.hpp"

namespace daedalus::capi {
namespace {

Error contradicting(std::string what, std::string hint) {
  return {"usage.option", fmt::format("{} contradict each other", what), std::move(hint)};
}

Error outside(double t, double first, double last, std::string_view of_what) {
  return {"usage.argument",
          fmt::format("t = {} is not between {} and {}, {}", t, first, last, of_what),
          {}};
}

Error not_restored(std::string message) { return {"usage.argument", std::move(message), {}}; }

void archive_settings(Archive& a, integrate::Options& o) {
  a(o.start, o.stop, o.rtol, o.atol, o.initial_step, o.initial_slope, o.max_step, o.fixed_step,
    o.controller, o.norm, o.linear_solver, o.max_attempts);
}

// What the bytes of a run begin with.
struct Origin {
  std::string build, method;
  std::size_t size = 0;
  system::Form form = system::Form::Explicit;

  void archive(Archive& a) { a(build, method, size, form); }
};

}  // namespace

std::optional<Error> Run::check_start(const double* slope) const {
  const double step = settings_.fixed_step;
  if (step > 0.0 && settings_.controller != integrate::Controller::Family) {
    return contradicting(fmt::format("a fixed step of {} and the controller {}", step,
                                     integrate::controller_name(settings_.controller)),
                         "a fixed step is not controlled");
  }
  if (step > 0.0 && settings_.max_step < std::numeric_limits<double>::infinity()) {
    return contradicting(
        fmt::format("a fixed step of {} and a max step of {}", step, settings_.max_step),
        "set one of them");
  }
  if (step > 0.0 && settings_.initial_step > 0.0) {
    return contradicting(
        fmt::format("a fixed step of {} and an initial step of {}", step, settings_.initial_step),
        "set one of them");
  }
  if (slope != nullptr && system_.form() == system::Form::Explicit) {
    return Error{"usage.argument", "dydt0 is given, but f says what y' is",
                 "give NULL: it is for mass matrices and residuals"};
  }
  constexpr std::size_t most_entries = std::numeric_limits<int>::max();
  const bool is_dense = system_.jacobian_pattern() == nullptr;
  if (is_dense && system_.form() == system::Form::Residual && size() > most_entries / size()) {
    return Error{"usage.pattern", fmt::format("dF/dy' of {} variables is too large", size()),
                 "set the pattern of the Jacobian"};
  }
  return std::nullopt;
}

bool Run::is_repetition(Interval interval, std::span<const double> slope) const {
  return !are_settings_new_ && interval.begin == settings_.start &&
         interval.end == settings_.stop && std::ranges::equal(slope, settings_.initial_slope);
}

// Leaves everything as it was when there is an Error. The integrator before goes to `previous`.
std::optional<Error> Run::make_integrator(Interval interval, std::span<const double> slope,
                                          std::unique_ptr<integrate::Integrator>& previous) {
  integrate::Options options = settings_;
  options.start = interval.begin;
  options.stop = interval.end;
  options.initial_slope.assign(slope.begin(), slope.end());
  auto made = integrate::make_integrator(method_, system_, std::move(options));
  if (!made) return made.error();
  settings_.initial_slope.assign(slope.begin(), slope.end());
  settings_.start = interval.begin;
  settings_.stop = interval.end;
  are_settings_new_ = false;
  previous = std::exchange(integrator_, std::move(*made));
  return std::nullopt;
}

// Often y0 is the state of the run before, so its integrator lives until that has been copied.
daedalus_status Run::start(Interval interval, const double* y0, const double* slope) {
  if (const auto error = check_start(slope)) return invalid(*error);
  const std::span<const double> guess =
      slope != nullptr ? std::span(slope, size()) : std::span<const double>();
  std::unique_ptr<integrate::Integrator> previous;
  if (!is_repetition(interval, guess)) {
    if (const auto error = make_integrator(interval, guess, previous)) return invalid(*error);
  }
  is_stopped_.store(false, std::memory_order_relaxed);
  has_step_ = false;
  ended_.reset();
  outcome_ = {};
  warning_.clear();
  auto outcome = integrator_->start(std::span(y0, size()));
  look_for_warning();
  if (outcome) return end(std::move(*outcome));
  return DAEDALUS_OK;
}

void Run::look_for_warning() {
  const std::optional<solution::WrongJacobian>& wrong = statistics().wrong_jacobian;
  if (!wrong || !warning_.empty()) return;
  warning_ = solution::warning(*wrong, system_.variable_name(wrong->column));
}

// What a callback said counts more than what the integrator made of it.
daedalus_status Run::end(solution::Outcome outcome) {
  has_step_ = false;
  outcome_ = std::move(outcome);
  ended_ = DAEDALUS_FAILED;
  if (is_stopped_.load(std::memory_order_relaxed)) {
    ended_ = DAEDALUS_STOPPED;
    outcome_ = {.status = solution::Status::Terminated,
                .reason = solution::Reason::Interrupted,
                .time = time(),
                .message = fmt::format("a callback ended the run at t = {:.10g}", time())};
  }
  return tell_end();
}

// The integrator may have been left in the middle of something: the next start makes another.
void Run::abandon(daedalus_status status) {
  are_settings_new_ = true;
  has_step_ = false;
  outcome_ = {};
  ended_ = status;
}

daedalus_status Run::tell_end() const {
  if (*ended_ == DAEDALUS_OUT_OF_MEMORY) return out_of_memory();
  if (*ended_ == DAEDALUS_INTERNAL) return internal("an exception has ended the run");
  return failed(*ended_, Error{std::string(solution::reason_name(outcome_.reason)),
                               outcome_.message, outcome_.hint});
}

// At t_end the integrator is not asked for another step, so that the last one can be looked at.
daedalus_status Run::step() {
  if (ended_) return tell_end();
  if (!(time() < settings_.stop)) return DAEDALUS_FINISHED;
  auto outcome = integrator_->advance();
  look_for_warning();
  if (outcome) return end(std::move(*outcome));
  has_step_ = true;
  return DAEDALUS_OK;
}

daedalus_status Run::finish() {
  daedalus_status status = DAEDALUS_OK;
  while (status == DAEDALUS_OK) status = step();
  return status;
}

daedalus_status Run::advance(double t, double* y) {
  if (ended_) return tell_end();
  if (!(t >= step_begin() && t <= settings_.stop)) {
    return invalid(outside(t, step_begin(), settings_.stop, "what is left of the run"));
  }
  while (time() < t) {
    if (const daedalus_status status = step(); status != DAEDALUS_OK) return status;
  }
  return interpolate(t, y);
}

daedalus_status Run::interpolate(double t, double* y) {
  if (ended_) return tell_end();
  if (!(t >= step_begin() && t <= time())) {
    return invalid(outside(t, step_begin(), time(), "the last step"));
  }
  const std::span<double> values(y, size());
  if (t == time()) {
    std::ranges::copy(state(), values.begin());
    return DAEDALUS_OK;
  }
  integrator_->step().at(t, values);
  if (is_stopped_.load(std::memory_order_relaxed)) return end(solution::Outcome{});
  return DAEDALUS_OK;
}

daedalus_status Run::save(std::string& bytes) {
  if (ended_) return tell_end();
  Origin origin{build_identity(), std::string(method_), size(), system_.form()};
  Archive writer;
  writer(origin);
  archive_settings(writer, settings_);
  writer(has_step_, warning_, *integrator_);
  bytes = writer.bytes();
  return DAEDALUS_OK;
}

daedalus_status Run::restore(std::string_view bytes) {
  try {
    Archive reader(bytes);
    if (const auto error = read(reader)) return invalid(*error);
  } catch (const std::runtime_error& error) {
    return invalid(not_restored(fmt::format("these are no bytes of a run: {}", error.what())));
  }
  return DAEDALUS_OK;
}

std::optional<Error> Run::read(Archive& reader) {
  Origin origin;
  reader(origin);
  if (origin.build != build_identity())
    return not_restored("the run was saved by another build of the library");
  if (origin.method != method_ || origin.size != size() || origin.form != system_.form()) {
    return not_restored(
        fmt::format("the run was one of {} with {} variables, or another form of equations",
                    origin.method, origin.size));
  }
  integrate::Options settings = settings_;
  archive_settings(reader, settings);
  auto made = integrate::make_integrator(method_, system_, settings);
  if (!made) return made.error();
  bool has_step = false;
  std::string warning;
  reader(has_step, warning, **made);
  Archive::require(reader.is_at_end());
  integrator_ = std::move(*made);
  settings_ = std::move(settings);
  are_settings_new_ = false;
  has_step_ = has_step;
  warning_ = std::move(warning);
  is_stopped_.store(false, std::memory_order_relaxed);
  ended_.reset();
  outcome_ = {};
  return std::nullopt;
}

}  // namespace daedalus::capi
