// Measures how well a solution satisfies the constraints that were differentiated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// The largest violation of a constraint, or of a derivative of one.
struct Drift {
  double largest = 0.0;  // relative to the largest contribution of its variables
  double time = 0.0;
  EquationId equation = {};  // of the model
  int times = 0;             // how often it was differentiated
};

class ConstraintMonitor {
 public:
  explicit ConstraintMonitor(const StructuredModel& model);

  // `values` are those of all variables at a point.
  void look(double t, std::span<const double> values);

  // The worst over all points; none if the model has no constraints or no point was looked at.
  std::optional<Drift> worst() const;

  void archive(Archive& a) { a(violations_, looked_); }

 private:
  struct Violation {
    double largest = 0.0, time = 0.0;
    double size = 0.0;
  };

  const std::vector<Constraint>& constraints_;
  std::vector<Violation> violations_;  // the worst so far
  expr::Tape tape_;                    // for each: the residual, then its partial derivatives
  std::vector<double> values_, outputs_;
  bool looked_ = false;
};

}  // namespace daedalus::structure
