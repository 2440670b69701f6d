// Solves (alpha I - J) x = r, the linear systems of implicit integrators, dense or sparse.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

// Scalar is that of alpha and x: double or complex<double>. J is real.
template <class Scalar>
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  // `jacobian` in the order of the pattern's entries, or column by column without a pattern.
  virtual Factorization factor(Scalar alpha, std::span<const double> jacobian) = 0;

  // With the factors of the last factor() that was Regular; x holds r, then the solution.
  virtual void solve(std::span<Scalar> x) = 0;
};

enum class Storage { Dense, Sparse };

// Which of the two is faster for the pattern (null: a dense matrix) of size n; here and nowhere
// else.
Storage choose_storage(const Sparsity* pattern, std::size_t n);

// The solver that choose_storage() names. The pattern is copied.
template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const Sparsity* pattern, std::size_t n);
template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const Sparsity* pattern, std::size_t n,
                                                         Storage storage);

}  // namespace daedalus::linalg
