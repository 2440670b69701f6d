#include "structure/passes/jacobian_pattern.hpp"

#include <limits>
#include <numeric>
#include <span>

namespace daedalus::structure {
namespace {

constexpr std::size_t most_entries = 64'000'000;  // of all variables together
constexpr std::size_t few_states = 20;
constexpr double full = 0.2;  // a matrix of this density is treated as dense

// The states that each variable depends on.
class Dependences {
 public:
  Dependences(const model::FlatModel& flat, const std::vector<VariableId>& states,
              const std::vector<VariableId>& derivatives)
      : flat_(flat),
        rows_(flat.variables.size()),
        is_derivative_(flat.variables.size(), false),
        met_(states.size(), 0) {
    const double n = static_cast<double>(states.size());
    if (states.size() > few_states) most_in_derivatives_ = full * n * n;
    for (const VariableId id : derivatives) is_derivative_[index(id)] = true;
    for (std::uint32_t i = 0; i < states.size(); ++i) {
      rows_[index(states[i])] = {entries_.size(), 1};
      entries_.push_back(i);
    }
  }

  bool are_too_many() const {
    return entries_.size() > most_entries || in_derivatives_ >= most_in_derivatives_;
  }
  std::size_t products() const { return products_; }
  std::span<const std::uint32_t> row(SymbolId id) const {
    const Row& row = rows_[index(id)];
    return std::span(entries_).subspan(row.begin, row.count);
  }

  // All of the targets depend on everything in the expressions.
  void add(std::span<const VariableId> targets, std::span<const ExprId> roots) {
    const std::size_t begin = entries_.size();
    ++turn_;
    for (const SymbolId id : walker_.symbols(flat_.arena, roots)) {
      const Row other = rows_[index(id)];
      products_ += other.count;
      for (std::size_t k = other.begin; k < other.begin + other.count; ++k) {
        const std::uint32_t state = entries_[k];
        if (met_[state] == turn_) continue;
        met_[state] = turn_;
        entries_.push_back(state);
      }
    }
    const std::size_t count = entries_.size() - begin;
    for (const VariableId id : targets) {
      rows_[index(id)] = {begin, count};
      if (is_derivative_[index(id)]) in_derivatives_ += static_cast<double>(count);
    }
  }

 private:
  struct Row {
    std::size_t begin = 0, count = 0;  // in entries_
  };
  const model::FlatModel& flat_;
  std::vector<Row> rows_;               // by variable; variables of one block may share one
  std::vector<std::uint32_t> entries_;  // of all rows, in order
  std::vector<bool> is_derivative_;
  double in_derivatives_ = 0.0, most_in_derivatives_ = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> met_;  // by state: the round in which it was met last
  std::size_t turn_ = 0;
  std::size_t products_ = 0;
  expr::Walker walker_;
};

// By column, and in a column by row.
std::vector<Entry> by_columns(const Dependences& dependences, std::size_t size,
                              const std::vector<VariableId>& derivatives) {
  std::vector<std::size_t> next(size + 1, 0);
  for (const VariableId derivative : derivatives) {
    for (const std::uint32_t column : dependences.row(derivative)) ++next[column + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Entry> entries(next.back());
  for (std::uint32_t row = 0; row < derivatives.size(); ++row) {
    for (const std::uint32_t column : dependences.row(derivatives[row]))
      entries[next[column]++] = {row, column};
  }
  return entries;
}

}  // namespace

std::optional<JacobianPattern> jacobian_pattern(const model::FlatModel& flat,
                                                const SortedSystem& dynamics,
                                                const std::vector<VariableId>& states,
                                                const std::vector<VariableId>& derivatives) {
  Dependences dependences(flat, states, derivatives);
  for (const Block& block : dynamics.blocks) {
    if (!block.feeds_derivatives) continue;
    if (dependences.are_too_many()) return std::nullopt;
    if (block.is_explicit()) {
      const Assignment& assignment = block.assignments.front();
      dependences.add(std::span(&assignment.target, 1), std::span(&assignment.value, 1));
      continue;
    }
    std::vector<ExprId> roots;
    for (const EquationId id : block.equations) {
      const model::Equation& equation = dynamics.equations[index(id)];
      roots.insert(roots.end(), {equation.left, equation.right});
    }
    dependences.add(std::span(block.unknowns.data(), block.unknowns.size()), roots);
  }
  if (dependences.are_too_many()) return std::nullopt;
  return JacobianPattern{by_columns(dependences, states.size(), derivatives),
                         dependences.products()};
}

}  // namespace daedalus::structure
