#include "steps/dynamics.hpp"

#include "daedalus/base/check.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::steps {

using structure::Assignment;
using structure::Block;

namespace {

constexpr double block_tolerance = 1e-8;  // of the correction that is applied last
constexpr double most_block_iterations = 12;

// What the entries of a block's Jacobian are at a point.
std::vector<double> jacobian_at(const structure::StructuredModel& model, const Block& block,
                                expr::Walker& walker, std::vector<double> symbols) {
  symbols.resize(model.symbol_count, 0.0);
  const auto value = [&](expr::ExprId id) {
    return expr::evaluate(model.flat.arena, walker, id, symbols);
  };
  for (const Assignment& assignment : block.jacobian.assignments)
    symbols[index(assignment.target)] = value(assignment.value);
  std::vector<double> entries;
  for (const expr::ExprId id : block.jacobian.outputs) entries.push_back(value(id));
  return entries;
}

}  // namespace

Dynamics::Dynamics(structure::StructuredModel& model, std::span<const double> point)
    : model_(model), orders_(model.dynamics.blocks.size()), factors_(model.dynamics.blocks.size()) {
  in_time_ = structure::differentiate_in_time(model);
  DAEDALUS_CHECK(in_time_.has_value());  // smaller than the Jacobian, which there is
  for (std::size_t b = 0; b < orders_.size(); ++b) {
    const Block& block = model.dynamics.blocks[b];
    if (block.is_explicit() || !block.feeds_derivatives) continue;
    orders_[b] = order_by_values(block.tearing.size(), block.entries,
                                 jacobian_at(model, block, walker_, {point.begin(), point.end()}));
    guesses_.insert(guesses_.end(), block.tearing.begin(), block.tearing.end());
  }
}

void Dynamics::set(SymbolId id, Term value) {
  if (index(id) >= values_.size()) values_.resize(index(id) + 1);
  values_[index(id)] = value.id();
  set_.push_back(id);
}

void Dynamics::move_to(Term t, const Vector& y) {
  for (const SymbolId id : set_) values_[index(id)] = {};
  set_.clear();
  for (std::optional<Elimination<Term>>& factors : factors_) factors.reset();
  set(model::FlatModel::time, t);
  for (std::size_t i = 0; i < y.size(); ++i) set(model_.states[i], y[i]);
}

Term Dynamics::at_point(Writer& writer, expr::ExprId id) {
  const auto replacement = [&](SymbolId symbol) {
    return index(symbol) < values_.size() ? values_[index(symbol)] : expr::ExprId{};
  };
  return {writer.arena(),
          expr::substitute(writer.arena(), walker_, std::span(&id, 1), replacement).front()};
}

void Dynamics::run(Writer& writer, std::span<const Assignment> assignments) {
  for (const Assignment& assignment : assignments)
    set(assignment.target, writer.keep(at_point(writer, assignment.value)));
}

void Dynamics::run_blocks(Writer& writer) {
  for (std::size_t b = 0; b < model_.dynamics.blocks.size(); ++b) {
    const Block& block = model_.dynamics.blocks[b];
    if (!block.feeds_derivatives) continue;
    if (!block.is_explicit()) block.linear ? solve_linear(writer, b) : iterate(writer, b);
    run(writer, {block.assignments.begin(), block.assignments.end()});
  }
}

const Elimination<Term>& Dynamics::factors_of(Writer& writer, std::size_t number) {
  if (factors_[number]) return *factors_[number];
  const Block& block = model_.dynamics.blocks[number];
  run(writer, block.jacobian.assignments);
  std::vector<Elimination<Term>::Element> elements;
  for (std::size_t k = 0; k < block.entries.size(); ++k) {
    elements.push_back(
        {block.entries[k], writer.keep(at_point(writer, block.jacobian.outputs[k]))});
  }
  Term growth = writer.constant(0.0);
  factors_[number].emplace(writer, block.tearing.size(), orders_[number], elements, growth);
  if (!growth.is_zero()) troubles_.push_back(writer.keep(growth));
  return *factors_[number];
}

// -(d residual / d tearing)^-1 residual, at what the tearing variables are set to.
Vector Dynamics::correction(Writer& writer, std::size_t number) {
  const Block& block = model_.dynamics.blocks[number];
  run(writer, {block.assignments.begin(), block.assignments.end()});
  Vector residual;
  for (const expr::ExprId id : block.residuals) residual.push_back(-at_point(writer, id));
  return factors_of(writer, number).solve(writer, std::move(residual));
}

// From 0, where most of the residual vanishes before it is ever computed.
void Dynamics::solve_linear(Writer& writer, std::size_t number) {
  const Block& block = model_.dynamics.blocks[number];
  for (const SymbolId id : block.tearing) set(id, writer.constant(0.0));
  const Vector solution = correction(writer, number);
  for (std::size_t i = 0; i < solution.size(); ++i) set(block.tearing[i], solution[i]);
}

// Newton's method from where the last iteration ended. It is not damped: what needs that is left to
// the library.
void Dynamics::iterate(Writer& writer, std::size_t number) {
  const Block& block = model_.dynamics.blocks[number];
  const std::size_t n = block.tearing.size();
  const std::size_t first = writer.make_places(n);
  const std::size_t count = writer.make_places(1);
  const std::size_t trouble = writer.make_places(1);
  const Vector x = writer.symbols(first, n);
  for (std::size_t i = 0; i < n; ++i) writer.assign(first + i, writer.symbol(block.tearing[i]));
  writer.assign(count, writer.constant(0.0));
  writer.begin_repeat();
  for (std::size_t i = 0; i < n; ++i) set(block.tearing[i], x[i]);
  const Vector step = correction(writer, number);
  Term size = writer.constant(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double nominal = model_.attributes[index(block.tearing[i])].nominal.value_or(1.0);
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
  factors_[number].reset();  // were those of the iterate before
  troubles_.push_back(writer.symbol(trouble));
  for (std::size_t i = 0; i < n; ++i) {
    set(block.tearing[i], x[i]);
    writer.assign(block.tearing[i], choose(writer.symbol(trouble) > writer.constant(0.0),
                                           writer.symbol(block.tearing[i]), x[i]));
  }
}

Vector Dynamics::derivatives(Writer& writer, Term t, const Vector& y) {
  move_to(t, y);
  run_blocks(writer);
  Vector result;
  for (const structure::VariableId id : model_.derivatives)
    result.push_back(at_point(writer, writer.arena().symbol(id)));
  return result;
}

std::vector<Term> Dynamics::run(Writer& writer, const structure::Jacobian& jacobian) {
  for (const structure::JacobianStep& step : jacobian.steps) {
    run(writer, step.kernel.assignments);
    if (!step.block) continue;
    const std::size_t rows = model_.dynamics.blocks[*step.block].tearing.size();
    const Elimination<Term>& factors = factors_of(writer, *step.block);
    for (std::size_t first = 0; first < step.solution.size(); first += rows) {
      Vector right;
      for (std::size_t i = 0; i < rows; ++i)
        right.push_back(-at_point(writer, step.kernel.outputs[first + i]));
      const Vector solution = factors.solve(writer, std::move(right));
      for (std::size_t i = 0; i < rows; ++i) set(step.solution[first + i], solution[i]);
    }
  }
  std::vector<Term> values;
  for (const expr::ExprId id : jacobian.values) values.push_back(writer.keep(at_point(writer, id)));
  return values;
}

Linearisation Dynamics::linearise(Writer& writer, Term t, const Vector& y) {
  move_to(t, y);
  run_blocks(writer);
  Linearisation result{.jacobian = run(writer, *model_.jacobian), .in_time = {}};
  if (in_time_->entries.empty()) return result;
  const std::vector<Term> column = run(writer, *in_time_);
  result.in_time.assign(size(), writer.constant(0.0));
  for (std::size_t k = 0; k < column.size(); ++k)
    result.in_time[in_time_->entries[k].row] = column[k];
  return result;
}

}  // namespace daedalus::steps
