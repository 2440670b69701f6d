#include "structure/graph/matching.hpp"

#include <algorithm>

namespace daedalus::structure {
namespace {

class Augmenter {
 public:
  Augmenter(const Incidence& incidence, Matching& matching)
      : incidence_(incidence),
        matching_(matching),
        stamps_(incidence.rows, 0),
        dead_(incidence.rows, false),
        lookahead_(incidence.rows_of_column.size(), 0),
        next_(incidence.rows_of_column.size(), 0) {}

  void match(std::uint32_t start) {
    ++stamp_;
    path_.assign(1, start);
    next_[start] = 0;
    while (!path_.empty()) {
      const std::uint32_t column = path_.back();
      const std::uint32_t free_row = find_free_row(column);
      if (free_row != unmatched) return augment(free_row);
      if (!descend(column)) path_.pop_back();
    }
    for (const std::uint32_t row : seen_) dead_[row] = true;
    seen_.clear();
  }

 private:
  // A row that is taken never becomes free again, so the pointer never has to go back.
  std::uint32_t find_free_row(std::uint32_t column) {
    const std::span<const std::uint32_t> rows = incidence_.rows_of_column[column];
    for (std::uint32_t& i = lookahead_[column]; i < rows.size(); ++i) {
      if (matching_.column_of_row[rows[i]] == unmatched) return rows[i];
    }
    return unmatched;
  }

  bool descend(std::uint32_t column) {
    const std::span<const std::uint32_t> rows = incidence_.rows_of_column[column];
    for (std::uint32_t& i = next_[column]; i < rows.size();) {
      const std::uint32_t row = rows[i++];
      if (dead_[row] || stamps_[row] == stamp_) continue;
      stamps_[row] = stamp_;
      seen_.push_back(row);
      rows_on_path_.resize(path_.size());
      rows_on_path_.back() = row;
      const std::uint32_t deeper = matching_.column_of_row[row];
      next_[deeper] = 0;
      path_.push_back(deeper);
      return true;
    }
    return false;
  }

  void augment(std::uint32_t row) {
    for (std::size_t depth = path_.size(); depth-- > 0;) {
      const std::uint32_t column = path_[depth];
      matching_.column_of_row[row] = column;
      matching_.row_of_column[column] = row;
      if (depth > 0) row = rows_on_path_[depth - 1];
    }
    path_.clear();
    seen_.clear();
  }

  const Incidence& incidence_;
  Matching& matching_;
  std::vector<std::uint32_t> stamps_;
  std::vector<bool> dead_;
  std::vector<std::uint32_t> lookahead_, next_, path_, rows_on_path_, seen_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

bool Matching::is_perfect() const {
  const auto is_matched = [](std::uint32_t partner) { return partner != unmatched; };
  return std::ranges::all_of(row_of_column, is_matched) &&
         std::ranges::all_of(column_of_row, is_matched);
}

Matching maximum_matching(const Incidence& incidence) {
  Matching matching{std::vector<std::uint32_t>(incidence.rows_of_column.size(), unmatched),
                    std::vector<std::uint32_t>(incidence.rows, unmatched)};
  Augmenter augmenter(incidence, matching);
  for (std::uint32_t column = 0; column < incidence.rows_of_column.size(); ++column)
    augmenter.match(column);
  return matching;
}

Part underdetermined_part(const Incidence& incidence, const Matching& matching) {
  Part part;
  std::vector<bool> seen_row(incidence.rows, false),
      seen_column(incidence.rows_of_column.size(), false);
  for (std::uint32_t column = 0; column < matching.row_of_column.size(); ++column) {
    if (matching.row_of_column[column] != unmatched) continue;
    seen_column[column] = true;
    part.columns.push_back(column);
  }
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    for (const std::uint32_t row : incidence.rows_of_column[part.columns[i]]) {
      if (seen_row[row]) continue;
      seen_row[row] = true;
      part.rows.push_back(row);
      const std::uint32_t column = matching.column_of_row[row];
      if (column == unmatched || seen_column[column]) continue;
      seen_column[column] = true;
      part.columns.push_back(column);
    }
  }
  std::ranges::sort(part.rows);
  std::ranges::sort(part.columns);
  return part;
}

Part overdetermined_part(const Incidence& incidence, const Matching& matching) {
  const Incidence transposed{incidence.rows_of_column.size(),
                             incidence.rows_of_column.inverse(incidence.rows)};
  const Matching flipped{matching.column_of_row, matching.row_of_column};
  const Part part = underdetermined_part(transposed, flipped);
  return {part.columns, part.rows};
}

}  // namespace daedalus::structure
