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

system::Functions linear(const std::vector<std::vector<double>>& A, std::vector<double> b) {
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

namespace {

struct Change {
  std::size_t species = 0;
  double amount = 0.0;
};

// The net effect of a reaction: a catalyst must not change by a rounding error.
std::vector<Change> net_changes(const Reaction& reaction, std::size_t species) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < species; ++i) {
    const auto amount =
        std::ranges::count(reaction.produced, i) - std::ranges::count(reaction.consumed, i);
    if (amount != 0) changes.push_back({i, static_cast<double>(amount)});
  }
  return changes;
}

}  // namespace

system::Functions mass_action(std::size_t species, const std::vector<Reaction>& reactions) {
  std::vector<std::vector<Change>> changes;
  for (const Reaction& reaction : reactions) changes.push_back(net_changes(reaction, species));
  const auto f = [reactions, changes](double, State y, Slope dydt) {
    std::ranges::fill(dydt, 0.0);
    for (std::size_t r = 0; r < reactions.size(); ++r) {
      double speed = reactions[r].rate;
      for (const std::size_t i : reactions[r].consumed) speed *= y[i];
      for (const Change& change : changes[r]) dydt[change.species] += change.amount * speed;
    }
  };
  return dense(species, f, [reactions, changes](double, State y, auto set) {
    for (std::size_t r = 0; r < reactions.size(); ++r) {
      const std::vector<std::size_t>& consumed = reactions[r].consumed;
      for (std::size_t k = 0; k < consumed.size(); ++k) {
        double slope = reactions[r].rate;  // of the speed, by the k-th factor
        for (std::size_t other = 0; other < consumed.size(); ++other) {
          if (other != k) slope *= y[consumed[other]];
        }
        for (const Change& change : changes[r]) {
          set(change.species, consumed[k], change.amount * slope);
        }
      }
    }
  });
}

}  // namespace daedalus::problems
