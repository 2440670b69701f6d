#include "integrate/newton/jacobian_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::integrate {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double tolerated = 1e-4;        // relative to the terms of a row
constexpr double far = 1000.0;            // times the short distance
constexpr double farthest = 1e6;          // likewise: a hundredth of the size of a component
constexpr double least_agreement = 0.25;  // of the differences, relative to the contradiction

// From -1 to -0.5 and from 0.5 to 1.
double next_share(unsigned& seed) {
  seed = 1664525U * seed + 1013904223U;
  const double size = 0.5 + 0.5 * static_cast<double>(seed >> 8 & 0xffffU) / 65536.0;
  return (seed >> 30 & 1U) != 0 ? size : -size;
}

// Calls act(row, value) for the entries of a column.
void for_column(const linalg::Sparsity* pattern, std::span<const double> values, std::size_t n,
                std::size_t column, auto&& act) {
  if (pattern == nullptr) {
    for (std::size_t i = 0; i < n; ++i) act(i, values[column * n + i]);
    return;
  }
  const auto end = static_cast<std::size_t>(pattern->starts[column + 1]);
  for (auto k = static_cast<std::size_t>(pattern->starts[column]); k < end; ++k)
    act(static_cast<std::size_t>(pattern->rows[k]), values[k]);
}

bool is_in(const linalg::Sparsity* pattern, std::size_t row, std::size_t column) {
  if (pattern == nullptr) return true;
  const auto rows =
      std::span(pattern->rows)
          .subspan(static_cast<std::size_t>(pattern->starts[column]),
                   static_cast<std::size_t>(pattern->starts[column + 1] - pattern->starts[column]));
  return std::ranges::binary_search(rows, static_cast<int>(row));
}

}  // namespace

struct JacobianCheck::Task {
  const Point& point;
  std::span<const double> at_point;
  const LinearMap& claimed;
  Evaluator& evaluator;
};

JacobianCheck::JacobianCheck(std::size_t n) : n_(n), memory_(8 * n) {
  std::span<double> rest = memory_;
  for (std::span<double>* vector :
       {&direction_, &claimed_, &size_, &found_, &least_, &most_, &y_, &slope_}) {
    *vector = rest.first(n);
    rest = rest.subspan(n);
  }
}

std::optional<solution::WrongJacobian> JacobianCheck::find(const Point& point,
                                                           std::span<const double> at_point,
                                                           const LinearMap& claimed,
                                                           Evaluator& evaluator,
                                                           const ErrorNorm& norm) {
  // Relative to the sizes that values and tolerances give to the components.
  for (std::size_t j = 0; j < n_; ++j)
    direction_[j] = next_share(seed_) * std::sqrt(epsilon) * norm.size(j);
  const Task task{point, at_point, claimed, evaluator};
  std::size_t first = 0, last = n_;
  std::optional<std::size_t> row = wrong_row(task, first, last);
  while (row && last - first > 1) {
    const std::size_t middle = first + (last - first) / 2;
    row = wrong_row(task, first, middle);
    if (row) {
      last = middle;
    } else {
      row = wrong_row(task, middle, last);
      first = middle;
    }
  }
  if (!row) return std::nullopt;
  const double sign = evaluator.form() == system::Form::Residual ? -1.0 : 1.0;
  const double change = sign / direction_[first];
  return solution::WrongJacobian{.row = *row,
                                 .column = first,
                                 .given = change * claimed_[*row],
                                 .found = change * 0.5 * (least_[*row] + most_[*row]),
                                 .t = point.t,
                                 .is_in_pattern = is_in(claimed.pattern, *row, first)};
}

std::optional<std::size_t> JacobianCheck::wrong_row(const Task& task, std::size_t first,
                                                    std::size_t last) {
  claim(task.claimed, first, last);
  std::ranges::fill(least_, std::numeric_limits<double>::infinity());
  std::ranges::fill(most_, -std::numeric_limits<double>::infinity());
  for (const double distance : {1.0, -1.0, far, -far}) {
    if (!difference(task, distance, first, last)) return std::nullopt;
    bool is_any = false;
    for (std::size_t i = 0; i < n_ && !is_any; ++i) is_any = is_contradicted(i);
    if (!is_any) return std::nullopt;
  }
  if (is_any_unmoved() && !difference(task, farthest, first, last)) return std::nullopt;
  std::optional<std::size_t> worst;
  double largest = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double part = std::abs(0.5 * (least_[i] + most_[i]) - claimed_[i]) / size_[i];
    if (!is_contradicted(i) || !(part > largest)) continue;
    worst = i;
    largest = part;
  }
  return worst;
}

void JacobianCheck::claim(const LinearMap& claimed, std::size_t first, std::size_t last) {
  std::ranges::fill(claimed_, 0.0);
  std::ranges::fill(size_, 0.0);
  for (std::size_t j = first; j < last; ++j) {
    const auto add = [&](std::size_t i, double value) {
      claimed_[i] += value * direction_[j];
      size_[i] += std::abs(value * direction_[j]);
    };
    for_column(claimed.pattern, claimed.values, n_, j, add);
    if (claimed.mass.empty()) continue;
    for_column(claimed.mass_pattern, claimed.mass, n_, j,
               [&](std::size_t i, double value) { add(i, -claimed.alpha * value); });
  }
}

// False where the equations are not defined.
bool JacobianCheck::difference(const Task& task, double distance, std::size_t first,
                               std::size_t last) {
  const bool is_residual = task.evaluator.form() == system::Form::Residual;
  std::ranges::copy(task.point.y, y_.begin());
  if (is_residual) std::ranges::copy(task.point.slope, slope_.begin());
  for (std::size_t j = first; j < last; ++j) {
    y_[j] += distance * direction_[j];
    const double change = y_[j] - task.point.y[j];  // as rounded
    if (is_residual) slope_[j] += task.claimed.alpha * change;
  }
  const Evaluation said = is_residual ? task.evaluator.defect(task.point.t, y_, slope_, found_)
                                      : task.evaluator.derivatives(task.point.t, y_, found_);
  if (said == Evaluation::Undefined) return false;
  for (std::size_t i = 0; i < n_; ++i) {
    found_[i] = (found_[i] - task.at_point[i]) / distance;
    least_[i] = std::min(least_[i], found_[i]);
    most_[i] = std::max(most_[i], found_[i]);
  }
  return true;
}

// Whether all differences are 0 in a row that is contradicted: rounding may hide the claimed value
// next to a large term.
bool JacobianCheck::is_any_unmoved() const {
  for (std::size_t i = 0; i < n_; ++i) {
    if (least_[i] == 0.0 && most_[i] == 0.0 && is_contradicted(i)) return true;
  }
  return false;
}

// Whether all differences contradict it consistently.
bool JacobianCheck::is_contradicted(std::size_t row) const {
  const double low = least_[row], high = most_[row], claimed = claimed_[row];
  const double contradiction = std::max(low - claimed, claimed - high);
  const double largest = std::max({size_[row], std::abs(low), std::abs(high)});
  return contradiction > tolerated * largest && high - low <= least_agreement * contradiction;
}

}  // namespace daedalus::integrate
