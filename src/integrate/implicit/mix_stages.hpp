// Linear combinations of stages: the kernel of transformations, start values and estimates.
#pragma once

#include <cstddef>
#include <span>

namespace daedalus::integrate {

// out[i] = sum matrix[i][j] in[j] for vectors of length n that lie behind each other; matrix row by
// row.
void mix_stages(std::span<const double> matrix, std::span<const double> in, std::size_t n,
                std::span<double> out);

}  // namespace daedalus::integrate
