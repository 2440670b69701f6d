#include <algorithm>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/linalg/gmres.hpp"
#include "daedalus/linalg/linear_solver.hpp"
#include "row_matrix.hpp"
#include "union_pattern.hpp"

namespace daedalus::linalg {
namespace {

constexpr std::size_t most_iterations = 30;

class KrylovSolver final : public LinearSolver<double> {
 public:
  explicit KrylovSolver(const Shape& shape) : KrylovSolver(unite(shape), shape.mass != nullptr) {}

  Factorization factor(double alpha, std::span<const double> jacobian,
                       std::span<const double> mass) override {
    alpha_ = alpha;
    std::ranges::fill(values_, 0.0);
    for (std::size_t k = 0; k < jacobian_places_.size(); ++k)
      values_[jacobian_places_[k]] = -jacobian[k];
    if (has_mass_) std::ranges::copy(mass, mass_.begin());
    add_mass(alpha);
    return factors_.factor(values_);
  }

  // The factors of another alpha still precondition.
  bool shift(double alpha) override {
    add_mass(alpha - alpha_);
    alpha_ = alpha;
    return true;
  }

  void aim_at(std::span<const double> weights, double tolerance) override {
    weights_ = weights;
    tolerance_ = tolerance;
  }

  bool solve(std::span<double> x) override {
    const auto multiply = [this](std::span<const double> v, std::span<double> product) {
      linalg::multiply(pattern_, values_, v, product);
      return true;
    };
    const auto precondition = [this](std::span<double> v) {
      factors_.solve(v);
      return true;
    };
    const Gmres::Result result = gmres_.solve(multiply, precondition, weights_, tolerance_, x);
    iterations_ = result.iterations;
    return result.end == Gmres::End::Converged;
  }
  std::size_t iterations() const override { return iterations_; }
  void archive(Archive& a) override { a(values_, mass_, factors_, alpha_); }

 private:
  KrylovSolver(const Union& both, bool has_mass)
      : has_mass_(has_mass),
        pattern_(both.pattern),
        factors_(pattern_),
        gmres_(both.pattern.size, most_iterations),
        values_(both.pattern.entries()),
        mass_(has_mass ? both.mass_places.size() : 0) {
    for (const std::size_t k : both.jacobian_places) jacobian_places_.push_back(pattern_.places[k]);
    for (const std::size_t k : both.mass_places) mass_places_.push_back(pattern_.places[k]);
  }

  void add_mass(double factor) {
    for (std::size_t k = 0; k < mass_places_.size(); ++k)
      values_[mass_places_[k]] += has_mass_ ? factor * mass_[k] : factor;
  }

  bool has_mass_;
  RowPattern pattern_;
  IncompleteLu factors_;
  Gmres gmres_;
  std::vector<std::size_t> jacobian_places_;
  std::vector<std::size_t> mass_places_;
  std::vector<double> values_;  // of alpha M - J
  std::vector<double> mass_;
  double alpha_ = 0.0;
  std::span<const double> weights_;
  double tolerance_ = 0.0;
  std::size_t iterations_ = 0;
};

}  // namespace

std::unique_ptr<LinearSolver<double>> make_krylov_solver(const Shape& shape) {
  DAEDALUS_CHECK(shape.jacobian != nullptr);
  return std::make_unique<KrylovSolver>(shape);
}

}  // namespace daedalus::linalg
