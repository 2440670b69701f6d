// Eigenvalues of a model's matrix, and the components that participate in them.
#pragma once

#include <complex>
#include <cstddef>
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

}  // namespace daedalus::linalg
