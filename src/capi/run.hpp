// A daedalus_integrator: the settings, and the run that was started with them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capi/callback_system.hpp"
#include "capi/problem.hpp"
#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/integrator.hpp"

namespace daedalus::capi {

struct Interval {
  double begin = 0.0;
  double end = 0.0;
};

class Run {
 public:
  // `method` lives as long as the catalogue.
  Run(daedalus_problem& problem, std::string_view method)
      : problem_(problem), method_(method), system_(problem_.equations(), is_stopped_) {
    settings_.interrupt = &is_stopped_;
  }

  std::size_t size() const { return problem_.equations().size; }

  // To be changed: the next start makes a new integrator.
  integrate::Options& settings() {
    are_settings_new_ = true;
    return settings_;
  }

  daedalus_status start(Interval interval, const double* y0, const double* slope);
  daedalus_status step();
  daedalus_status advance(double t, double* y);
  daedalus_status finish();
  daedalus_status interpolate(double t, double* y);
  void abandon(daedalus_status status);  // something was thrown

  daedalus_status save(std::string& bytes);
  daedalus_status restore(std::string_view bytes);
  daedalus_problem& problem() const { return problem_.problem(); }
  std::string_view method() const { return method_; }

  // While a call is under way, callbacks must not make another: it would pull the step from under
  // the one that is being taken.
  class Call {
   public:
    explicit Call(Run& run) : run_(run) { run_.is_called_ = true; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { run_.is_called_ = false; }

   private:
    Run& run_;
  };
  bool is_called() const { return is_called_; }

  bool has_started() const { return integrator_ != nullptr; }
  double time() const { return integrator_->time(); }
  std::span<const double> state() const { return integrator_->state(); }
  double step_begin() const { return has_step_ ? integrator_->step().begin() : time(); }
  const solution::Outcome& outcome() const { return outcome_; }
  const std::string& warning() const { return warning_; }
  const solution::Statistics& statistics() const { return integrator_->statistics(); }

 private:
  std::optional<Error> check_start(const double* slope) const;
  bool is_repetition(Interval interval, std::span<const double> slope) const;
  std::optional<Error> make_integrator(Interval interval, std::span<const double> slope,
                                       std::unique_ptr<integrate::Integrator>& previous);
  std::optional<Error> read(Archive& reader);
  daedalus_status end(solution::Outcome outcome);
  daedalus_status tell_end() const;
  void look_for_warning();

  SharedProblem problem_;
  std::string_view method_;
  integrate::Options settings_;
  bool are_settings_new_ = true;
  std::atomic<bool> is_stopped_ = false;
  CallbackSystem system_;
  std::unique_ptr<integrate::Integrator> integrator_;  // of the last start
  bool is_called_ = false;                             // by a function that has not returned yet
  bool has_step_ = false;                              // to interpolate in
  std::optional<daedalus_status> ended_;               // before t_end
  solution::Outcome outcome_;                          // then
  std::string warning_;                                // of the run; empty: there is none
};

}  // namespace daedalus::capi

struct daedalus_integrator {
  daedalus::capi::Run run;
};
