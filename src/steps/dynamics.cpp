#include "steps/dynamics.hpp"

#include <algorithm>
#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::steps {

using structure::Block;

namespace {

// Computed from parameters alone.
bool is_constant(const structure::StructuredModel& model, const structure::Jacobian& jacobian) {
  expr::Walker walker;
  const auto changes = [&](SymbolId id) {
    return index(id) < model.flat.variables.size() &&
           !model::is_fixed_in_time(model.flat[id].variability);
  };
  const auto depends = [&](expr::ExprId id) {
    return expr::depends_on(model.flat.arena, walker, id, changes);
  };
  for (const structure::JacobianStep& step : jacobian.steps) {
    if (step.block && !model.dynamics.blocks[*step.block].constant) return false;
    if (std::ranges::any_of(step.kernel.assignments, depends, &structure::Assignment::value) ||
        std::ranges::any_of(step.kernel.outputs, depends)) {
      return false;
    }
  }
  return std::ranges::none_of(jacobian.values, depends);
}

}  // namespace

Dynamics::Dynamics(structure::StructuredModel& model, std::span<const double> point)
    : model_(model),
      in_time_(structure::differentiate_in_time(model)),
      blocks_(model.dynamics, model.attributes, std::numeric_limits<std::size_t>::max()) {
  DAEDALUS_CHECK(in_time_.has_value());  // smaller than the Jacobian, which there is
  has_constant_jacobian_ = is_constant(model, *model.jacobian);
  std::vector<double> symbols(point.begin(), point.end());
  symbols.resize(model.symbol_count, 0.0);
  blocks_.choose_pivots(model.flat.arena, {std::move(symbols)});
  for (const Block& block : model.dynamics.blocks) {
    if (block.is_explicit() || !block.feeds_derivatives) continue;
    guesses_.insert(guesses_.end(), block.tearing.begin(), block.tearing.end());
  }
}

void Dynamics::move_to(Term t, const Vector& y) {
  blocks_.forget();
  blocks_.set(model::FlatModel::time, t);
  for (std::size_t i = 0; i < y.size(); ++i) blocks_.set(model_.states[i], y[i]);
}

void Dynamics::run_blocks(Writer& writer) {
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    if (blocks_[b].feeds_derivatives) blocks_.run_block(writer, b);
  }
}

Vector Dynamics::derivatives(Writer& writer, Term t, const Vector& y) {
  move_to(t, y);
  run_blocks(writer);
  Vector result;
  for (const structure::VariableId id : model_.derivatives)
    result.push_back(blocks_.value(writer, writer.arena().symbol(id)));
  return result;
}

Vector Dynamics::derivatives_in_pass(Writer& writer, Term t, const Vector& y, Term is_first) {
  std::vector<SymbolId> iterated;
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    const Block& block = blocks_[b];
    if (block.is_explicit() || block.linear || !block.feeds_derivatives) continue;
    iterated.insert(iterated.end(), block.tearing.begin(), block.tearing.end());
  }
  const std::size_t places = writer.make_places(iterated.size());
  for (std::size_t i = 0; i < iterated.size(); ++i) {
    const Term before = writer.symbol(places + i);
    writer.assign(places + i, choose(is_first, writer.symbol(iterated[i]), before));
    blocks_.guess_at(iterated[i], places + i);
  }
  Vector result = derivatives(writer, t, y);
  for (std::size_t i = 0; i < iterated.size(); ++i) {
    writer.assign(iterated[i], writer.symbol(places + i));
    blocks_.guess_at(iterated[i], index(iterated[i]));
  }
  return result;
}

std::vector<Term> Dynamics::run(Writer& writer, const structure::Jacobian& jacobian) {
  for (const structure::JacobianStep& step : jacobian.steps) {
    blocks_.run(writer, step.kernel.assignments);
    if (!step.block) continue;
    const std::size_t rows = blocks_[*step.block].tearing.size();
    const Elimination<Term>& factors = blocks_.factors_of(writer, *step.block);
    for (std::size_t first = 0; first < step.solution.size(); first += rows) {
      Vector right;
      for (std::size_t i = 0; i < rows; ++i)
        right.push_back(-blocks_.value(writer, step.kernel.outputs[first + i]));
      const Vector solution = factors.solve(writer, std::move(right));
      for (std::size_t i = 0; i < rows; ++i) blocks_.set(step.solution[first + i], solution[i]);
    }
  }
  std::vector<Term> values;
  for (const expr::ExprId id : jacobian.values)
    values.push_back(writer.keep(blocks_.value(writer, id)));
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
