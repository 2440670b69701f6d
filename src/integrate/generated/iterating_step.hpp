// The common part of generated steps that iterate.
#pragma once

#include <optional>

#include "integrate/generated/generated_step.hpp"
#include "integrate/newton/freshness.hpp"

namespace daedalus::integrate {

// Tells the step what to renew, and notes it as done.
inline Renewal plan(GeneratedStep& step, Freshness& freshness, double h,
                    solution::Statistics& statistics) {
  const Renewal renewal = freshness.plan(h, statistics);
  if (renewal.jacobian) {
    ++statistics.jac_evals;
    freshness.jacobian_is_new();
  }
  statistics.factorizations += renewal.factors ? 1 : 0;
  freshness.factors_are_new(h);
  step.ask_for(renewal);
  return renewal;
}

// The result of a step that `run` runs and counts, once or, if f at the end contradicts the stages,
// twice. None: the step is handed back.
template <class Run>
std::optional<Attempt> judge(GeneratedStep& step, const Freshness& freshness, const Run& run) {
  run();
  if (step.is_doubtful()) {
    step.go_on();
    run();
    if (step.is_doubtful()) return freshness.contradicted();
  }
  if (!step.can_be_judged()) return std::nullopt;
  if (step.verdict() != StepVerdict::Converged) return freshness.not_converged(step.step_factor());
  if (!step.is_sound()) return std::nullopt;
  return Attempt{.error = step.error(),
                 .iterations = step.iterations(),
                 .rate = step.rate(),
                 .worst = step.worst()};
}

// Has the library take a step from y instead, by calling `here`. The generated step and the library
// do not share the Jacobian or its factors.
template <class Here>
Attempt hand_back(GeneratedStep& step, Freshness& freshness,
                  std::optional<solution::JacobianCause> wanted, std::span<const double> y,
                  Evaluator& evaluator, ErrorNorm& norm, const Here& here) {
  ++evaluator.statistics.handed_back;
  freshness.forget(wanted);
  norm.set_scale(y);
  const Attempt attempt = here();
  step.take_back(evaluator, attempt);
  freshness.forget(wanted);
  return attempt;
}

}  // namespace daedalus::integrate
