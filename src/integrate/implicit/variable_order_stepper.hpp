// Steps with one of several fully implicit methods, of the order that suits the solution.
#pragma once

#include <memory>
#include <vector>

#include "integrate/generated/generated_implicit.hpp"
#include "integrate/implicit/implicit_stepper.hpp"

namespace daedalus::integrate {

// Of levels, by their places: the one that a run starts with, and the lowest that it goes down to.
struct LevelRange {
  std::size_t first = 0;
  std::size_t lowest = 0;
};

// The order follows the convergence of Newton's iteration (Hairer and Wanner 1999): where it is
// fast, large steps of a high order are solved as easily as small ones; where it is slow or fails,
// the steps are too large for the Jacobian, and a lower order takes smaller ones. All orders share
// one Jacobian. A level is an ImplicitStepper or a GeneratedImplicit.
template <class Level>
class VariableOrderStepper final : public Stepper {
 public:
  VariableOrderStepper(std::vector<std::unique_ptr<Level>> levels, LevelRange range)
      : levels_(std::move(levels)), range_(range) {}

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                     Evaluator& evaluator) override;
  void take_values(const Evaluator& evaluator, Taken what) override {
    for (const auto& level : levels_) level->take_values(evaluator, what);
  }
  std::span<const double> values() const override { return now().values(); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override;
  std::size_t first_regime() const override { return range_.first; }
  std::size_t regime(double next_h) override;

  std::span<double> begin() override { return levels_.front()->begin(); }
  std::span<const double> result() const override { return now().result(); }
  std::span<const double> derivative() const override { return now().derivative(); }
  std::span<double> work() override { return levels_[level_]->work(); }
  bool may_damp(double h) const override { return now().may_damp(h); }
  const Jacobian* jacobian() const override { return now().jacobian(); }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override {
    levels_[level_]->prepare_interpolation(t, h, y, evaluator);
  }
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override {
    now().interpolate(y0, h, x, y);
  }
  void archive(Archive& a) override {
    for (const auto& level : levels_) level->archive(a);
    a(level_, steps_since_change_, iterations_, contraction_, has_failed_, last_h_);
  }

 private:
  const Level& now() const { return *levels_[level_]; }
  std::size_t suitable_level(double step_ratio) const;
  void forget_steps();

  std::vector<std::unique_ptr<Level>> levels_;  // by order
  LevelRange range_;
  std::size_t level_ = 0;
  int steps_since_change_ = 0;
  int iterations_ = 0;        // of the last attempt
  double contraction_ = 0.0;  // of Newton's iteration, smoothed
  bool has_failed_ = false;   // Newton's iteration, since the last accepted step
  double last_h_ = 0.0;
};

extern template class VariableOrderStepper<ImplicitStepper>;
extern template class VariableOrderStepper<GeneratedImplicit>;

}  // namespace daedalus::integrate
