// Solves (alpha M - J) x = r, the linear systems of implicit integrators: dense, band or sparse.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/ordering.hpp"
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

  // With the factors of the last factor() that was Regular; x holds r, then the solution. False: an
  // iteration has not come as near to it as was asked for.
  virtual bool solve(std::span<Scalar> x) = 0;

  // How near that is: the root of the sum of squares of errors times weights, which live on. Only
  // iterations ask for that.
  virtual void aim_at(std::span<const double> /*weights*/, double /*tolerance*/) {}
  // Takes over another alpha with the factors that there are; false: that needs new ones.
  virtual bool shift(Scalar /*alpha*/) { return false; }
  virtual std::size_t iterations() const { return 0; }  // of the last solution; direct: 0

  // The factors, so that later solutions have the same bits.
  virtual void archive(Archive& a) = 0;
};

enum class Storage { Dense, Band, Sparse };

// Whether a pattern (null: a dense matrix) of size n is Dense or Sparse; this is only decided here.
Storage choose_storage(const Sparsity* pattern, std::size_t n);
Storage choose_storage(std::size_t entries, std::size_t n);
// Whether elimination within the band is faster than sparse elimination.
bool is_worth_a_band(const Band& band, const Sparsity& pattern);

// How many solutions follow a factorization. Where there are many, small matrices have factors that
// are faster to use; the sums that a linear system conserves are then less exact.
enum class Solutions { Few, Many };

// The shape of alpha M - J. Null: J is dense, M the identity.
struct Shape {
  std::size_t size = 0;
  const Sparsity* jacobian = nullptr;
  const Sparsity* mass = nullptr;
  Solutions solutions = Solutions::Few;
};

// A direct solver with the storage that suits. Patterns are copied.
template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const Shape& shape);
template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const Shape& shape, Storage storage);

// GMRES with incomplete factors, for matrices with a pattern.
std::unique_ptr<LinearSolver<double>> make_krylov_solver(const Shape& shape);

}  // namespace daedalus::linalg
