#include "problems/functions.hpp"

namespace daedalus::problems {

linalg::Sparsity Places::pattern(std::size_t n) const {
  auto sorted = column_row;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  linalg::Sparsity pattern{.size = n, .starts = std::vector<int>(n + 1, 0)};
  for (const auto& [column, row] : sorted) {
    pattern.rows.push_back(static_cast<int>(row));
    ++pattern.starts[column + 1];
  }
  for (std::size_t j = 0; j < n; ++j) pattern.starts[j + 1] += pattern.starts[j];
  return pattern;
}

std::vector<std::size_t> Places::slots(const linalg::Sparsity& pattern) const {
  std::vector<std::size_t> slots;
  for (const auto& [column, row] : column_row) {
    const auto begin = pattern.rows.begin() + pattern.starts[column];
    const auto end = pattern.rows.begin() + pattern.starts[column + 1];
    const auto found = std::lower_bound(begin, end, static_cast<int>(row));
    slots.push_back(static_cast<std::size_t>(found - pattern.rows.begin()));
  }
  return slots;
}

system::Functions linear(std::vector<std::vector<double>> A, std::vector<double> b) {
  const std::size_t n = A.size();
  b.resize(n, 0.0);
  const auto f = [A, b](double, State y, Slope dydt) {
    for (std::size_t i = 0; i < A.size(); ++i) {
      dydt[i] = b[i];
      for (std::size_t j = 0; j < A.size(); ++j) dydt[i] += A[i][j] * y[j];
    }
  };
  return dense(n, f, [A](double, State, auto set) {
    for (std::size_t i = 0; i < A.size(); ++i) {
      for (std::size_t j = 0; j < A.size(); ++j) set(i, j, A[i][j]);
    }
  });
}

system::Functions mass_action(std::size_t species, std::vector<Reaction> reactions) {
  const auto f = [reactions](double, State y, Slope dydt) {
    std::ranges::fill(dydt, 0.0);
    for (const Reaction& reaction : reactions) {
      double speed = reaction.rate;
      for (const std::size_t i : reaction.consumed) speed *= y[i];
      for (const std::size_t i : reaction.consumed) dydt[i] -= speed;
      for (const std::size_t i : reaction.produced) dydt[i] += speed;
    }
  };
  return dense(species, f, [reactions](double, State y, auto set) {
    for (const Reaction& reaction : reactions) {
      for (std::size_t k = 0; k < reaction.consumed.size(); ++k) {
        double slope = reaction.rate;  // of the speed, by the k-th factor
        for (std::size_t other = 0; other < reaction.consumed.size(); ++other) {
          if (other != k) slope *= y[reaction.consumed[other]];
        }
        for (const std::size_t i : reaction.consumed) set(i, reaction.consumed[k], -slope);
        for (const std::size_t i : reaction.produced) set(i, reaction.consumed[k], slope);
      }
    }
  });
}

}  // namespace daedalus::problems
