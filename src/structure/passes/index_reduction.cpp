#include "structure/passes/index_reduction.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"
#include "structure/passes/sorting.hpp"

namespace daedalus::structure {
namespace {

constexpr std::uint32_t none = Differentiation::none;

class Pantelides {
 public:
  Pantelides(model::FlatModel& flat, const std::vector<Alias>& aliases)
      : flat_(flat), is_alias_(flat.variables.size(), false) {
    for (const Alias& alias : aliases) is_alias_[index(alias.variable)] = true;
    for (std::uint32_t row = 0; row < flat_.equations.size(); ++row) read_equation(row);
    result_.derivative_of.assign(flat_.equations.size(), none);
    result_.derivative.assign(flat_.equations.size(), none);
    result_.times.assign(flat_.equations.size(), 0);
    grow();
    match_what_is_possible();
  }

  Differentiation run() {
    const std::size_t given = flat_.equations.size();
    for (std::uint32_t row = 0; row < given; ++row) {
      std::uint32_t last = row;
      while (!is_matched_[last]) {
        if (find_path(last)) break;
        differentiate_seen();
        last = result_.derivative[last];
      }
    }
    return std::move(result_);
  }

 private:
  // Variables that the equation can be solved for, among those of highest derivative.
  void read_equation(std::uint32_t row) {
    const model::Equation& equation = flat_.equations[row];
    const ExprId residual = flat_.arena.subtract(equation.left, equation.right);
    std::vector<VariableId>& variables = variables_.emplace_back();
    for (const SymbolId symbol :
         walker_.symbols(flat_.arena, std::span<const ExprId>(&residual, 1))) {
      if (flat_.is_unknown(symbol) && may_determine(flat_, inner_, equation, symbol)) {
        variables.push_back(symbol);
      }
    }
  }

  bool is_highest(VariableId id) const { return flat_[id].derivative.is_none(); }

  void grow() {
    matched_.resize(flat_.variables.size(), none);
    seen_variable_.resize(flat_.variables.size(), 0);
    is_matched_.resize(flat_.equations.size(), false);
    seen_equation_.resize(flat_.equations.size(), 0);
    next_.resize(flat_.equations.size(), 0);
  }

  void match_what_is_possible() {
    std::vector<VariableId> columns;
    std::vector<std::uint32_t> column_of(flat_.variables.size(), none);
    for (std::size_t i = 1; i < flat_.variables.size(); ++i) {
      const VariableId id(i);
      if (!flat_.is_unknown(id) || is_alias_[i] || !is_highest(id)) continue;
      column_of[i] = static_cast<std::uint32_t>(columns.size());
      columns.push_back(id);
    }
    Lists determines;
    for (std::uint32_t row = 0; row < flat_.equations.size(); ++row) {
      determines.begin_list();
      for (const VariableId id : variables_[row]) {
        if (column_of[index(id)] != none) determines.add(column_of[index(id)]);
      }
    }
    const Matching matching =
        maximum_matching({flat_.equations.size(), determines.inverse(columns.size())});
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const std::uint32_t row = matching.row_of_column[column];
      if (row == unmatched) continue;
      matched_[index(columns[column])] = row;
      is_matched_[row] = true;
    }
  }

  // An alternating path from the equation to a variable that is not matched yet. What the search
  // visits is marked with the current stamp.
  bool find_path(std::uint32_t start) {
    ++stamp_;
    seen_rows_.assign(1, start);
    seen_columns_.clear();
    seen_equation_[start] = stamp_;
    next_[start] = 0;
    std::vector<std::uint32_t> rows = {start};
    std::vector<VariableId> columns;
    while (!rows.empty()) {
      const std::uint32_t row = rows.back();
      const std::optional<VariableId> found = next_column(row);
      if (!found) {
        rows.pop_back();
        if (!columns.empty()) columns.pop_back();
        continue;
      }
      columns.push_back(*found);
      const std::uint32_t owner = matched_[index(*found)];
      if (owner == none) {
        for (std::size_t i = 0; i < rows.size(); ++i) matched_[index(columns[i])] = rows[i];
        is_matched_[start] = true;
        return true;
      }
      seen_equation_[owner] = stamp_;
      seen_rows_.push_back(owner);
      next_[owner] = 0;
      rows.push_back(owner);
    }
    return false;
  }

  std::optional<VariableId> next_column(std::uint32_t row) {
    const std::vector<VariableId>& variables = variables_[row];
    for (std::uint32_t& i = next_[row]; i < variables.size();) {
      const VariableId id = variables[i++];
      if (!is_highest(id) || seen_variable_[index(id)] == stamp_) continue;
      seen_variable_[index(id)] = stamp_;
      seen_columns_.push_back(id);
      return id;
    }
    return std::nullopt;
  }

  // The equations visited by the last search are too many for their variables.
  void differentiate_seen() {
    for (const std::uint32_t row : seen_rows_) {  // others determine variables of their own
      DAEDALUS_CHECK(flat_.equations[row].type == model::Type::Real);
    }
    for (const VariableId id : seen_columns_) derivative_of(flat_, id);
    std::ranges::sort(seen_rows_);
    for (const std::uint32_t row : seen_rows_) differentiate(row);
    grow();
    for (const VariableId id : seen_columns_) {
      const std::uint32_t owner = matched_[index(id)];
      const std::uint32_t derived = result_.derivative[owner];
      matched_[index(flat_[id].derivative)] = derived;
      is_matched_[derived] = true;
    }
  }

  void differentiate(std::uint32_t row) {
    const model::Equation equation = flat_.equations[row];
    const auto made = static_cast<std::uint32_t>(flat_.equations.size());
    flat_.equations.push_back({model::time_derivative(flat_, walker_, equation.left),
                               model::time_derivative(flat_, walker_, equation.right),
                               equation.span});
    result_.derivative[row] = made;
    result_.derivative.push_back(none);
    result_.derivative_of.push_back(row);
    result_.times.push_back(result_.times[row] + 1);
    constexpr int most_times = 50;  // the check before the first one rules out more than the size
    DAEDALUS_CHECK(result_.times.back() <= most_times);
    read_equation(made);
  }

  model::FlatModel& flat_;
  std::vector<bool> is_alias_;
  Differentiation result_;
  expr::Walker walker_, inner_;
  std::vector<std::vector<VariableId>> variables_;  // by equation
  std::vector<std::uint32_t> matched_;              // by variable: its equation
  std::vector<bool> is_matched_;                    // by equation
  std::vector<std::uint32_t> seen_variable_, seen_equation_, next_;
  std::vector<std::uint32_t> seen_rows_;
  std::vector<VariableId> seen_columns_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

Differentiation differentiate_constraints(model::FlatModel& flat,
                                          const std::vector<Alias>& aliases) {
  return Pantelides(flat, aliases).run();
}

}  // namespace daedalus::structure
