#include "structure/passes/tangents.hpp"

#include <algorithm>

#include "daedalus/expr/calculus.hpp"

namespace daedalus::structure {
namespace {

constexpr std::size_t most_products = 4'000'000;

}  // namespace

void Tangents::seed(SymbolId id, std::uint32_t seed) {
  const Tangent one{seed, context_.flat.arena.constant(1.0)};
  set(id, std::span(&one, 1));
}

void Tangents::set(SymbolId id, std::span<const Tangent> row) {
  if (row.empty() && index(id) >= places_.size()) return;
  if (index(id) >= places_.size()) places_.resize(context_.symbol_count);
  places_[index(id)] = {static_cast<std::uint32_t>(entries_.size()),
                        static_cast<std::uint32_t>(row.size())};
  entries_.insert(entries_.end(), row.begin(), row.end());
}

std::span<Tangent> Tangents::entries(SymbolId id) {
  if (index(id) >= places_.size()) return {};
  const Place& place = places_[index(id)];
  return std::span(entries_).subspan(place.begin, place.count);
}

std::span<const Tangent> Tangents::row(SymbolId id) const {
  if (index(id) >= places_.size()) return {};
  const Place& place = places_[index(id)];
  return std::span(entries_).subspan(place.begin, place.count);
}

// Only rows that are used: most of them belong to derivatives, which nothing else depends on.
void Tangents::store(SymbolId id, std::vector<Assignment>& into) {
  expr::Arena& arena = context_.flat.arena;
  for (Tangent& tangent : entries(id)) {
    if (arity(arena[tangent.value].op) == 0) continue;
    const SymbolId temporary(context_.symbol_count++);
    into.push_back({temporary, tangent.value});
    tangent.value = arena.symbol(temporary);
  }
}

TangentRow Tangents::of(ExprId expression, std::vector<Assignment>& into) {
  expr::Arena& arena = context_.flat.arena;
  const auto has_row = [&](SymbolId id) { return !row(id).empty(); };
  TangentRow terms;
  for (const expr::Partial& partial : expr::gradient(arena, context_.walker, expression, has_row)) {
    store(partial.symbol, into);
    for (const Tangent& tangent : row(partial.symbol)) {
      terms.push_back({tangent.seed, arena.multiply(partial.value, tangent.value)});
    }
  }
  products_ += terms.size();
  std::ranges::stable_sort(terms, {}, &Tangent::seed);
  TangentRow sums;
  for (const Tangent& term : terms) {
    if (!sums.empty() && sums.back().seed == term.seed) {
      sums.back().value = arena.add(sums.back().value, term.value);
    } else {
      sums.push_back(term);
    }
  }
  std::erase_if(sums, [&](const Tangent& sum) { return arena.is_constant(sum.value, 0.0); });
  return sums;
}

void Tangents::follow(const Assignment& assignment, std::vector<Assignment>& into) {
  set(assignment.target, of(assignment.value, into));
}

namespace {

// (d residual / d tearing) X = -(d residual / d states): asks for X, which becomes the rows of the
// tearing variables.
void solve_for_tearing(const Block& block, std::size_t number, TearingContext context,
                       Tangents& tangents, Jacobian& jacobian) {
  expr::Arena& arena = context.flat.arena;
  JacobianStep& step = jacobian.steps.back();
  for (const Assignment& assignment : block.assignments)
    tangents.follow(assignment, step.kernel.assignments);
  std::vector<TangentRow> rows;
  std::vector<std::uint32_t> seeds;
  for (const ExprId residual : block.residuals) {
    rows.push_back(tangents.of(residual, step.kernel.assignments));
    for (const Tangent& tangent : rows.back()) seeds.push_back(tangent.seed);
  }
  std::ranges::sort(seeds);
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  if (seeds.empty()) return;

  step.block = number;
  std::vector<TangentRow> solution(block.tearing.size());
  for (const std::uint32_t seed : seeds) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto found = std::ranges::find(rows[i], seed, &Tangent::seed);
      step.kernel.outputs.push_back(found == rows[i].end() ? arena.constant(0.0) : found->value);
      const SymbolId temporary(context.symbol_count++);
      step.solution.push_back(temporary);
      solution[i].push_back({seed, arena.symbol(temporary)});
    }
  }
  for (std::size_t i = 0; i < block.tearing.size(); ++i)
    tangents.set(block.tearing[i], solution[i]);
  jacobian.steps.emplace_back();
}

}  // namespace

std::optional<Jacobian> differentiate_dynamics(const SortedSystem& dynamics,
                                               const std::vector<VariableId>& states,
                                               const std::vector<VariableId>& derivatives,
                                               TearingContext context) {
  Tangents tangents(context);
  for (std::uint32_t i = 0; i < states.size(); ++i) tangents.seed(states[i], i);

  Jacobian jacobian;
  jacobian.steps.emplace_back();
  for (std::size_t b = 0; b < dynamics.blocks.size(); ++b) {
    const Block& block = dynamics.blocks[b];
    if (!block.feeds_derivatives) continue;
    if (!block.is_explicit()) solve_for_tearing(block, b, context, tangents, jacobian);
    for (const Assignment& assignment : block.assignments) {
      tangents.follow(assignment, jacobian.steps.back().kernel.assignments);
    }
    if (tangents.products() > most_products) return std::nullopt;
  }

  struct Value {
    Entry entry;
    ExprId id;
  };
  std::vector<Value> values;
  for (std::uint32_t row = 0; row < derivatives.size(); ++row) {
    for (const Tangent& tangent : tangents.row(derivatives[row])) {
      values.push_back({{row, tangent.seed}, tangent.value});
    }
  }
  std::ranges::stable_sort(values, {}, [](const Value& value) { return value.entry.column; });
  for (const Value& value : values) {
    jacobian.entries.push_back(value.entry);
    jacobian.values.push_back(value.id);
  }
  return jacobian;
}

}  // namespace daedalus::structure
