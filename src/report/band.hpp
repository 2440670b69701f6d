// How far a second run of a model is from the first, row by row.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

class Band {
 public:
  // Both tables must outlive it.
  Band(const solution::Table& first, const solution::Table& second);

  // | first - second | of a variable of the first table in each of its rows; NaN where the second
  // has no row at that time, or no such variable.
  std::vector<double> of(const solution::Variable& variable) const;

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  const solution::Table& first_;
  const solution::Table& second_;
  std::vector<std::size_t> rows_;  // of the second, for each of the first
  std::unordered_map<std::string_view, const solution::Variable*> variables_;  // of the second
};

}  // namespace daedalus::report
