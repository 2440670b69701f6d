// Helpers to write a right-hand side together with its Jacobian.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "daedalus/system/function_system.hpp"

namespace daedalus::problems {

using State = std::span<const double>;
using Slope = std::span<double>;

// `entries(t, y, set)` calls set(i, j, df_i/dy_j) for nonzero entries; entries that are set twice
// are added.
template <class Entries>
system::Functions dense(std::size_t n, system::Functions::Derivatives f, Entries entries) {
  system::Functions made{.size = n};
  made.f = std::move(f);
  made.jacobian = [n, entries = std::move(entries)](double t, State y, Slope values) {
    entries(t, y, [&](std::size_t i, std::size_t j, double value) { values[i + j * n] += value; });
  };
  return made;
}

// The places of a Jacobian in the order in which they are set.
struct Places {
  std::vector<std::pair<std::size_t, std::size_t>> column_row = {};
  linalg::Sparsity pattern(std::size_t n) const;
  std::vector<std::size_t> slots(const linalg::Sparsity& pattern) const;
};

// The same with a sparse pattern, taken from what `entries` sets at y0: it must always set the same
// places in the same order.
template <class Entries>
system::Functions sparse(State y0, system::Functions::Derivatives f, Entries entries) {
  Places places;
  entries(0.0, y0,
          [&](std::size_t i, std::size_t j, double) { places.column_row.emplace_back(j, i); });
  system::Functions made{.size = y0.size(), .pattern = places.pattern(y0.size())};
  made.f = std::move(f);
  made.jacobian = [entries = std::move(entries), slots = places.slots(*made.pattern)](
                      double t, State y, Slope values) {
    std::size_t k = 0;
    entries(t, y, [&](std::size_t, std::size_t, double value) { values[slots[k++]] += value; });
  };
  return made;
}

// y' = A y + b.
system::Functions linear(const std::vector<std::vector<double>>& A, std::vector<double> b = {});

// Species that react with a rate constant; a species that is listed twice counts twice.
struct Reaction {
  double rate = 0.0;
  std::vector<std::size_t> consumed = {};
  std::vector<std::size_t> produced = {};
};

// The law of mass action. Speeds are added in the order of the reactions, which decides the
// rounding error of a sum that nearly cancels.
system::Functions mass_action(std::size_t species, const std::vector<Reaction>& reactions);

}  // namespace daedalus::problems
