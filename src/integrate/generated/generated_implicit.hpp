// Steps of a fully implicit Runge-Kutta method by generated code.
#pragma once

#include "integrate/damping.hpp"
#include "integrate/generated/iteration.hpp"
#include "integrate/implicit/implicit_stepper.hpp"

namespace daedalus::integrate {

// The library's stepper works in the frame of the generated step: it takes the steps that the code
// cannot take (an elimination that loses too many digits, a value that is not finite, which the
// library can explain), judges the others as its own, and gives the dense output of all.
class GeneratedImplicit final : public Stepper {
 public:
  struct Setup {
    const StepCode& code;
    const ErrorNorm& norm;
    NewtonLimits limits;
    Estimation estimation;
  };
  // Several that take turns share a Jacobian.
  GeneratedImplicit(std::shared_ptr<const ImplicitCoefficients> coefficients,
                    const system::System& system, const Setup& setup,
                    std::shared_ptr<Jacobian> jacobian);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                     Evaluator& evaluator) override {
    return library_.restart(t, y, slope, evaluator);
  }
  void take_values(const Evaluator& evaluator, Taken what) override {
    iteration_.take_values(evaluator, what);
  }
  std::span<const double> values() const override { return step_.model_values(); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override { library_.reject(why); }

  // As of ImplicitStepper.
  void go_on_from(const GeneratedImplicit& other);
  double rate() const { return library_.rate(); }

  std::span<double> begin() override { return library_.begin(); }
  std::span<const double> result() const override { return step_.result(); }
  std::span<const double> derivative() const override { return library_.derivative(); }
  std::span<double> work() override { return library_.work(); }
  bool may_damp(double h) const override {
    return is_generated_ ? integrate::may_damp(h, iteration_.jacobian_size())
                         : library_.may_damp(h);
  }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override {
    library_.interpolate(y0, h, x, y);
  }
  void archive(Archive& a) override { a(step_, library_, is_generated_); }

 private:
  std::optional<Attempt> take_step(double t, double h, std::span<const double> y,
                                   solution::Statistics& statistics);
  void run(double t, double h, std::span<const double> y, solution::Statistics& statistics);

  std::shared_ptr<const ImplicitCoefficients> coefficients_;
  bool estimates_;
  GeneratedStep step_;
  Iteration iteration_;
  ImplicitStepper library_;
  bool is_generated_ = false;  // the last attempt was
};

}  // namespace daedalus::integrate
