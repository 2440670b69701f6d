// Whether a handwritten Jacobian agrees with differences of the equations.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/sparsity.hpp"
#include "daedalus/solution/statistics.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/newton/point.hpp"

namespace daedalus::integrate {

// What is claimed about the equations at a point: how f changes with y, or -F when y' changes by
// alpha times as much. It is values - alpha mass, if there is a mass.
struct LinearMap {
  const linalg::Sparsity* pattern = nullptr;  // null: dense
  std::span<const double> values = {};
  const linalg::Sparsity* mass_pattern = nullptr;
  std::span<const double> mass = {};
  double alpha = 0.0;
};

// Compares with one difference, in a direction in which all components change. Only if that is a
// contradiction are there more: forward and backward, over a short and over a far longer distance.
// Rounding, curvature and kinks make these four contradict each other, and then nothing is known; a
// wrong Jacobian is contradicted by all of them alike. If nothing moves at all, a still longer
// distance decides. The column is found by bisection.
class JacobianCheck {
 public:
  explicit JacobianCheck(std::size_t n);
  JacobianCheck(const JacobianCheck&) = delete;
  JacobianCheck& operator=(const JacobianCheck&) = delete;

  void start() { seed_ = 1; }  // of a run
  void archive(Archive& a) { a(seed_); }

  // An entry that is wrong. `at_point` is f or -F there. Allocates nothing.
  std::optional<solution::WrongJacobian> find(const Point& point, std::span<const double> at_point,
                                              const LinearMap& claimed, Evaluator& evaluator,
                                              const ErrorNorm& norm);

 private:
  struct Task;
  // The row that contradicts most when the columns from `first` to before `last` change.
  std::optional<std::size_t> wrong_row(const Task& task, std::size_t first, std::size_t last);
  void claim(const LinearMap& claimed, std::size_t first, std::size_t last);
  bool difference(const Task& task, double distance, std::size_t first, std::size_t last);
  bool is_any_unmoved() const;
  bool is_contradicted(std::size_t row) const;

  std::size_t n_;
  unsigned seed_ = 1;           // of the direction, which differs each time
  std::vector<double> memory_;  // of the vectors that follow
  std::span<double> direction_;
  std::span<double> claimed_;  // the change along the direction
  std::span<double> size_;     // and that of its terms, all positive
  std::span<double> found_;    // by the last difference
  std::span<double> least_;    // of all differences
  std::span<double> most_;
  std::span<double> y_;
  std::span<double> slope_;
};

}  // namespace daedalus::integrate
