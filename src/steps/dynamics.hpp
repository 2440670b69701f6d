// The right-hand side of a model and its derivatives, written out at a point.
#pragma once

#include <optional>

#include "daedalus/structure/structured.hpp"
#include "steps/elimination.hpp"

namespace daedalus::steps {

// f and its derivatives there.
struct Linearisation {
  std::vector<Term> jacobian;  // df/dy, as the entries of Dynamics::pattern()
  Vector in_time;              // df/dt; empty where f does not depend on time
};

class Dynamics {
 public:
  // The model must have a symbolic Jacobian. Its arena and its count of symbols grow. `point` are
  // values of its symbols where it is defined.
  Dynamics(structure::StructuredModel& model, std::span<const double> point);

  std::size_t size() const { return model_.states.size(); }
  const std::vector<structure::Entry>& pattern() const { return model_.jacobian->entries; }

  // f at (t, y).
  Vector derivatives(Writer& writer, Term t, const Vector& y);

  // The derivatives of f at (t, y).
  Linearisation linearise(Writer& writer, Term t, const Vector& y);

  // Symbols that are large where an elimination or an iteration in a block went wrong.
  const Vector& troubles() const { return troubles_; }

  // Tearing variables: where iterations begin, and where they leave what they found.
  const std::vector<SymbolId>& guesses() const { return guesses_; }

 private:
  void move_to(Term t, const Vector& y);
  void set(SymbolId id, Term value);
  void run_blocks(Writer& writer);
  void run(Writer& writer, std::span<const structure::Assignment> assignments);
  std::vector<Term> run(Writer& writer, const structure::Jacobian& jacobian);
  Term at_point(Writer& writer, expr::ExprId id);
  void solve_linear(Writer& writer, std::size_t number);
  void iterate(Writer& writer, std::size_t number);
  Vector correction(Writer& writer, std::size_t number);
  const Elimination<Term>& factors_of(Writer& writer, std::size_t number);

  structure::StructuredModel& model_;
  expr::Walker walker_;
  std::optional<structure::Jacobian> in_time_;             // with the one column of time
  std::vector<expr::ExprId> values_;                       // of the symbols at the point; by symbol
  std::vector<SymbolId> set_;                              // that have one
  std::vector<PivotOrder> orders_;                         // by block
  std::vector<std::optional<Elimination<Term>>> factors_;  // of blocks at the point, by block
  Vector troubles_;
  std::vector<SymbolId> guesses_;
};

}  // namespace daedalus::steps
