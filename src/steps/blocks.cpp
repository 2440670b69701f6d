#include "steps/blocks.hpp"

#include <algorithm>
#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/expr/tape.hpp"

namespace daedalus::steps {

using structure::Assignment;
using structure::Block;

namespace {

constexpr double block_tolerance = 1e-8;  // of the correction that is applied last
constexpr double most_block_iterations = 12;
constexpr double usual_block_iterations = 3;  // measured, as in cost.hpp

}  // namespace

Blocks::Blocks(const structure::SortedSystem& sorted,
               const std::vector<structure::Attributes>& attributes, std::size_t first_own)
    : sorted_(sorted),
      attributes_(attributes),
      first_own_(first_own),
      orders_(sorted.blocks.size()),
      factors_(sorted.blocks.size()) {}

bool Blocks::is_solved(std::size_t number) const {
  const Block& block = sorted_.blocks[number];
  return !block.is_explicit() && block.feeds_derivatives;
}

std::vector<double> Blocks::matrix_at(const expr::Arena& arena, std::size_t number,
                                      std::vector<double>& symbols) {
  const structure::Kernel& jacobian = sorted_.blocks[number].jacobian;
  for (const Assignment& assignment : jacobian.assignments)
    symbols[index(assignment.target)] = expr::evaluate(arena, walker_, assignment.value, symbols);
  std::vector<double> entries;
  for (const expr::ExprId id : jacobian.outputs)
    entries.push_back(expr::evaluate(arena, walker_, id, symbols));
  return entries;
}

std::vector<double> Blocks::matrices_at(const expr::Arena& arena, std::vector<double> symbols) {
  std::vector<double> all;
  for (std::size_t b = 0; b < count(); ++b) {
    if (!is_solved(b)) continue;
    const std::vector<double> entries = matrix_at(arena, b, symbols);
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

double Blocks::choose_pivots(const expr::Arena& arena, std::vector<std::vector<double>> points) {
  double worst = 0.0;
  for (std::size_t b = 0; b < count(); ++b) {
    if (!is_solved(b)) continue;
    const Block& block = sorted_.blocks[b];
    std::vector<std::vector<double>> matrices;
    for (std::vector<double>& symbols : points) matrices.push_back(matrix_at(arena, b, symbols));
    double best = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& matrix : matrices) {
      PivotOrder order = order_by_values(block.tearing.size(), block.entries, matrix);
      if (order.empty()) continue;
      double growth = 0.0;
      for (const std::vector<double>& other : matrices)
        growth = std::max(growth, growth_of(order, block.entries, other));
      if (growth < best || orders_[b].empty()) orders_[b] = std::move(order);
      best = std::min(best, growth);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

std::size_t Blocks::elimination_size(std::size_t number) const {
  return steps::elimination_size(orders_[number], sorted_.blocks[number].entries);
}

SymbolId Blocks::guess_of(SymbolId tearing) const {
  const auto found = guess_places_.find(tearing);
  return found == guess_places_.end() ? tearing : found->second;
}

void Blocks::forget() {
  for (const SymbolId id : set_) values_[index(id)] = {};
  set_.clear();
  for (std::optional<Elimination<Term>>& factors : factors_) factors.reset();
}

void Blocks::set(SymbolId id, Term value) {
  if (index(id) >= values_.size()) values_.resize(index(id) + 1);
  values_[index(id)] = value.id();
  set_.push_back(id);
}

Term Blocks::value(Writer& writer, expr::ExprId id) {
  const auto replacement = [&](SymbolId symbol) {
    const expr::ExprId known =
        index(symbol) < values_.size() ? values_[index(symbol)] : expr::ExprId{};
    DAEDALUS_CHECK(index(symbol) < first_own_ || !known.is_none());
    return known;
  };
  return {writer.arena(),
          expr::substitute(writer.arena(), walker_, std::span(&id, 1), replacement).front()};
}

void Blocks::run(Writer& writer, std::span<const Assignment> assignments) {
  for (const Assignment& assignment : assignments)
    set(assignment.target, writer.keep(value(writer, assignment.value)));
}

void Blocks::run_assignments(Writer& writer, std::size_t number) {
  const Block& block = sorted_.blocks[number];
  run(writer, {block.assignments.begin(), block.assignments.end()});
}

void Blocks::run_block(Writer& writer, std::size_t number) {
  const Block& block = sorted_.blocks[number];
  if (!block.is_explicit()) block.linear ? solve_linear(writer, number) : iterate(writer, number);
  run_assignments(writer, number);
}

const Elimination<Term>& Blocks::factors_of(Writer& writer, std::size_t number) {
  if (factors_[number]) return *factors_[number];
  const Block& block = sorted_.blocks[number];
  run(writer, block.jacobian.assignments);
  std::vector<Elimination<Term>::Element> elements;
  for (std::size_t k = 0; k < block.entries.size(); ++k)
    elements.push_back({block.entries[k], writer.keep(value(writer, block.jacobian.outputs[k]))});
  Term growth = writer.constant(0.0);
  factors_[number].emplace(writer, block.tearing.size(), orders_[number], elements, growth);
  if (!growth.is_zero()) troubles_.push_back(writer.keep(growth));
  return *factors_[number];
}

Vector Blocks::correction(Writer& writer, std::size_t number) {
  Vector residual;
  for (const expr::ExprId id : sorted_.blocks[number].residuals)
    residual.push_back(-value(writer, id));
  return factors_of(writer, number).solve(writer, std::move(residual));
}

// Starts from 0, where most of the residual simplifies to nothing.
void Blocks::solve_linear(Writer& writer, std::size_t number) {
  const Block& block = sorted_.blocks[number];
  for (const SymbolId id : block.tearing) set(id, writer.constant(0.0));
  run_assignments(writer, number);
  const Vector solution = correction(writer, number);
  for (std::size_t i = 0; i < solution.size(); ++i) set(block.tearing[i], solution[i]);
}

// Newton's method from where the last iteration ended. It is not damped: cases that need damping
// are left to the library.
void Blocks::iterate(Writer& writer, std::size_t number) {
  const Block& block = sorted_.blocks[number];
  const std::size_t n = block.tearing.size();
  const std::size_t first = writer.make_places(n);
  const std::size_t count = writer.make_places(1);
  const std::size_t trouble = writer.make_places(1);
  const Vector x = writer.symbols(first, n);
  for (std::size_t i = 0; i < n; ++i)
    writer.assign(first + i, writer.symbol(guess_of(block.tearing[i])));
  writer.assign(count, writer.constant(0.0));
  writer.begin_repeat(usual_block_iterations);
  for (std::size_t i = 0; i < n; ++i) set(block.tearing[i], x[i]);
  run_assignments(writer, number);
  const Vector step = correction(writer, number);
  Term size = writer.constant(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double nominal = attributes_[index(block.tearing[i])].nominal.value_or(1.0);
    size = size + abs(step[i]) / max(abs(x[i]), writer.constant(nominal));  // NaN stays NaN
  }
  size = writer.keep(size);
  for (std::size_t i = 0; i < n; ++i) writer.assign(first + i, writer.keep(x[i] + step[i]));
  const Term iteration = writer.keep(writer.symbol(count) + 1.0);
  writer.assign(count, iteration);
  const Term is_solved = writer.keep(size <= writer.constant(block_tolerance));
  writer.assign(trouble, choose(is_solved, writer.constant(0.0), writer.constant(1e300)));
  writer.end_repeat(!is_solved && iteration < writer.constant(most_block_iterations) &&
                    size <= writer.constant(1e300));
  forget_factors(number);  // they were those of the previous iterate
  troubles_.push_back(writer.symbol(trouble));
  for (std::size_t i = 0; i < n; ++i) {
    set(block.tearing[i], x[i]);
    const SymbolId guess = guess_of(block.tearing[i]);
    writer.assign(
        guess, choose(writer.symbol(trouble) > writer.constant(0.0), writer.symbol(guess), x[i]));
  }
}

}  // namespace daedalus::steps
