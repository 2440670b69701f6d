#include "daedalus/integrate/two_step_estimate.hpp"

#include <cmath>
#include <variant>

#include "daedalus/methods/properties.hpp"

namespace daedalus::integrate {
namespace {

// 1, c, ..., c^8, then A c, c A c, A c^2, A A c.
constexpr std::size_t polynomials = 9;
constexpr double dependent = 1e-9;  // of a condition that earlier ones imply
constexpr double negligible = 1e-9;

}  // namespace

TwoStepEstimate::TwoStepEstimate(const methods::RungeKutta& method)
    : stages_(methods::stages(method)) {
  for (const methods::Row& row : methods::full_matrix(method)) {
    A_.insert(A_.end(), row.begin(), row.end());
  }
  b_.assign(method.b.begin(), method.b.end());
  b_.resize(stages_);
  const auto& two_step = std::get<methods::TwoStep>(method.error);
  for (std::size_t i = 0; i < two_step.previous.size(); ++i) {
    given_[i] = static_cast<double>(two_step.previous[i]);
  }
  for (std::size_t i = 0; i < two_step.current.size(); ++i) {
    given_[stages_ + i] = static_cast<double>(two_step.current[i]);
  }
  weights_ = given_;
  evaluate_conditions(1.0);
  double size = 0.0;
  for (const double weight : given_) size += std::abs(weight);
  while (first_left_ + 1 < polynomials &&
         std::abs(value(conditions_[first_left_])) < negligible * size) {
    vanishes_[first_left_++] = true;
  }
  kept_value_ = value(conditions_[first_left_]);
  for (std::size_t k = polynomials; k < most_conditions; ++k) {
    vanishes_[k] = std::abs(value(conditions_[k])) < negligible * size;
  }
}

void TwoStepEstimate::set_ratio(double omega) {
  if (omega == ratio_) return;
  ratio_ = omega;
  weights_ = given_;
  if (omega == 1.0) return;
  evaluate_conditions(omega);
  imposed_ = 0;
  for (std::size_t k = 0; k < first_left_; ++k) impose(k, 0.0);
  for (std::size_t k = polynomials; k < most_conditions; ++k) {
    if (vanishes_[k]) impose(k, 0.0);
  }
  impose(first_left_, kept_value_);
}

void TwoStepEstimate::evaluate_conditions(double omega) {
  conditions_[0].fill(1.0);
  Vector& c = conditions_[1];
  multiply(omega, conditions_[0], c);
  for (std::size_t k = 2; k < polynomials; ++k) {
    for (std::size_t i = 0; i < 2 * stages_; ++i) conditions_[k][i] = conditions_[k - 1][i] * c[i];
  }
  multiply(omega, c, conditions_[polynomials]);
  for (std::size_t i = 0; i < 2 * stages_; ++i) {
    conditions_[polynomials + 1][i] = c[i] * conditions_[polynomials][i];
  }
  multiply(omega, conditions_[2], conditions_[polynomials + 2]);
  multiply(omega, conditions_[polynomials], conditions_[polynomials + 3]);
}

void TwoStepEstimate::multiply(double omega, const Vector& x, Vector& product) const {
  double end = 0.0;  // of the step before
  for (std::size_t j = 0; j < stages_; ++j) end += b_[j] / omega * x[j];
  for (std::size_t i = 0; i < stages_; ++i) {
    product[i] = 0.0;
    product[stages_ + i] = end;
    for (std::size_t j = 0; j < stages_; ++j) {
      product[i] += A_[i * stages_ + j] / omega * x[j];
      product[stages_ + i] += A_[i * stages_ + j] * x[stages_ + j];
    }
  }
}

double TwoStepEstimate::value(const Vector& condition) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < 2 * stages_; ++i) sum += weights_[i] * condition[i];
  return sum;
}

// Moves the weights along the new part of the condition, so that earlier ones still hold
// (Gram-Schmidt).
void TwoStepEstimate::impose(std::size_t condition, double wanted) {
  const std::size_t n = 2 * stages_;
  const auto product = [n](const Vector& x, const Vector& y) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
  };
  Vector& direction = directions_[imposed_];
  direction = conditions_[condition];
  const double full = std::sqrt(product(direction, direction));
  for (int repetition = 0; repetition < 2; ++repetition) {  // twice is enough
    for (std::size_t k = 0; k < imposed_; ++k) {
      const double share = product(direction, directions_[k]);
      for (std::size_t i = 0; i < n; ++i) direction[i] -= share * directions_[k][i];
    }
  }
  const double left = std::sqrt(product(direction, direction));
  if (left < dependent * full) return;
  const double move = (wanted - value(conditions_[condition])) / left;
  for (std::size_t i = 0; i < n; ++i) {
    direction[i] /= left;
    weights_[i] += move * direction[i];
  }
  ++imposed_;
}

}  // namespace daedalus::integrate
