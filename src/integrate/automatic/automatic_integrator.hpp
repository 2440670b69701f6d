// Steps of an explicit or an implicit method of the catalogue, whichever is faster at the moment.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "integrate/automatic/judge.hpp"
#include "integrate/automatic/members.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/stateless_integrator.hpp"
#include "integrate/step_loop.hpp"
#include "integrate/switching/spectral_radius.hpp"

namespace daedalus::integrate {

// Each method has a step loop of its own, which is made when it is first needed; they share the
// evaluator, and with it what is held and the counts. A change takes place when the step has been
// left, so that until then it can be interpolated or taken again. Events keep the method.
class AutomaticIntegrator final : public Integrator {
 public:
  static Result<std::unique_ptr<Integrator>> make(const system::System& system, Options options,
                                                  FindSteps find_steps);

  solution::Ended start(std::span<const double> y) override;
  solution::Ended advance() override;
  const solution::DenseStep& step() const override {
    return active_ == nullptr ? nothing_ : active_->step();
  }
  solution::Ended retake(double end) override { return active_->retake(end); }
  solution::Ended go_on(double stop) override { return active_->go_on(stop); }
  solution::Ended restart(double t, std::span<const double> y, double stop,
                          double initial_step) override {
    judge_.event();
    return active_->restart(t, y, stop, initial_step);
  }
  double step_size() const override { return active_->step_size(); }
  void hold(system::Held& held) override { evaluator_.hold(held); }
  system::Held& held() override { return evaluator_.held(); }
  solution::EventCounts& event_counts() override { return evaluator_.statistics.events; }
  double time() const override { return active_ == nullptr ? options_.start : active_->time(); }
  std::span<const double> state() const override { return active_->state(); }
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }
  void archive(Archive& a) override;

 private:
  enum class Side : std::uint8_t { Explicit, Implicit };

  // The size of the largest eigenvalue of a Jacobian with that norm and trace.
  struct Measured {
    double bound = 0.0;
    double trace = 0.0;
    double lambda = 0.0;
    void archive(Archive& a) { a(bound, trace, lambda); }
  };

  AutomaticIntegrator(const system::System& system, Options options, FindSteps find_steps);

  bool may_change() const { return !members_.nonstiff.empty(); }
  const std::string& method(Side side) const {
    return side == Side::Explicit ? members_.nonstiff : members_.stiff;
  }
  std::unique_ptr<StepLoop>& loop(Side side) { return loops_[static_cast<std::size_t>(side)]; }
  std::optional<Error> prepare(Side side);
  Side first_side(std::span<const double> y);
  void look(double t, std::span<const double> y);
  void measure();
  void limit_steps();
  void judge();
  std::optional<solution::SwitchReason> judge_explicit();
  std::optional<solution::SwitchReason> judge_implicit();
  void estimate(const Jacobian& jacobian, double h);
  bool is_clearly_stiff(double h) const;
  solution::Ended change();
  solution::Ended rescue(const solution::Outcome& outcome);
  void record(solution::SwitchReason reason, Side from);

  const system::System& system_;
  Options options_;
  FindSteps find_steps_;
  Members members_;
  Evaluator evaluator_;
  std::array<std::unique_ptr<StepLoop>, 2> loops_;
  StepLoop* active_ = nullptr;  // before the start
  EmptyStep nothing_;           // which step() shows then
  Side side_ = Side::Implicit;
  Judge judge_;
  std::optional<solution::SwitchReason> decision_;  // which has not been carried out
  SpectralRadius spectral_radius_;
  std::optional<Jacobian> jacobian_;  // where the steps have none at hand
  double lambda_ = 0.0;               // 0: not known
  bool is_measured_ = false;          // otherwise it is a bound, or a guess
  double bound_ = 0.0;                // of that of the implicit method's last Jacobian,
  double share_of_bound_ = 1.0;       // and what it was of it when both were known
  std::size_t looks_at_norms_ = 0;    // since then
  double trace_ = 0.0;                // of that Jacobian, if it was looked at
  Measured measured_;                 // last, of such a Jacobian
  std::size_t jacobians_ = 0;         // when that was found
};

}  // namespace daedalus::integrate
