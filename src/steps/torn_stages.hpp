// The stages of a Runge-Kutta method as inline integration solves them: the equations of the method
// and those of the model in all stages are one system, sorted and torn.
#pragma once

#include <memory>

#include "daedalus/structure/inlining.hpp"
#include "steps/blocks.hpp"
#include "steps/cost.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

class TornStages {
 public:
  // None where a torn system is singular at the point, or too large to be written out. `point`
  // holds values of the model's symbols.
  static std::unique_ptr<TornStages> make(const structure::StructuredModel& model,
                                          const methods::RungeKutta& method,
                                          std::span<const double> point);

  // Multiplications in the eliminations of one pass through all blocks.
  std::size_t elimination_size() const { return elimination_size_; }

  // The model's arena with what the stages add to it. To be called once, before any stages are
  // written.
  expr::Arena take_arena() { return std::move(step_.flat.arena); }

  // Whether the program iterates: otherwise one pass gives the stages.
  bool iterates() const { return !tracks_.empty(); }

  // Writes the iterations of all stages. What follows, up to close(), runs if they converged. The
  // weights are those of the norm.
  void open(Frame& frame, const Vector& weights, std::span<const double> end_weights);

  // The Jacobian for the filter or the dense output is computed in each step unless it is constant.
  void close(Frame& frame, JacobianUse use);

  // Known after that, for a stage.
  Vector states(Writer& writer, std::size_t stage);
  Vector derivatives(Writer& writer, std::size_t stage);

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  // A variable of the model that is iterated on in some stage, with places for its values: those of
  // the last step predict those of this one.
  struct Track {
    structure::VariableId variable;
    std::size_t state = none;    // its component, if it is a state
    bool is_guess = false;       // the start of an iteration in the dynamics
    std::size_t now = 0;         // in the stages of this step
    std::size_t last = 0;        // in those of the last one
    std::size_t last_begin = 0;  // and at its start and end
    std::size_t last_end = 0;
  };
  struct Place {
    structure::VariableId variable = {};  // of the model
    std::size_t stage = none;
  };

  // Of the states in all stages.
  struct Change {
    std::vector<Vector> before, after;
  };

  // Of tearing variables: where they move to, and how far that is.
  struct Correction {
    Vector moved;
    Term relative_size;
  };

  // An iteration, and the places of values computed in it from the tearing variables.
  struct TornLoop {
    std::size_t number;  // of the block
    std::size_t assigned;
  };

  TornStages(const structure::StructuredModel& model, structure::InlinedStep step);
  bool choose_pivots(std::span<const double> point);
  bool is_written(const structure::Block& block) const;
  void add_track(structure::VariableId variable, bool is_guess);
  void remember(Frame& frame, std::span<const double> end_weights);
  Term guess(Frame& frame, const Track& track, std::size_t stage);
  void iterate(Frame& frame, std::size_t number, const Vector& weights);
  Correction correct(Frame& frame, std::size_t number);
  Term apply(Frame& frame, const TornLoop& loop, const Correction& correction,
             const Vector& weights);
  void store(Frame& frame, const TornLoop& loop);
  void load(Frame& frame, const TornLoop& loop);
  std::size_t place(structure::VariableId id) const;  // of a tearing variable
  std::vector<Vector> states_in(Frame& frame, const structure::Block& block);
  Term size_of_change(Frame& frame, const structure::Block& block, const Change& change,
                      Term relative_size, const Vector& weights);
  bool has_states(const structure::Block& block) const;
  std::size_t counter_of(const structure::Block& block) const;
  Vector values(Writer& writer, const std::vector<structure::VariableId>& variables);

  structure::InlinedStep step_;
  Blocks blocks_;
  std::size_t s_, n_;
  bool is_diagonal_;                       // each stage follows from earlier ones
  bool begins_explicitly_;                 // the first stage is the start of the step
  std::vector<Place> place_of_;            // by variable of the step
  std::vector<std::size_t> component_of_;  // of states in stages; by variable of the step
  std::vector<Track> tracks_;
  std::vector<std::size_t> track_of_;  // by variable of the model
  std::size_t elimination_size_ = 0;
  std::size_t iterations_ = 0;  // places, one for each stage that is solved separately
  std::size_t open_ = 0;        // bodies
};

}  // namespace daedalus::steps
