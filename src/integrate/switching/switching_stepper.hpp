// Steps of an explicit method where accuracy limits them, and of an implicit one where stability
// would.
#pragma once

#include <memory>
#include <optional>

#include "daedalus/methods/switching.hpp"
#include "integrate/diagonal/diagonal_stepper.hpp"
#include "integrate/explicit/explicit_stepper.hpp"
#include "integrate/stepper.hpp"
#include "integrate/switching/equilibrium.hpp"
#include "integrate/switching/spectral_radius.hpp"
#include "integrate/switching/stability_watch.hpp"

namespace daedalus::integrate {

// Cameron and Gani 1988. A run starts with the explicit method. It goes over to the implicit one
// when the test of the equilibrium says so, unless the rest of the run would cost less with the
// explicit one; and back where that would be well within its stability. Events keep the method.
class SwitchingStepper final : public Stepper {
 public:
  // `stop` is the end of the run.
  SwitchingStepper(const methods::Switching& method, std::unique_ptr<ExplicitStepper> nonstiff,
                   std::unique_ptr<DiagonalStepper> stiff, double stop);

  void attach(solution::Statistics& statistics) override { statistics_ = &statistics; }
  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                     Evaluator& evaluator) override;
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override { active().reject(why); }
  std::size_t regime(double next_h) override;

  std::span<double> begin() override { return nonstiff_->begin(); }
  std::span<const double> result() const override { return active().result(); }
  std::span<const double> derivative() const override { return active().derivative(); }
  std::span<double> work() override { return active().work(); }
  bool may_damp(double h) const override { return active().may_damp(h); }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override {
    active().prepare_interpolation(t, h, y, evaluator);
  }
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override {
    active().interpolate(y0, h, x, y);
  }
  void archive(Archive& a) override;

 private:
  // What has been decided and not yet been done, since that needs the next attempt.
  struct Decision {
    solution::SwitchReason reason;
    bool is_begun;  // the method has its start values
  };

  Stepper& active() { return is_stiff_ ? static_cast<Stepper&>(*stiff_) : *nonstiff_; }
  const Stepper& active() const {
    return is_stiff_ ? static_cast<const Stepper&>(*stiff_) : *nonstiff_;
  }
  bool is_worth_switching(double h) const;
  void decide(bool is_stiff, solution::SwitchReason reason);
  Evaluation begin_method(double t, std::span<const double> y, Evaluator& evaluator);
  void record(double t, double h, solution::Statistics& statistics);
  void read_jacobian(const solution::Statistics& statistics);

  const methods::Switching& method_;
  std::unique_ptr<ExplicitStepper> nonstiff_;
  std::unique_ptr<DiagonalStepper> stiff_;
  double stop_;
  EquilibriumTest equilibrium_;
  SpectralRadius spectral_radius_;
  StabilityWatch stability_watch_;
  bool is_stiff_ = false;
  std::optional<Decision> decision_;
  bool first_order_succeeds_ = false;           // in the last attempt of the explicit method
  double end_ = 0.0;                            // of the last attempt
  double lambda_ = 0.0;                         // by the last Jacobian; 0: there is none
  std::size_t jacobians_ = 0;                   // when that was read
  solution::Statistics* statistics_ = nullptr;  // of the run
};

}  // namespace daedalus::integrate
