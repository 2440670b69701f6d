// The Jacobian df/dy at one point: the system's own, or differences of f, coloured where the
// pattern is known.
#pragma once

#include <span>
#include <vector>

#include "daedalus/linalg/colouring.hpp"
#include "daedalus/linalg/sparsity.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"

namespace daedalus::integrate {

struct Point {
  double t = 0.0;
  double h = 0.0;  // of the step to come
  std::span<const double> y;
  std::span<const double> f;
  bool f_is_exact = true;  // f(t, y), not what the equation of a stage says
};

class Jacobian {
 public:
  explicit Jacobian(const system::System& system);

  // The system's own where it has one and that is finite, differences otherwise.
  Evaluation evaluate(const Point& point, Evaluator& evaluator, const ErrorNorm& norm);

  std::size_t size() const { return n_; }
  const linalg::Sparsity* pattern() const { return pattern_; }  // null: dense
  std::span<const double> values() const { return values_; }

 private:
  Evaluation differences(Point point, Evaluator& evaluator, const ErrorNorm& norm);
  Evaluation shifted_derivatives(std::span<const std::size_t> columns, double sign,
                                 const Point& point, Evaluator& evaluator);
  void store_column(std::size_t j, std::span<const double> f);

  std::size_t n_;
  const linalg::Sparsity* pattern_;
  bool is_given_;
  linalg::Colouring colouring_;
  std::vector<double> values_;
  std::vector<double> increments_;  // wanted, then taken
  std::vector<double> shifted_y_;
  std::vector<double> shifted_f_;
  std::vector<double> exact_f_;
};

}  // namespace daedalus::integrate
