// Shared by the programs of all families: their frame, and the norm of the error.
#pragma once

#include "daedalus/integrate/choices.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "daedalus/steps/step_program.hpp"
#include "steps/dynamics.hpp"

namespace daedalus::steps {

class TornStages;

// The model and method for which a program is written.
struct StepTask {
  structure::StructuredModel& model;  // is consumed
  std::span<const double> point;      // values of its symbols at which it is defined
  integrate::Norm norm;
  TornStages* torn = nullptr;  // how to solve for the stages, if not in the states alone
};

// While a program is written.
class Frame {
 private:
  std::size_t model_symbols_;  // before any were made

 public:
  Frame(const StepTask& task, std::size_t stages, std::size_t stage_stride);

  Writer writer;
  Dynamics dynamics;
  integrate::StepPlaces places;
  std::size_t n;
  Term t, h;
  Vector y, f0;

  // The places keep their values after the step.
  void keep(std::size_t first, std::size_t count);

  // Leaves the sum of the magnitudes of its entries in the frame, at a new place. Eliminations
  // start with this growth: division by an infinite pivot would give 0 everywhere, and look like no
  // change at all.
  Term keep_jacobian_size(const Vector& jacobian, std::size_t& place);

  // The places of a step that iterates.
  integrate::IterationPlaces& iteration() {
    return std::get<integrate::IterationPlaces>(places.family);
  }

  // The largest factor in the eliminations of the step itself.
  void set_growth(Term growth);

  // Symbols that are large where something went wrong outside the dynamics.
  void add_troubles(const Vector& symbols);

  // y + sum weights[j] stages[j], or without y.
  Term combine(std::size_t i, std::span<const double> weights, const std::vector<Vector>& stages,
               std::optional<Term> base = std::nullopt);

  // The reciprocals of atol + rtol max(|y|, |other|).
  Vector weights(const Vector& other);

  // The norm of the concatenated vectors.
  Term norm(std::span<const Vector> values, const Vector& weights);

  // Writes the estimate, its norm and where it is largest.
  Term judge(const Vector& error, const Vector& weights);

  // Whether a correction of y at the end exceeds its rounding errors, as 1 or 0.
  Term is_more_than_rounding(const Vector& correction, const Vector& end, const Vector& weights);

  StepProgram finish();

 private:
  structure::Statement without_trouble();

  structure::StructuredModel& model_;
  bool is_maximum_;
  std::size_t growth_ = 0;
  Vector troubles_;
  std::vector<std::pair<std::size_t, std::size_t>> kept_;
};

// A sum as a tree, so that no term waits for all others.
Term sum_of(Vector terms);

}  // namespace daedalus::steps
