// Whether the other one of an explicit and an implicit method would be faster.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "daedalus/base/archive.hpp"
#include "daedalus/solution/statistics.hpp"
#include "integrate/automatic/members.hpp"

namespace daedalus::integrate {

// Decides from the sizes of steps, the largest eigenvalue of the Jacobian and counted costs; never
// from a clock. An explicit method is left when stability has limited its steps for a while, unless
// events follow each other after so few steps that an implicit method would hardly need fewer; and
// an implicit one when the explicit one would be faster for several steps in a row, or has turned
// out to have been faster. Whoever was left in vain is left less readily the next time.
class Judge {
 public:
  // `stability_limit`: h lambda where the explicit method becomes unstable.
  Judge(const StepCosts& costs, double stability_limit)
      : costs_(costs), stability_limit_(stability_limit) {}

  // Whether a run of that length had better start with the implicit method.
  bool starts_stiff(double length, double lambda) const;

  // Whether so much of the run is left that implicit steps might save something, where an explicit
  // one has the size h.
  bool may_pay(double left, double h) const;

  // Before it can take its first step, the explicit method needs as long as so many implicit steps.
  void expect_preparation(double steps) { preparation_ = steps; }

  void start();    // of a run
  void changed();  // the other method takes the next steps

  // After a step of a method, the next one of size h; why the other one should take it.
  // `stiffness` is h times the largest eigenvalue in that step, as far as the step shows it; or the
  // step was kept short by what is known of the Jacobian.
  std::optional<solution::SwitchReason> after_explicit(double stiffness, bool was_limited,
                                                       double h);
  // `lambda` is the size of that eigenvalue. Each step of an implicit method is counted by
  // on_trial(), which needs it only as far as it is known (0: it is not).
  std::optional<solution::SwitchReason> on_trial(double h, double lambda);
  std::optional<solution::SwitchReason> after_implicit(double h, double lambda);

  // After a step of an implicit method that is not looked at because the one before was stiff.
  void still_stiff() { last_judged_ = steps_; }

  // Of the explicit method, for an eigenvalue of that size.
  double longest_stable_step(double lambda) const;
  // Whether a bound on the eigenvalues shows that the explicit method would be faster.
  bool is_surely_stable(double h, double bound) const { return saved_by_explicit(h, bound) > 0.0; }
  // Whether it is time to evaluate a Jacobian in order to know its eigenvalues; and that this has
  // been done. After an event they may be others.
  bool is_look_due() const;
  void looked(std::size_t apart = 16);  // steps, at most, to the next one
  void event() {
    constexpr std::size_t soon = 2, apart = 8;
    next_look_ = std::min(next_look_, std::max(steps_ + soon, last_look_ + apart));
    since_event_ = 0;
  }

  void archive(Archive& a) {
    a(steps_, since_event_, patience_, at_the_edge_, well_inside_, missed_, last_judged_,
      last_step_, edge_step_, last_look_, next_look_);
  }

 private:
  double saved_by_explicit(double h, double lambda) const;
  std::size_t steps_until_look(double price) const;

  StepCosts costs_;
  double stability_limit_;
  std::size_t steps_ = 0;        // since the last change
  std::size_t since_event_ = 0;  // or since the last change
  std::size_t patience_ = 1;     // with an explicit method at the edge of its stability
  std::size_t at_the_edge_ = 0;  // steps of the explicit method
  std::size_t well_inside_ = 0;  // and since it was last there
  double preparation_ = 0.0;
  double missed_ = 0.0;          // by not taking the explicit method, in implicit steps
  std::size_t last_judged_ = 0;  // the step after which that was found
  double last_step_ = 0.0;       // of the implicit method; 0: none
  double edge_step_ = 0.0;       // of the explicit method, when it was left there; 0: it was not
  std::size_t last_look_ = 0;
  std::size_t next_look_ = 1;
};

}  // namespace daedalus::integrate
