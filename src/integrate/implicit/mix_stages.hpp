// Linear combinations of stages: the kernel of transformations and start values.
#pragma once

#include <cstddef>
#include <span>

namespace daedalus::integrate {

// With the number of stages known to the compiler, each output is one pass over all inputs.
template <std::size_t stages, class Size>
void mix_fixed(const double* matrix, const double* in, Size n, double* out) {
  for (std::size_t i = 0; i < stages; ++i) {
    const double* row = matrix + i * stages;
    double* __restrict to = out + i * n;
    for (std::size_t k = 0; k < n; ++k) {
      double sum = row[0] * in[k];
      for (std::size_t j = 1; j < stages; ++j) sum += row[j] * in[j * n + k];
      to[k] = sum;
    }
  }
}

template <class Size>
void mix_any(std::size_t stages, const double* matrix, const double* in, Size n, double* out) {
  for (std::size_t i = 0; i < stages; ++i) {
    double* __restrict to = out + i * n;
    for (std::size_t k = 0; k < n; ++k) to[k] = matrix[i * stages] * in[k];
    for (std::size_t j = 1; j < stages; ++j) {
      const double factor = matrix[i * stages + j];
      for (std::size_t k = 0; k < n; ++k) to[k] += factor * in[j * n + k];
    }
  }
}

// out[i] = sum matrix[i][j] in[j] for contiguous vectors of length n; matrix row by row. Size is a
// number or a constant.
template <class Size>
void mix_stages(std::span<const double> matrix, std::span<const double> in, Size n,
                std::span<double> out) {
  switch (const std::size_t stages = in.size() / n) {
    case 3:
      return mix_fixed<3>(matrix.data(), in.data(), n, out.data());
    case 5:
      return mix_fixed<5>(matrix.data(), in.data(), n, out.data());
    case 7:
      return mix_fixed<7>(matrix.data(), in.data(), n, out.data());
    default:
      mix_any(stages, matrix.data(), in.data(), n, out.data());
  }
}

}  // namespace daedalus::integrate
