// What a run holds, for a caller that evaluates all variables along its steps.
#pragma once

#include <span>

#include "daedalus/base/archive.hpp"
#include "daedalus/runtime/model_system.hpp"

namespace daedalus::engine {

// At the start of a step, loops on which the derivatives depend have solutions near those of the
// run; the others, which the run does not solve, near those that were found last. Within a step all
// are followed from point to point.
class Followed {
 public:
  Followed(const runtime::ModelSystem& system, const system::Held& run)
      : system_(&system), run_(&run), held_(run) {}

  // Another step starts, or an event has been settled.
  void go_on() {
    if (held_.stamp() == run_->stamp()) return;
    system::Held next = *run_;
    system_->copy_other_guesses(held_, next);
    held_ = std::move(next);
  }
  // All variables at a point of the step; read them from system.values(scratch).
  system::Evaluation evaluate(double t, std::span<const double> y, system::Scratch& scratch) {
    const system::Evaluation said = system_->evaluate_all(t, y, {held_, scratch});
    if (said == system::Evaluation::Defined)
      system_->hold_solutions(system_->values(scratch), held_);
    return said;
  }
  const system::Held& held() const { return held_; }

  void archive(Archive& a) { a(held_); }

 private:
  const runtime::ModelSystem* system_;
  const system::Held* run_;  // must outlive this object
  system::Held held_;
};

}  // namespace daedalus::engine
