// Decides how a run goes on where events would not let it: along which surfaces, and from when on.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/solution/event_log.hpp"
#include "daedalus/solution/statistics.hpp"
#include "hybrid/constrained.hpp"

namespace daedalus::hybrid {

// What the events of an indicator look like.
struct Suspicion {
  bool is_accumulation = false;  // otherwise they chatter
  bool is_unseen = false;        // or have so little effect that they only matter if y jumps
  std::size_t indicator = 0;
  double limit = 0.0;             // of an accumulation
  std::vector<double> jump = {};  // by how much the last of them changed y
};

// Keeps the surfaces that the motion is on. After each event at which such a motion ends, and where
// a run was suspended because of a suspicion, form() looks for the motion from there.
class Regulariser {
 public:
  Regulariser(const Subject& subject, solution::EventLog* log, Stretches& stretches)
      : subject_(subject), log_(log), stretches_(stretches) {}

  // The motion on surfaces from (t, y) on; y may be moved within the tolerances. Null: there is
  // none, and the system moves freely. Afterwards the run holds what is right for the motion.
  std::unique_ptr<Constrained> form(double t, std::span<double> y, const Suspicion* suspicion);

  // Why nothing can be done about the suspicion, in words; empty: something was done.
  const std::string& refusal() const { return refusal_; }

  // The run has ended at t.
  void close(double t);

  void archive(Archive& a) { a(kept_); }
  // For a motion that was stored: on the surfaces that are kept, between the same sides as then.
  bool can_have(std::span<const system::Held> sides) const;
  std::unique_ptr<Constrained> motion_between(std::vector<system::Held> sides) const;

 private:
  struct Draft {
    std::unique_ptr<Constrained> motion = nullptr;
    std::size_t unfit = 0;  // without a motion: the constraint at fault, and why
    std::string why = {};
  };
  struct Violation {
    std::size_t constraint = 0;
    bool is_beyond = false;  // its share is more than 1: the motion leaves to the other side
  };

  bool suspect(const Suspicion& suspicion, double t, std::span<double> y);
  bool add_rest(const Suspicion& suspicion, double t, std::span<double> y);
  bool clear(double margin, const Normal& normal, double t, std::span<double> y);
  void drop_what_events_set_in_motion(double t, std::span<const double> y);
  bool is_set_in_motion(const Constraint& constraint, double t, std::span<const double> y) const;
  Draft draft(double t, std::span<const double> y) const;
  std::string find_sides(double t, std::span<const double> first, std::span<const Normal> normals,
                         std::span<const std::size_t> sliding,
                         std::vector<system::Held>& sides) const;
  std::optional<Violation> find_violation(Draft& draft, double t, std::span<const double> y) const;
  bool begin(Constrained& motion, double t, std::span<double> y);
  void drop(std::size_t constraint, double t);
  void note(solution::Passage passage, const Constraint& constraint, double t);

  Subject subject_;
  solution::EventLog* log_;
  Stretches& stretches_;
  std::vector<Constraint> kept_;
  bool is_last_new_ = false;  // the last of kept_ is the one that a suspicion has added
  std::string refusal_;
};

}  // namespace daedalus::hybrid
