#include "structure/passes/tangents.hpp"

#include <algorithm>

#include "daedalus/expr/calculus.hpp"

namespace daedalus::structure {
namespace {

// A block that depends on most states makes the Jacobian dense. Differences then cost a solution of
// the block for each state, but generated code for so many different entries takes longer to
// compile.
constexpr std::size_t most_of_a_full_solution = 1'000'000;

}  // namespace

void Tangents::seed(SymbolId id, std::uint32_t seed) {
  const Tangent one{seed, context_.flat.arena.constant(1.0)};
  set(id, std::span(&one, 1));
}

void Tangents::set(SymbolId id, std::span<const Tangent> row) {
  if (row.empty()) {
    places_.erase(id);
    return;
  }
  places_[id] = {static_cast<std::uint32_t>(entries_.size()),
                 static_cast<std::uint32_t>(row.size())};
  entries_.insert(entries_.end(), row.begin(), row.end());
}

std::span<const Tangent> Tangents::row(SymbolId id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) return {};
  return std::span(entries_).subspan(found->second.begin, found->second.count);
}

std::span<Tangent> Tangents::entries(SymbolId id) {
  const std::span<const Tangent> found = row(id);
  return {entries_.data() + (found.data() - entries_.data()), found.size()};
}

// Only rows that are used: most of them belong to derivatives, which nothing else depends on.
void Tangents::store(SymbolId id, std::vector<Assignment>& into) {
  expr::Arena& arena = context_.flat.arena;
  for (Tangent& tangent : entries(id)) {
    if (arity(arena[tangent.value].op) == 0) continue;
    ExprId& temporary = temporaries_[tangent.value];
    if (temporary.is_none()) {
      const SymbolId made(context_.symbol_count++);
      into.push_back({made, tangent.value});
      temporary = arena.symbol(made);
    }
    tangent.value = temporary;
  }
}

bool Tangents::allow(std::size_t products) {
  const std::size_t left = are_too_many() ? 0 : most_products_ - products_;
  products_ = products > left ? most_products_ + 1 : products_ + products;
  return !are_too_many();
}

TangentRow Tangents::of(ExprId expression, std::vector<Assignment>& into) {
  expr::Arena& arena = context_.flat.arena;
  const auto has_row = [&](SymbolId id) { return places_.contains(id); };
  const std::vector<expr::Partial> partials =
      expr::gradient(arena, context_.walker, expression, has_row);
  std::size_t count = 0;
  for (const expr::Partial& partial : partials) count += row(partial.symbol).size();
  if (!allow(count)) return {};
  TangentRow terms;
  terms.reserve(count);
  for (const expr::Partial& partial : partials) {
    store(partial.symbol, into);
    for (const Tangent& tangent : row(partial.symbol)) {
      terms.push_back({tangent.seed, arena.derived_product(partial.value, tangent.value)});
    }
  }
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
void solve_for_tearing(const Block& block, std::size_t number, std::size_t states,
                       TearingContext context, Tangents& tangents, Jacobian& jacobian) {
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
  // X is dense: each tearing variable depends on each seed.
  const std::size_t entries = seeds.size() * rows.size();
  const bool makes_all_full = entries > most_of_a_full_solution && 2 * seeds.size() > states;
  if (seeds.empty() || !tangents.allow(makes_all_full ? most_products_of_jacobian + 1 : entries))
    return;

  step.block = number;
  std::vector<TangentRow> solution(block.tearing.size());
  std::vector<std::size_t> next(rows.size(), 0);  // rows are in the order of the seeds
  for (const std::uint32_t seed : seeds) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool has_seed = next[i] < rows[i].size() && rows[i][next[i]].seed == seed;
      step.kernel.outputs.push_back(has_seed ? rows[i][next[i]++].value : arena.constant(0.0));
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
  Tangents tangents(context, most_products_of_jacobian);
  for (std::uint32_t i = 0; i < states.size(); ++i) tangents.seed(states[i], i);

  Jacobian jacobian;
  jacobian.steps.emplace_back();
  for (std::size_t b = 0; b < dynamics.blocks.size() && !tangents.are_too_many(); ++b) {
    const Block& block = dynamics.blocks[b];
    if (!block.feeds_derivatives) continue;
    if (!block.is_explicit()) {
      solve_for_tearing(block, b, states.size(), context, tangents, jacobian);
    }
    for (const Assignment& assignment : block.assignments) {
      tangents.follow(assignment, jacobian.steps.back().kernel.assignments);
    }
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
  if (tangents.are_too_many()) return std::nullopt;
  std::ranges::stable_sort(values, {}, [](const Value& value) { return value.entry.column; });
  for (const Value& value : values) {
    jacobian.entries.push_back(value.entry);
    jacobian.values.push_back(value.id);
  }
  return jacobian;
}

}  // namespace daedalus::structure
