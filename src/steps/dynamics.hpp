// The right-hand side of a model and its derivatives, written out at a point.
#pragma once

#include <optional>

#include "daedalus/structure/structured.hpp"
#include "steps/blocks.hpp"

namespace daedalus::steps {

// f and its derivatives there.
struct Linearisation {
  std::vector<Term> jacobian;  // df/dy, in the order of Dynamics::pattern()
  Vector in_time;              // df/dt; empty where f does not depend on time
};

class Dynamics {
 public:
  // The model must have a symbolic Jacobian. Its arena and its count of symbols grow. `point` holds
  // values of its symbols at which it is defined.
  Dynamics(structure::StructuredModel& model, std::span<const double> point);

  std::size_t size() const { return model_.states.size(); }
  const std::vector<structure::Entry>& pattern() const { return model_.jacobian->entries; }

  // f at (t, y).
  Vector derivatives(Writer& writer, Term t, const Vector& y);

  // The same in the body of an iteration. Loops start from where they ended in the previous pass,
  // which is closer than the end of another evaluation; only in the first pass do they start from
  // that.
  Vector derivatives_in_pass(Writer& writer, Term t, const Vector& y, Term is_first);

  // The derivatives of f at (t, y).
  Linearisation linearise(Writer& writer, Term t, const Vector& y);

  // Whether df/dy is the same everywhere and at any time.
  bool has_constant_jacobian() const { return has_constant_jacobian_; }

  // Symbols that are large where an elimination or an iteration in a block went wrong.
  const Vector& troubles() const { return blocks_.troubles(); }

  // Tearing variables: where iterations start, and where they leave their results.
  const std::vector<SymbolId>& guesses() const { return guesses_; }

 private:
  void move_to(Term t, const Vector& y);
  void run_blocks(Writer& writer);
  std::vector<Term> run(Writer& writer, const structure::Jacobian& jacobian);

  structure::StructuredModel& model_;
  std::optional<structure::Jacobian> in_time_;  // with the one column of time
  Blocks blocks_;
  bool has_constant_jacobian_ = false;
  std::vector<SymbolId> guesses_;
};

}  // namespace daedalus::steps
