#include "daedalus/linalg/modes.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

namespace daedalus::linalg {
namespace {

using Index = Eigen::Index;

// Scales rows and columns against each other by powers of 2 until their norms are similar, so that
// units of very different size cost no digits. Parlett and Reinsch 1969. Shares do not depend on
// the scales.
void balance(Eigen::MatrixXd& a) {
  constexpr double radix = 2.0;
  constexpr double worthwhile = 0.95;
  constexpr int most_sweeps = 100;
  bool changed = true;
  for (int sweep = 0; changed && sweep < most_sweeps; ++sweep) {
    changed = false;
    for (Index i = 0; i < a.rows(); ++i) {
      const double diagonal = std::abs(a(i, i));
      const double column = a.col(i).lpNorm<1>() - diagonal;
      const double row = a.row(i).lpNorm<1>() - diagonal;
      if (!(column > 0.0) || !(row > 0.0)) continue;
      const double exponent = std::round(0.5 * std::log2(row / column));
      const double scale = std::pow(radix, exponent);
      if (!(column * scale + row / scale < worthwhile * (column + row))) continue;
      a.col(i) *= scale;
      a.row(i) /= scale;
      changed = true;
    }
  }
}

std::vector<double> shares_of(const Eigen::VectorXcd& right, const Eigen::VectorXcd& left) {
  const Eigen::VectorXd products = (right.array() * left.array()).abs();
  const double sum = products.sum();
  if (!std::isfinite(sum) || !(sum > 0.0)) return {};
  std::vector<double> shares;
  for (const double product : products) shares.push_back(product / sum);
  return shares;
}

}  // namespace

std::optional<Modes> modes(std::size_t size, std::span<const double> matrix) {
  if (size == 0) return Modes{};
  const Index n = static_cast<Index>(size);
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(matrix.data(), n, n);
  if (!a.allFinite()) return std::nullopt;
  balance(a);
  if (!a.allFinite()) return std::nullopt;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(a);
  if (solver.info() != Eigen::Success) return std::nullopt;
  const Eigen::MatrixXcd right = solver.eigenvectors();
  const Eigen::MatrixXcd left = right.partialPivLu().inverse();
  Modes result;
  for (Index k = 0; k < n; ++k) {
    result.values.push_back(solver.eigenvalues()[k]);
    result.shares.push_back(shares_of(right.col(k), left.row(k).transpose()));
  }
  return result;
}

struct SpectralAbscissa::Work {
  explicit Work(Index n) : matrix(n, n), solver(n) {}
  Eigen::MatrixXd matrix;
  Eigen::EigenSolver<Eigen::MatrixXd> solver;
};

SpectralAbscissa::SpectralAbscissa(std::size_t size)
    : work_(std::make_unique<Work>(static_cast<Index>(size))) {}
SpectralAbscissa::SpectralAbscissa(SpectralAbscissa&&) noexcept = default;
SpectralAbscissa::~SpectralAbscissa() = default;

std::optional<double> SpectralAbscissa::of(std::span<const double> matrix) {
  const Index n = work_->matrix.rows();
  if (n == 0) return std::nullopt;
  work_->matrix = Eigen::Map<const Eigen::MatrixXd>(matrix.data(), n, n);
  if (!work_->matrix.allFinite()) return std::nullopt;
  balance(work_->matrix);
  if (!work_->matrix.allFinite()) return std::nullopt;
  constexpr bool with_vectors = false;
  work_->solver.compute(work_->matrix, with_vectors);
  if (work_->solver.info() != Eigen::Success) return std::nullopt;
  return work_->solver.eigenvalues().real().maxCoeff();
}

}  // namespace daedalus::linalg
