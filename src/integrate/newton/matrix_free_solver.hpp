// Solves the linear systems of Newton's iteration with the equations alone.
#pragma once

#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/gmres.hpp"
#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"

namespace daedalus::integrate {

// GMRES with products of alpha M - J that are differences of the equations in the direction of a
// vector, as long as the tolerances (Brown and Hindmarsh 1989), and with the preconditioner of the
// system, if it has one.
class MatrixFreeSolver final : public linalg::LinearSolver<double> {
 public:
  explicit MatrixFreeSolver(std::size_t n);

  // Where the equations are linearised until the next call: y' is the slope, and `defect` what is
  // left of the equations there. The views live until the system has been solved, and the defect
  // is copied.
  void move_to(double t, std::span<const double> y, std::span<const double> slope,
               std::span<const double> defect, Evaluator& evaluator);
  // Has the system prepare its preconditioner there.
  Evaluation prepare(double alpha);

  linalg::Factorization factor(double alpha, std::span<const double>,
                               std::span<const double>) override {
    alpha_ = alpha;
    return linalg::Factorization::Regular;
  }
  bool shift(double alpha) override {
    alpha_ = alpha;
    return true;
  }
  void aim_at(std::span<const double> weights, double tolerance) override {
    weights_ = weights;
    tolerance_ = tolerance;
  }
  bool solve(std::span<double> x) override;
  std::size_t iterations() const override { return iterations_; }

  void archive(Archive& a) override;

 private:
  bool multiply(std::span<const double> x, std::span<double> product);
  bool precondition(std::span<double> x);

  linalg::Gmres gmres_;
  Evaluator* evaluator_ = nullptr;
  double t_ = 0.0;
  std::span<const double> y_;
  std::span<const double> slope_;
  std::vector<double> defect_;
  std::vector<double> shifted_y_, shifted_slope_;
  std::span<const double> weights_;
  double tolerance_ = 0.0;
  double alpha_ = 0.0;
  std::size_t iterations_ = 0;
  // Where the preconditioner was prepared, for runs that are continued.
  double prepared_t_ = 0.0;
  std::vector<double> prepared_y_;
  double prepared_alpha_ = 0.0;  // 0: nowhere
  bool must_prepare_again_ = false;
};

}  // namespace daedalus::integrate
