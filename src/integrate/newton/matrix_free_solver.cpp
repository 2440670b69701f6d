#include "integrate/newton/matrix_free_solver.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::integrate {
namespace {

constexpr std::size_t most_iterations = 30;

}  // namespace

MatrixFreeSolver::MatrixFreeSolver(std::size_t n)
    : gmres_(n, most_iterations), defect_(n), shifted_y_(n), shifted_slope_(n), prepared_y_(n) {}

void MatrixFreeSolver::move_to(double t, std::span<const double> y, std::span<const double> slope,
                               std::span<const double> defect, Evaluator& evaluator) {
  evaluator_ = &evaluator;
  t_ = t;
  y_ = y;
  slope_ = slope;
  std::ranges::copy(defect, defect_.begin());
}

Evaluation MatrixFreeSolver::prepare(double alpha) {
  must_prepare_again_ = false;
  if (!evaluator_->has_preconditioner()) return Evaluation::Defined;
  prepared_t_ = t_;
  std::ranges::copy(y_, prepared_y_.begin());
  prepared_alpha_ = alpha;
  return evaluator_->prepare_preconditioner(t_, y_, alpha);
}

bool MatrixFreeSolver::solve(std::span<double> x) {
  if (must_prepare_again_ && prepared_alpha_ != 0.0) {
    must_prepare_again_ = false;
    if (evaluator_->prepare_preconditioner(prepared_t_, prepared_y_, prepared_alpha_) ==
        Evaluation::Undefined)
      return false;
  }
  const auto result = gmres_.solve(
      [this](std::span<const double> v, std::span<double> product) { return multiply(v, product); },
      [this](std::span<double> v) { return precondition(v); }, weights_, tolerance_, x);
  iterations_ = result.iterations;
  return result.end == linalg::Gmres::End::Converged;
}

// What is left of the equations at y + s x and y' + s alpha x is less by s (alpha M - J) x.
bool MatrixFreeSolver::multiply(std::span<const double> x, std::span<double> product) {
  double square = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) square += x[i] * weights_[i] * (x[i] * weights_[i]);
  const double size = std::sqrt(square / static_cast<double>(x.size()));
  if (size == 0.0) {
    std::ranges::fill(product, 0.0);
    return true;
  }
  const double s = 1.0 / size;
  for (std::size_t i = 0; i < x.size(); ++i) {
    shifted_y_[i] = y_[i] + s * x[i];
    shifted_slope_[i] = slope_[i] + s * alpha_ * x[i];
  }
  if (evaluator_->defect(t_, shifted_y_, shifted_slope_, product) == Evaluation::Undefined)
    return false;
  for (std::size_t i = 0; i < x.size(); ++i) product[i] = size * (defect_[i] - product[i]);
  return true;
}

// Without a preconditioner, by alpha, which makes what is left of a system as large as the error of
// its solution in components that are not stiff.
bool MatrixFreeSolver::precondition(std::span<double> x) {
  if (!evaluator_->has_preconditioner()) {
    for (double& value : x) value /= alpha_;
    return true;
  }
  return evaluator_->precondition(prepared_t_, prepared_y_, prepared_alpha_, x) ==
         Evaluation::Defined;
}

void MatrixFreeSolver::archive(Archive& a) {
  a(alpha_, prepared_t_, prepared_y_, prepared_alpha_);
  if (a.is_reading()) must_prepare_again_ = true;
}

}  // namespace daedalus::integrate
