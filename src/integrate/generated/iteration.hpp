// The common part of generated steps that iterate on their stages.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "integrate/generated/generated_step.hpp"
#include "integrate/newton/convergence.hpp"
#include "integrate/newton/freshness.hpp"

namespace daedalus::integrate {

class Iteration {
 public:
  // Of a step that lives longer.
  Iteration(GeneratedStep& step, const NewtonLimits& limits)
      : step_(step), places_(step.places_of<IterationPlaces>()) {
    step_[places_.newton.accuracy] = limits.accuracy;
    step_[places_.newton.most_iterations] = limits.most_iterations;
    step_[places_.newton.least_remaining] = limits.least_remaining;
    if (places_.jacobian_size != 0)
      step_[places_.jacobian_size] = std::numeric_limits<double>::infinity();
    forget_rate();
  }

  const IterationPlaces& places() const { return places_; }
  void forget_rate() { step_[places_.newton.remaining] = 1.0; }

  std::span<const double> jacobian() const {
    return std::as_const(step_).values(places_.jacobian, places_.jacobian_entries);
  }
  double jacobian_size() const {
    return places_.jacobian_size == 0 ? std::numeric_limits<double>::infinity()
                                      : step_[places_.jacobian_size];
  }
  void take_jacobian(const Iteration& other) {
    std::ranges::copy(other.jacobian(),
                      step_.values(places_.jacobian, places_.jacobian_entries).begin());
  }

  void take_values(const Evaluator& evaluator, Taken what) {
    step_.take_values(evaluator, what);
    if (what == Taken::All && places_.torn) step_[places_.torn->knows_last_step] = 0.0;
  }
  void take_back(const Evaluator& evaluator, const Attempt& attempt) {
    if (attempt.rejection() == Rejection::None) take_values(evaluator, Taken::All);
  }

  // The last attempt becomes a step: loops keep the solutions that it found, unless the library has
  // taken it.
  void accept() {
    if (!places_.torn || step_[places_.torn->knows_last_step] == 0.0) return;
    for (const FoundAt& found : places_.torn->found) step_[found.symbol] = step_[found.place];
  }

  // Tells the step what to renew, and notes it as done.
  Renewal plan(Freshness& freshness, double h, solution::Statistics& statistics) {
    const Renewal renewal = freshness.plan(h, statistics);
    if (renewal.jacobian) {
      ++statistics.jac_evals;
      freshness.jacobian_is_new();
    }
    statistics.factorizations += renewal.factors ? 1 : 0;
    freshness.factors_are_new(h);
    ask_for(renewal);
    return renewal;
  }

  // The result of a step that `run` runs and counts, once or, if f at the end contradicts the
  // stages, twice. None: the step is handed back.
  template <class Run>
  std::optional<Attempt> judge(const Freshness& freshness, const Run& run) {
    set_goes_on(false);
    run();
    if (is_doubtful()) {
      go_on();
      run();
      if (is_doubtful()) return freshness.contradicted();
    }
    if (!can_be_judged()) return std::nullopt;
    if (verdict() != StepVerdict::Converged)
      return freshness.not_converged(step_[places_.newton.step_factor]);
    if (!step_.is_sound()) return std::nullopt;
    return Attempt{
        .error = step_.error(), .iterations = iterations(), .rate = rate(), .worst = step_.worst()};
  }

  // Has the library take a step from y instead, by calling `library`. The generated step and the
  // library do not share the Jacobian or its factors.
  template <class Library>
  Attempt hand_back(Freshness& freshness, std::optional<solution::JacobianCause> wanted,
                    std::span<const double> y, Evaluator& evaluator, ErrorNorm& norm,
                    const Library& library) {
    ++evaluator.statistics.handed_back;
    freshness.forget(wanted);
    norm.set_scale(y);
    const Attempt attempt = library();
    take_back(evaluator, attempt);
    freshness.forget(wanted);
    return attempt;
  }

  int iterations() const { return static_cast<int>(step_[places_.newton.iterations]); }
  std::size_t all_iterations() const {
    return static_cast<std::size_t>(step_[places_.newton.all_iterations]);
  }
  double rate() const { return step_[places_.newton.rate]; }

 private:
  StepVerdict verdict() const { return static_cast<StepVerdict>(step_[places_.newton.verdict]); }
  bool is_doubtful() const { return step_[places_.is_doubtful] != 0.0; }
  // Whether the iteration had finite values, and factors that can be trusted.
  bool can_be_judged() const {
    return verdict() != StepVerdict::NotFinite && step_.growth() <= largest_growth;
  }
  void ask_for(const Renewal& renewal) {
    step_[places_.new_jacobian] = renewal.jacobian ? 1.0 : 0.0;
    step_[places_.new_factors] = renewal.factors ? 1.0 : 0.0;
  }
  // The next run starts the iteration where the last one ended, trusting nothing.
  void go_on() {
    set_goes_on(true);
    ask_for({});
    forget_rate();
  }
  void set_goes_on(bool goes_on) {  // if the method's steps have this input
    if (places_.goes_on != 0) step_[places_.goes_on] = goes_on ? 1.0 : 0.0;
  }

  GeneratedStep& step_;
  const IterationPlaces& places_;
};

}  // namespace daedalus::integrate
