// The size of the largest eigenvalue of a Jacobian, estimated or at least bounded.
#pragma once

#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "integrate/newton/jacobian.hpp"

namespace daedalus::integrate {

// The power method, which fits the last three vectors by a quadratic equation, so that it also
// converges to pairs of conjugate eigenvalues. Where it does not converge, the infinity norm is a
// bound. Each estimate starts with the vector in which the one before has ended.
class SpectralRadius {
 public:
  explicit SpectralRadius(std::size_t n);

  void start();  // forgets earlier estimates
  // The accuracy is relative.
  double estimate(const Jacobian& jacobian, double accuracy = 0.01);
  // Of the last estimate: the same, or the last guess where only the norm was left as a bound.
  double guess() const { return guess_; }

  void archive(Archive& a) { a(memory_); }

 private:
  std::span<double> vector(std::size_t i) { return std::span(memory_).subspan(i * n_, n_); }
  bool normalise();  // the first vector; false: it cannot be

  std::size_t n_;
  std::vector<double> memory_;  // three vectors
  double guess_ = 0.0;
};

}  // namespace daedalus::integrate
