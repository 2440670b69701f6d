// Linear combinations of the stages of a step: what a Runge-Kutta step does apart from f.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::integrate {

struct Term {
  std::size_t stage = 0;
  double weight = 0.0;
};

using Combination = std::vector<Term>;

Combination without_zeros(const methods::Row& weights);

// out = base + factor sum weight[j] k[j], with the stages k behind each other; an empty base is 0.
// `base` may be `out`.
void combine(std::span<const double> base, double factor, const Combination& terms,
             std::span<const double> k, std::span<double> out);

}  // namespace daedalus::integrate
