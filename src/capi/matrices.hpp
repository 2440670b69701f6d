// Matrices as C callers hand them over: checked, and in compressed columns.
#pragma once

#include <cstddef>

#include "daedalus/base/result.hpp"
#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::capi {

Result<linalg::Sparsity> banded_pattern(std::size_t n, std::size_t lower, std::size_t upper);
Result<linalg::Sparsity> csc_pattern(std::size_t n, const int* starts, const int* rows);

// Without the entries that are 0.
Result<linalg::SparseMatrix> dense_mass(std::size_t n, const double* values);
Result<linalg::SparseMatrix> banded_mass(std::size_t n, std::size_t lower, std::size_t upper,
                                         const double* values);
Result<linalg::SparseMatrix> diagonal_mass(std::size_t n, const double* values);

// With all entries of the pattern.
Result<linalg::SparseMatrix> csc_mass(linalg::Sparsity pattern, const double* values);

}  // namespace daedalus::capi
