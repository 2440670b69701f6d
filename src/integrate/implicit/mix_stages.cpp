#include "integrate/implicit/mix_stages.hpp"

namespace daedalus::integrate {
namespace {

// With the number of stages known to the compiler, each output is one pass over all inputs.
template <std::size_t stages>
void mix_fixed(const double* matrix, const double* in, std::size_t n, double* __restrict out) {
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

void mix_any(std::size_t stages, const double* matrix, const double* in, std::size_t n,
             double* __restrict out) {
  for (std::size_t i = 0; i < stages; ++i) {
    double* __restrict to = out + i * n;
    for (std::size_t k = 0; k < n; ++k) to[k] = matrix[i * stages] * in[k];
    for (std::size_t j = 1; j < stages; ++j) {
      const double factor = matrix[i * stages + j];
      for (std::size_t k = 0; k < n; ++k) to[k] += factor * in[j * n + k];
    }
  }
}

}  // namespace

void mix_stages(std::span<const double> matrix, std::span<const double> in, std::size_t n,
                std::span<double> out) {
  const std::size_t stages = in.size() / n;
  if (stages == 3) return mix_fixed<3>(matrix.data(), in.data(), n, out.data());
  mix_any(stages, matrix.data(), in.data(), n, out.data());
}

}  // namespace daedalus::integrate
