#include "runtime/rounding.hpp"

#include <cmath>
#include <limits>

#include "daedalus/expr/rounding.hpp"

namespace daedalus::runtime {
namespace {

constexpr double input_rounding = 2 * std::numeric_limits<double>::epsilon();
// Of a tearing variable: adding the last correction to it rounds, however exact the residuals are.
constexpr double own_rounding = std::numeric_limits<double>::epsilon();

class Bounds {
 public:
  Bounds(const structure::StructuredModel& model, std::span<const double> symbols)
      : model_(model), symbols_(symbols), errors_(symbols.size(), 0.0) {
    take_as_input(model::FlatModel::time);
    for (const structure::VariableId state : model.states) take_as_input(state);
  }

  // Explicit blocks have no memory.
  void follow(const structure::Block& block, BlockMemory* memory) {
    assign(block);
    if (memory == nullptr) return;
    const std::vector<double> errors = of_tearing(block, *memory);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const std::size_t symbol = index(block.tearing[i]);
      errors_[symbol] = errors[i] + own_rounding * std::abs(symbols_[symbol]);
    }
    assign(block);
  }

  double of(expr::ExprId id) {
    return expr::rounding_error(model_.flat.arena, walker_, id, symbols_, errors_);
  }

 private:
  void take_as_input(structure::VariableId id) {
    errors_[index(id)] = input_rounding * std::abs(symbols_[index(id)]);
  }

  void assign(const structure::Block& block) {
    for (const structure::Assignment& assignment : block.assignments)
      errors_[index(assignment.target)] = of(assignment.value);
  }

  // The effect on the tearing variables of the errors of the residuals for given tearing variables.
  std::vector<double> of_tearing(const structure::Block& block, BlockMemory& memory) {
    const std::size_t n = block.tearing.size();
    std::vector<double> sum(n, 0.0), column(n);
    for (std::size_t row = 0; row < n; ++row) {
      column.assign(n, 0.0);
      column[row] = of(block.residuals[row]);
      solve_with_factors(memory, column);
      for (std::size_t i = 0; i < n; ++i) sum[i] += std::abs(column[i]);
    }
    return sum;
  }

  const structure::StructuredModel& model_;
  std::span<const double> symbols_;
  std::vector<double> errors_;  // by symbol
  expr::Walker walker_;
};

}  // namespace

std::vector<double> rounding_of_switches(const structure::StructuredModel& model,
                                         const structure::SortedSystem& sorted,
                                         std::span<const double> symbols, BlockMemories& memory) {
  Bounds bounds(model, symbols);
  for (std::size_t b = 0; b < sorted.blocks.size(); ++b) {
    const structure::Block& block = sorted.blocks[b];
    if (!block.feeds_derivatives) continue;  // no switch compares its variables
    bounds.follow(block, block.is_explicit() ? nullptr : &memory[b]);
  }
  std::vector<double> roundings;
  for (const structure::Switch& one : model.discrete.switches)
    roundings.push_back(bounds.of(one.difference));
  return roundings;
}

}  // namespace daedalus::runtime
