// Solves large linear systems by products with the matrix alone.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace daedalus::linalg {

// The generalised minimal residual method (Saad and Schultz 1986), preconditioned from the left and
// not restarted. Only the constructor allocates.
class Gmres {
 public:
  Gmres(std::size_t n, std::size_t most_iterations);

  // False: not defined there, which ends the iteration.
  using Multiply = std::function<bool(std::span<const double> x, std::span<double> product)>;
  using Precondition = std::function<bool(std::span<double> x)>;

  enum class End { Converged, TooManyIterations, Undefined };
  struct Result {
    End end = End::Converged;
    std::size_t iterations = 0;
    double left = 0.0;  // as the tolerance measures it
  };
  // Until the root of the sum of squares of P^-1 (r - A x) times the weights is at most
  // `tolerance`. x holds r, then the best solution.
  Result solve(const Multiply& multiply, const Precondition& precondition,
               std::span<const double> weights, double tolerance, std::span<double> x);

 private:
  std::span<double> basis(std::size_t k) { return std::span(basis_).subspan(k * n_, n_); }
  double& triangle(std::size_t i, std::size_t j) { return triangle_[j * (most_ + 1) + i]; }
  double orthogonalise(std::size_t k);
  double rotate(std::size_t k);
  void combine(std::size_t count, std::span<const double> weights, std::span<double> x);

  std::size_t n_;
  std::size_t most_;
  std::vector<double> basis_;     // of weighted vectors
  std::vector<double> triangle_;  // column by column
  std::vector<double> sines_, cosines_, sides_;
  std::vector<double> unweighted_, product_;
};

}  // namespace daedalus::linalg
