// Error estimates that also use the stages of the previous step, for steps of any ratio.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::integrate {

constexpr std::size_t most_stages = 16;

// h (sum previous[i] f(X[i]) + sum current[i] f(Y[i])) in the catalogue is for two steps of equal
// length. From the start of the previous step, both steps together are one Runge-Kutta method with
// 2 s stages, whose tableau depends on omega = h / previous h; the formula is a linear functional
// of its stage derivatives, and it is of size h^power because it annihilates the
// elementary weights of the trees with fewer nodes than that: for smooth f the polynomials, and
// where the stage order is low also A c, c A c, A c^2 and A A c. For omega != 1 the weights are the
// nearest ones (in the Euclidean norm) that annihilate everything that the given ones annihilate
// for omega = 1, and that have the same value on the first polynomial that these do not annihilate;
// so the estimate keeps its size in terms of the current step, and at omega = 1 it is the formula
// itself. The first step has no predecessor; it is so short that it needs no estimate.
//
// The thesis changes the step after two equal ones instead. Measured over 29 small stiff problems
// at rtol 1e-3, 1e-5 and 1e-7, that takes 9, 5 and 1 % more attempts with Radau IIA of order 3 and
// 15, 9 and 4 % more with Lobatto IIIC of order 4; it saves about a tenth of the factorisations and
// is at most 0.4 digits more accurate.
class TwoStepEstimate {
 public:
  explicit TwoStepEstimate(const methods::RungeKutta& method);  // its error must be TwoStep

  // The weights for a step that is omega times as long as the previous one.
  void set_ratio(double omega);

  std::span<const double> previous() const { return std::span(weights_).first(stages_); }
  std::span<const double> current() const { return std::span(weights_).subspan(stages_, stages_); }

 private:
  static constexpr std::size_t most_conditions = 13;
  using Vector = std::array<double, 2 * most_stages>;

  // The elementary weights of the 2 s stages for the ratio, in units of the current step.
  void evaluate_conditions(double omega);
  void multiply(double omega, const Vector& x, Vector& product) const;  // by the tableau
  double value(const Vector& condition) const;
  void impose(std::size_t condition, double wanted);

  std::size_t stages_;
  std::vector<double> A_;  // row by row
  std::vector<double> b_;
  Vector given_ = {};
  Vector weights_ = {};
  double ratio_ = 1.0;
  std::array<bool, most_conditions> vanishes_ = {};  // with the given weights
  std::size_t first_left_ = 0;                       // the first polynomial that does not vanish
  double kept_value_ = 0.0;                          // its value
  std::array<Vector, most_conditions> conditions_ = {};
  std::array<Vector, most_conditions> directions_ = {};  // orthonormal
  std::size_t imposed_ = 0;
};

}  // namespace daedalus::integrate
