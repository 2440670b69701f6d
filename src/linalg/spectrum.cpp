#include "daedalus/linalg/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace daedalus::linalg {
namespace {

using Dense = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

Dense dense(const SmallMatrix& matrix) {
  const Eigen::Index n = static_cast<Eigen::Index>(matrix.size());
  Dense result(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) result(i, j) = matrix[i][j];
  }
  return result;
}

}  // namespace

std::optional<Spectrum> spectrum(const SmallMatrix& matrix) {
  if (matrix.empty()) return Spectrum{};
  const Dense a = dense(matrix);
  if (!a.allFinite()) return std::nullopt;
  const Eigen::EigenSolver<Dense> solver(a);
  if (solver.info() != Eigen::Success) return std::nullopt;
  Spectrum result;
  const auto& values = solver.eigenvalues();
  const auto vectors = solver.eigenvectors();
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    result.values.push_back(values[k]);
    result.vectors.emplace_back(vectors.col(k).begin(), vectors.col(k).end());
  }
  return result;
}

std::optional<SmallMatrix> inverse(const SmallMatrix& matrix) {
  const Eigen::FullPivLU<Dense> lu(dense(matrix));
  if (!lu.isInvertible()) return std::nullopt;
  const Dense inverted = lu.inverse();
  SmallMatrix result(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const auto row = inverted.row(static_cast<Eigen::Index>(i));
    result[i].assign(row.begin(), row.end());
  }
  return result;
}

}  // namespace daedalus::linalg
