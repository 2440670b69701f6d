// The pattern of alpha M - J.
#pragma once

#include <cstddef>
#include <vector>

#include "daedalus/linalg/linear_solver.hpp"
#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

// And the places of the entries of both in it.
struct Union {
  Sparsity pattern;
  std::vector<std::size_t> jacobian_places;
  std::vector<std::size_t> mass_places;  // of the diagonal, if M is the identity
};

Union unite(const Shape& shape);

}  // namespace daedalus::linalg
