// Eigenvalues and inverses of the small matrices that define methods, in extended precision.
#pragma once

#include <complex>
#include <optional>
#include <vector>

namespace daedalus::linalg {

using SmallMatrix = std::vector<std::vector<long double>>;  // rows of equal length

struct Spectrum {
  std::vector<std::complex<long double>> values;                // conjugate pairs stand together
  std::vector<std::vector<std::complex<long double>>> vectors;  // vectors[k] belongs to values[k]
};

// Nothing when the iteration does not converge or the matrix holds a value that is not finite.
std::optional<Spectrum> spectrum(const SmallMatrix& matrix);

// Nothing when the matrix is singular to working precision.
std::optional<SmallMatrix> inverse(const SmallMatrix& matrix);

}  // namespace daedalus::linalg
