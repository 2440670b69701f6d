// Eigenvalues of a model's matrix, and the components that participate in them.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace daedalus::linalg {

struct Modes {
  std::vector<std::complex<double>> values;  // conjugate pairs stand together

  // shares[k][i] = |v w|, where v and w are component i of the right and the left eigenvector of
  // values[k], divided by their sum over i (Perez-Arriaga, Verghese and Schweppe 1982). Empty for
  // an eigenvalue whose left eigenvector cannot be determined: the matrix is defective there.
  std::vector<std::vector<double>> shares;
};

// Of a square matrix stored column by column, balanced first. Nothing when the iteration does not
// converge or a value is not finite. The cost grows with the cube of the size.
std::optional<Modes> modes(std::size_t size, std::span<const double> matrix);

// The largest real part of the eigenvalues, for one matrix of a size after another; less than half
// the work of modes(), and without allocations.
class SpectralAbscissa {
 public:
  explicit SpectralAbscissa(std::size_t size);
  SpectralAbscissa(SpectralAbscissa&&) noexcept;
  ~SpectralAbscissa();

  // Nothing as with modes(), and of a matrix of size 0.
  std::optional<double> of(std::span<const double> matrix);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace daedalus::linalg
