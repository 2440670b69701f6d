// Solves (alpha M - J) x = r, the linear systems of implicit integrators, dense or sparse.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

// Scalar is that of alpha and x: double or complex<double>. M and J are real.
template <class Scalar>
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  // `jacobian` in the order of the pattern's entries, or column by column without a pattern; `mass`
  // in the order of its pattern's entries, empty if M is the identity.
  virtual Factorization factor(Scalar alpha, std::span<const double> jacobian,
                               std::span<const double> mass) = 0;

  // With the factors of the last factor() that was Regular; x holds r, then the solution.
  virtual void solve(std::span<Scalar> x) = 0;

  // The factors, so that later solutions have the same bits.
  virtual void archive(Archive& a) = 0;
};

enum class Storage { Dense, Sparse };

// Which of the two is faster for the pattern (null: a dense matrix) of size n; this is only decided
// here.
Storage choose_storage(const Sparsity* pattern, std::size_t n);
Storage choose_storage(std::size_t entries, std::size_t n);

// The shape of alpha M - J. Null: J is dense, M the identity.
struct Shape {
  std::size_t size = 0;
  const Sparsity* jacobian = nullptr;
  const Sparsity* mass = nullptr;
};

// The solver that choose_storage() names. Patterns are copied.
template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const Shape& shape);
template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const Shape& shape, Storage storage);

}  // namespace daedalus::linalg
