// Series of unknowns that equations determine together.
#include "steps/series.hpp"

namespace daedalus::steps {

using expr::ExprId;

std::optional<Series::Obstacle> Series::expand(const Loop& loop) {
  expr::Arena& arena = writer_.arena();
  SolvedLoop solved;
  for (const SymbolId id : loop.unknowns)
    solved.unknowns.push_back(place({.id = arena.symbol(id), .rule = Rule::Unknown}));
  for (const auto* expressions : {&loop.residuals, &loop.matrix}) {
    auto& items = expressions == &loop.residuals ? solved.residuals : solved.matrix;
    for (const ExprId id : *expressions) {
      if (const auto obstacle = expand(id)) {
        forget_from(solved.unknowns.front());
        return obstacle;
      }
      items.push_back(item_of(id));
    }
  }
  solved.at = loop.at;
  solved.dependents = dependents_of(solved);
  const auto number = static_cast<std::uint32_t>(loops_.size());
  const std::uint32_t solution = place({.id = {}, .rule = Rule::Solution, .a = number});
  for (const std::uint32_t unknown : solved.unknowns) items_[unknown].c = solution;
  loops_.push_back(std::move(solved));
  return std::nullopt;
}

// Items placed for a loop that has no series must not be found by others.
void Series::forget_from(std::uint32_t first) {
  for (std::uint32_t i = first; i < items_.size(); ++i) places_[index(items_[i].id)] = none;
  items_.erase(items_.begin() + first, items_.end());
}

// Whether the coefficient of a power needs that of the same power of a known item.
bool Series::is_dependent(const Item& item, const std::vector<bool>& is_known) const {
  const auto is = [&](std::uint32_t other) { return other != none && is_known[other]; };
  switch (item.rule) {
    case Rule::Given:
    case Rule::Still:
    case Rule::Unknown:
    case Rule::Solution:
      return false;
    case Rule::Growth:
    case Rule::Integral:
    case Rule::Power:
      return is(item.a);
    case Rule::Angle:
      return is(item.a) || is(item.b);
    default:
      return is(item.a) || is(item.b) || is(item.c);
  }
}

std::vector<std::uint32_t> Series::dependents_of(const SolvedLoop& loop) const {
  std::vector<bool> is_known(items_.size(), false);
  for (const std::uint32_t unknown : loop.unknowns) is_known[unknown] = true;
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = loop.unknowns.front(); i < items_.size(); ++i) {
    if (!is_dependent(items_[i], is_known)) continue;
    is_known[i] = true;
    result.push_back(i);
  }
  return result;
}

// By the adjugate: it fails only where the determinant is 0.
Vector Series::inverse_of(const SolvedLoop& loop) {
  const std::size_t n = loop.unknowns.size();
  Vector m(n * n, zero());
  for (std::size_t k = 0; k < loop.at.size(); ++k)
    m[loop.at[k].row * n + loop.at[k].column] = at(loop.matrix[k], 0);
  if (n == 1) return {keep(1.0 / m[0])};
  const auto cofactor = [&](std::size_t row, std::size_t column) {
    if (n == 2) {
      const Term rest = m[(1 - row) * n + (1 - column)];
      return (row + column) % 2 == 0 ? rest : -rest;
    }
    const std::size_t r = (row + 1) % 3, s = (row + 2) % 3;
    const std::size_t c = (column + 1) % 3, d = (column + 2) % 3;
    return keep(m[r * n + c] * m[s * n + d] - m[r * n + d] * m[s * n + c]);
  };
  Vector adjugate;
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = 0; row < n; ++row) adjugate.push_back(cofactor(row, column));
  }
  Term determinant = zero();
  for (std::size_t row = 0; row < n; ++row) determinant = determinant + m[row * n] * adjugate[row];
  const Term factor = keep(1.0 / determinant);
  for (Term& element : adjugate) element = keep(factor * element);
  return adjugate;
}

// The residuals are computed with unknowns of 0, and then determine them.
void Series::solve(SolvedLoop& loop) {
  const std::size_t n = loop.unknowns.size();
  if (power_ == 0) loop.inverse = inverse_of(loop);
  for (std::size_t i = 0; i < n; ++i) {
    Term sum = zero();
    for (std::size_t j = 0; j < n; ++j)
      sum = sum + loop.inverse[i * n + j] * at(loop.residuals[j], power_);
    items_[loop.unknowns[i]].coefficients[power_] = keep(-sum);
  }
  for (const std::uint32_t dependent : loop.dependents) {
    Item& item = items_[dependent];
    if (!item.is_wanted) continue;
    item.coefficients.pop_back();
    if (item.slopes.size() > power_) item.slopes.resize(power_);
    if (power_ == 0) item.reciprocal = {};
    add_next(dependent);
  }
}

}  // namespace daedalus::steps
