#include "structure/passes/state_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "daedalus/base/check.hpp"
#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/tape.hpp"

namespace daedalus::structure {
namespace {

struct Coefficient {
  std::uint32_t column;
  double value;
};
using SparseRow = std::vector<Coefficient>;  // by column, without zeros

std::vector<SparseRow> rows_of(const StateGroup& group, std::span<const double> entries) {
  std::vector<SparseRow> rows(group.constraints.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] != 0.0)
      rows[group.entries[i].row].push_back({group.entries[i].column, entries[i]});
  }
  for (SparseRow& row : rows) std::ranges::sort(row, {}, &Coefficient::column);
  return rows;
}

double largest(const SparseRow& row) {
  double result = 0.0;
  for (const Coefficient& entry : row) result = std::max(result, std::abs(entry.value));
  return result;
}

// 0 where the row has no entry.
double value_at(const SparseRow& row, std::uint32_t column) {
  const auto found = std::ranges::lower_bound(row, column, {}, &Coefficient::column);
  return found != row.end() && found->column == column ? found->value : 0.0;
}

// row -= (row[column] / pivot[column]) pivot. `sum` is scratch memory.
void eliminate(const SparseRow& pivot, std::uint32_t column, SparseRow& row, SparseRow& sum) {
  const double present = value_at(row, column);
  if (present == 0.0) return;
  const double factor = present / value_at(pivot, column);
  sum.clear();
  auto own = row.begin();
  for (const Coefficient& entry : pivot) {
    for (; own != row.end() && own->column < entry.column; ++own) sum.push_back(*own);
    double value = -factor * entry.value;
    if (own != row.end() && own->column == entry.column) value += (own++)->value;
    if (entry.column != column && value != 0.0) sum.push_back({entry.column, value});
  }
  sum.insert(sum.end(), own, row.end());
  row.swap(sum);
}

// How willing the variables below a derivative are not to be states, one by one.
std::vector<StateGroup::Willingness> willingness(const model::FlatModel& flat,
                                                 VariableId derivative) {
  std::vector<StateGroup::Willingness> result;
  StateGroup::Willingness sum;
  for (VariableId at = flat[derivative].derivative_of; !at.is_none(); at = flat[at].derivative_of) {
    const model::Variable& state = flat[at];
    sum.must = sum.must || state.state_select == model::StateSelect::Never;
    sum.must_not = sum.must_not || state.state_select == model::StateSelect::Always;
    if (state.state_select == model::StateSelect::Avoid) ++sum.asked;
    if (state.state_select == model::StateSelect::Prefer) --sum.asked;
    if (!state.derivative_of.is_none()) {
      sum.degree = 2;  // a derivative would be the state
    } else {
      sum.degree = state.fixed ? -1 : (state.start.is_none() ? 1 : 0);
    }
    result.push_back(sum);
  }
  return result;
}

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

struct Row {
  std::uint32_t equation;
  std::vector<expr::Partial> partials;  // by candidates
};

std::vector<Row> read_rows(model::FlatModel& flat, const Differentiation& differentiation) {
  expr::Walker walker;
  std::vector<Row> rows;
  const auto is_candidate = [&](SymbolId id) {
    return flat.is_unknown(id) && flat[id].derivative.is_none() &&
           !flat[id].derivative_of.is_none();
  };
  for (std::uint32_t i = 0; i < flat.equations.size(); ++i) {
    const bool is_last =
        differentiation.times[i] > 0 && differentiation.derivative[i] == Differentiation::none;
    if (!is_last) continue;
    const ExprId residual = flat.arena.subtract(flat.equations[i].left, flat.equations[i].right);
    rows.push_back({i, expr::gradient(flat.arena, walker, residual, is_candidate)});
  }
  return rows;
}

// The pivot of a row among the columns: of those of at least the required share of the largest one,
// the most willing, then the largest.
std::optional<std::uint32_t> find_pivot(const SparseRow& row,
                                        std::span<const std::uint32_t> columns,
                                        const StateGroup& group, int times, double least_share) {
  double most = 0.0;
  for (const std::uint32_t column : columns) most = std::max(most, std::abs(value_at(row, column)));
  std::optional<std::uint32_t> best;
  for (const std::uint32_t column : columns) {
    const double value = std::abs(value_at(row, column));
    if (value < least_share * most || value == 0.0) continue;
    const auto willing = [&](std::uint32_t of) {
      const StateGroup::Willingness& willingness = group.candidates[of].after(times);
      return std::pair(willingness.asked, willingness.degree);
    };
    const auto order = best ? willing(column) <=> willing(*best) : std::strong_ordering::greater;
    if (order > 0 || (order == 0 && value > std::abs(value_at(row, *best)))) best = column;
  }
  return best;
}

// A pivot among those that must be dummies, or else among those that may be, or else among the
// others.
std::optional<std::uint32_t> find_pivot(const SparseRow& row, const StateGroup& group, int times,
                                        double least_share, double least_value) {
  std::vector<std::uint32_t> must, may, others;
  for (const auto& [column, value] : row) {
    const StateGroup::Candidate& candidate = group.candidates[column];
    if (candidate.order() < times || !(std::abs(value) > least_value)) continue;
    const StateGroup::Willingness& willing = candidate.after(times);
    (willing.must_not ? others : (willing.must ? must : may)).push_back(column);
  }
  const std::vector<std::uint32_t>& columns = !must.empty() ? must : (!may.empty() ? may : others);
  return find_pivot(row, columns, group, times, least_share);
}

const StateGroup::Willingness& willingness_of(const StateGroup& group, VariableId dummy,
                                              int times) {
  const auto at = std::ranges::find(group.candidates, dummy, &StateGroup::Candidate::variable);
  return at->after(times);
}

}  // namespace

void make_candidates(model::FlatModel& flat) {
  const std::size_t declared = flat.variables.size();
  for (std::size_t i = 1; i < declared; ++i) {
    const VariableId id(i);
    const bool wanted = flat[id].state_select >= model::StateSelect::Prefer;
    if (wanted && flat.is_unknown(id)) model::derivative_of(flat, id);
  }
}

std::vector<StateGroup> group_constraints(model::FlatModel& flat,
                                          const Differentiation& differentiation) {
  const std::vector<Row> rows = read_rows(flat, differentiation);
  UnionFind classes(flat.variables.size());
  for (const Row& row : rows) {
    for (const expr::Partial& partial : row.partials) {
      classes.unite(partial.symbol.value, row.partials.front().symbol.value);
    }
  }
  std::vector<StateGroup> groups;
  std::map<std::uint32_t, std::size_t> group_of;  // by class
  std::map<VariableId, std::uint32_t> place;      // of a candidate in its group
  expr::Walker walker;
  const auto varies = [&](SymbolId id) {
    return id == model::FlatModel::time || flat.is_unknown(id);
  };
  for (const Row& row : rows) {
    DAEDALUS_CHECK(!row.partials.empty());
    const std::uint32_t root = classes.find(row.partials.front().symbol.value);
    const auto [entry, is_new] = group_of.emplace(root, groups.size());
    if (is_new) groups.emplace_back();
    StateGroup& group = groups[entry->second];
    const auto number = static_cast<std::uint32_t>(group.constraints.size());
    group.constraints.push_back({EquationId(row.equation), differentiation.times[row.equation]});
    for (const expr::Partial& partial : row.partials) {
      const auto [at, first] =
          place.emplace(partial.symbol, static_cast<std::uint32_t>(group.candidates.size()));
      if (first) {
        group.candidates.push_back({partial.symbol, willingness(flat, partial.symbol)});
      }
      group.entries.push_back({number, at->second});
      group.values.push_back(partial.value);
      if (expr::depends_on(flat.arena, walker, partial.value, varies)) group.is_constant = false;
    }
  }
  return groups;
}

// Constraints that were differentiated most come first: then the leading part of the matrix, which
// belongs to their lower derivatives, has full rank, too.
std::optional<std::vector<VariableId>> choose_dummies(const StateGroup& group,
                                                      std::span<const double> entries,
                                                      double least_share) {
  std::vector<SparseRow> rows = rows_of(group, entries);
  std::vector<double> sizes;
  for (const SparseRow& row : rows) sizes.push_back(largest(row));
  std::vector<std::size_t> turn(rows.size());
  std::iota(turn.begin(), turn.end(), 0U);
  std::ranges::stable_sort(turn, std::greater{},
                           [&](std::size_t row) { return group.constraints[row].times; });
  std::vector<VariableId> dummies(rows.size());
  SparseRow sum;
  for (std::size_t k = 0; k < turn.size(); ++k) {
    const SparseRow& row = rows[turn[k]];
    constexpr double rounding = 1e-10;
    const std::optional<std::uint32_t> pivot = find_pivot(
        row, group, group.constraints[turn[k]].times, least_share, rounding * sizes[turn[k]]);
    if (!pivot) return std::nullopt;
    dummies[turn[k]] = group.candidates[*pivot].variable;
    for (std::size_t other = k + 1; other < turn.size(); ++other) {
      eliminate(row, *pivot, rows[turn[other]], sum);
    }
  }
  return dummies;
}

StateSelectChange compare_state_select(const StateGroup& group,
                                       const std::vector<VariableId>& dummies) {
  int musts = 0, asked = 0;
  for (std::size_t row = 0; row < dummies.size(); ++row) {
    const int times = group.constraints[row].times;
    const auto add = [&](VariableId id, int sign) {
      const StateGroup::Willingness& willing = willingness_of(group, id, times);
      musts += sign * ((willing.must ? 1 : 0) - (willing.must_not ? 1 : 0));
      asked += sign * willing.asked;
    };
    add(dummies[row], 1);
    add(group.dummies[row], -1);
  }
  if (musts < 0) return StateSelectChange::Forbidden;
  return asked < 0 ? StateSelectChange::Unwanted : StateSelectChange::Fine;
}

namespace {

void report_impossible(const model::FlatModel& flat, VariableId id, const Span* constraint,
                       Diagnostics& diagnostics) {
  const model::Variable& variable = flat[id];
  const bool varies = flat.is_unknown(id);
  Diagnostic& diagnostic = diagnostics.error(
      "structure.state-impossible", variable.state_select_span,
      varies ? fmt::format("`{}` cannot be a state: an equation determines it", variable.name)
             : fmt::format("`{}` cannot be a state: it does not vary", variable.name));
  if (constraint != nullptr) diagnostic.related.push_back({*constraint, "this one"});
  diagnostic.hint =
      varies ? "write `StateSelect.prefer`, or do not ask for the others of its equations as states"
             : "leave out `stateSelect`";
}

}  // namespace

void check_state_select(const model::FlatModel& flat, const std::vector<StateGroup>& groups,
                        const StateChoice& choice, Diagnostics& diagnostics) {
  std::map<VariableId, EquationId> given_way;  // to which constraint
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t row = 0; row < choice[g].size(); ++row) {
      VariableId at = choice[g][row];
      for (int k = 0; k < groups[g].constraints[row].times; ++k) {
        at = flat[at].derivative_of;
        given_way.emplace(at, groups[g].constraints[row].equation);
      }
    }
  }
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    const VariableId id(i);
    const model::Variable& variable = flat[id];
    const auto constraint = given_way.find(id);
    const bool is_state = flat.is_unknown(id) && flat.is_state(id) && constraint == given_way.end();
    if (is_state && variable.state_select == model::StateSelect::Never) {
      diagnostics
          .error("structure.state-unavoidable", variable.state_select_span,
                 fmt::format("`{}` must be a state: nothing else can be one in its place",
                             variable.name))
          .hint = "write `StateSelect.avoid`, or relate it to a variable that may be a state";
    }
    if (!is_state && variable.state_select == model::StateSelect::Always) {
      report_impossible(
          flat, id,
          constraint == given_way.end() ? nullptr : &flat.equations[index(constraint->second)].span,
          diagnostics);
    }
  }
}

StateChoice choose_states(const model::FlatModel& flat, const std::vector<StateGroup>& groups,
                          const std::vector<double>& values) {
  expr::Walker walker;
  std::mt19937 random(1);
  StateChoice choice;
  std::vector<double> nearby = values;
  for (std::size_t i = 1; i < nearby.size(); ++i) {
    const double shift = static_cast<double>(random() % 1000) / 1000.0 + 0.1;
    if (flat.is_unknown(VariableId(i))) nearby[i] += shift * std::max(1.0, std::abs(nearby[i]));
  }
  for (const StateGroup& group : groups) {
    std::optional<std::vector<VariableId>> dummies;
    for (const std::vector<double>& point : {values, nearby}) {
      std::vector<double> entries;
      for (const ExprId id : group.values) {
        const double entry = expr::evaluate(flat.arena, walker, id, point);
        entries.push_back(std::isfinite(entry) ? entry : 0.0);
      }
      dummies = choose_dummies(group, entries, 0.1);
      if (dummies) break;
    }
    choice.push_back(dummies.value_or(std::vector<VariableId>{}));
  }
  return choice;
}

std::vector<VariableId> make_dummies(model::FlatModel& flat, std::vector<StateGroup>& groups,
                                     const StateChoice& choice) {
  std::vector<VariableId> former_states;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].dummies = choice[g];
    for (std::size_t row = 0; row < groups[g].constraints.size(); ++row) {
      VariableId at = choice[g][row];
      for (int k = 0; k < groups[g].constraints[row].times; ++k) {
        const VariableId below = flat[at].derivative_of;
        flat[below].derivative = {};
        flat[at].derivative_of = {};
        at = below;
        former_states.push_back(below);
      }
    }
  }
  return former_states;
}

double worst_ratio(const StateGroup& group, std::span<const double> entries) {
  std::vector<SparseRow> rows = rows_of(group, entries);
  std::vector<bool> is_left(rows.size(), true);
  std::vector<std::uint32_t> columns;
  for (const VariableId id : group.dummies) {
    const auto at = std::ranges::find(group.candidates, id, &StateGroup::Candidate::variable);
    columns.push_back(static_cast<std::uint32_t>(at - group.candidates.begin()));
  }
  SparseRow sum;
  for (const std::uint32_t column : columns) {
    std::size_t pivot = rows.size();
    double most = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double size = is_left[i] ? std::abs(value_at(rows[i], column)) : 0.0;
      if (size <= most) continue;
      most = size;
      pivot = i;
    }
    if (pivot == rows.size()) return std::numeric_limits<double>::infinity();
    is_left[pivot] = false;
    const double value = value_at(rows[pivot], column);
    for (Coefficient& entry : rows[pivot]) entry.value /= value;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i != pivot) eliminate(rows[pivot], column, rows[i], sum);
    }
  }
  std::vector<bool> is_dummy(group.candidates.size(), false);
  for (const std::uint32_t column : columns) is_dummy[column] = true;
  double worst = 0.0;
  for (const SparseRow& row : rows) {
    for (const Coefficient& entry : row) {
      if (!is_dummy[entry.column]) worst = std::max(worst, std::abs(entry.value));
    }
  }
  return worst;
}

}  // namespace daedalus::structure
