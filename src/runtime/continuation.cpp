#include "runtime/continuation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/linalg/norm.hpp"

namespace daedalus::runtime {
namespace {

using linalg::all_finite;

constexpr int most_corrections = 8;
constexpr double first_length = 0.05;
constexpr double longest = 0.5;
constexpr double shortest = 1e-7;
constexpr double farthest = 1e10;  // in units of the variables' sizes
constexpr double close = 1e-8;     // to the curve; only its end has to be exact

// A point on the curve: the variables in units of their sizes, then lambda.
using Point = std::vector<double>;

class Curve {
 public:
  Curve(const structure::Block& block, const BlockFunctions& functions,
        const std::vector<structure::Attributes>& attributes, double* symbols, BlockMemory& memory)
      : block_(block),
        functions_(functions),
        symbols_(symbols),
        m_(memory),
        n_(block.tearing.size()),
        matrix_(n_ + 1),
        residual_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double nominal = attributes[index(block.tearing[i])].nominal.value_or(1.0);
      scale_.push_back(std::max(std::fabs(m_.guess[i]), nominal));
    }
  }

  // With lambda growing or falling at first. False if the functions are not defined there.
  bool begin(Point& point, Point& tangent, double direction) {
    point.assign(n_ + 1, 0.0);
    for (std::size_t i = 0; i < n_; ++i) point[i] = m_.guess[i] / scale_[i];
    put(point);
    functions_.residuals(symbols_, residual_.data());
    start_ = residual_;
    row_scale_.assign(n_, 1.0);
    tangent.assign(n_ + 1, 0.0);
    tangent.back() = direction;
    return all_finite(start_) && find_tangent(point, tangent);
  }

  // The unit tangent of the curve at a point on it, in the direction of the previous one.
  bool find_tangent(const Point& point, Point& tangent) {
    if (!evaluate(point) || !factor(tangent)) return false;
    Point next(n_ + 1, 0.0);
    next.back() = 1.0;
    matrix_.solve(next);
    double length = 0.0;
    for (const double value : next) length += value * value;
    length = std::sqrt(length);
    if (!std::isfinite(length) || length == 0.0) return false;
    for (std::size_t i = 0; i <= n_; ++i) tangent[i] = next[i] / length;
    return true;
  }

  // Newton's method from a predicted point back to the curve, across the tangent.
  bool correct(Point& point, const Point& tangent) {
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_corrections; ++k) {
      if (!evaluate(point) || !factor(tangent)) return false;
      Point correction(n_ + 1, 0.0);
      for (std::size_t i = 0; i < n_; ++i) correction[i] = -distance_[i] / row_scale_[i];
      matrix_.solve(correction);
      double size = 0.0;
      for (std::size_t i = 0; i <= n_; ++i) {
        point[i] += correction[i];
        size = std::max(size, std::fabs(correction[i]));
      }
      if (!(size < 0.5 * last)) return false;
      if (size <= close) return evaluate(point);
      last = size;
    }
    return false;
  }

  void put(const Point& point) {
    for (std::size_t i = 0; i < n_; ++i) symbols_[index(block_.tearing[i])] = point[i] * scale_[i];
  }

 private:
  // The distance from the curve at a point, and the Jacobian's entries there.
  bool evaluate(const Point& point) {
    put(point);
    functions_.residuals(symbols_, residual_.data());
    if (!all_finite(residual_)) return false;
    functions_.jacobian(symbols_, m_.factors.entries().data());
    if (!all_finite(m_.factors.entries())) return false;
    distance_ = residual_;
    for (std::size_t i = 0; i < n_; ++i) distance_[i] -= (1.0 - point.back()) * start_[i];
    return true;
  }

  // [dF/dx, F(x0); tangent], rows scaled to size 1.
  bool factor(const Point& tangent) {
    const std::span<double> matrix = matrix_.matrix();
    const std::size_t rows = n_ + 1;
    std::ranges::fill(matrix, 0.0);
    for (std::size_t k = 0; k < block_.entries.size(); ++k) {
      const structure::Entry& entry = block_.entries[k];
      matrix[entry.column * rows + entry.row] += m_.factors.entries()[k] * scale_[entry.column];
    }
    for (std::size_t i = 0; i < n_; ++i) {
      matrix[n_ * rows + i] = start_[i];
      row_scale_[i] = 0.0;
      for (std::size_t column = 0; column < rows; ++column)
        row_scale_[i] = std::max(row_scale_[i], std::fabs(matrix[column * rows + i]));
      if (row_scale_[i] == 0.0) return false;
      for (std::size_t column = 0; column < rows; ++column)
        matrix[column * rows + i] /= row_scale_[i];
    }
    for (std::size_t column = 0; column < rows; ++column)
      matrix[column * rows + n_] = tangent[column];
    return matrix_.factor() == linalg::Factorization::Regular;
  }

  const structure::Block& block_;
  const BlockFunctions& functions_;
  double* symbols_;
  BlockMemory& m_;
  std::size_t n_;
  linalg::DenseLu<double> matrix_;
  std::vector<double> scale_, residual_, start_, distance_, row_scale_;
};

// The work of a step grows with the cube of the size: large blocks get fewer steps.
int most_steps(std::size_t size) {
  constexpr double work = 5e9;
  const double n = static_cast<double>(size);
  return static_cast<int>(std::clamp(work / (n * n * n), 20.0, 500.0));
}

bool is_too_far(const Point& point) {
  return std::ranges::any_of(point, [](double x) { return !(std::fabs(x) < farthest); });
}

// Steps along the curve; `arrive` is tried where lambda passes 1.
template <class Arrive>
Continuation follow(Curve& curve, double first_direction, const Arrive& arrive) {
  Continuation result;
  Point point, tangent;
  if (!curve.begin(point, tangent, first_direction)) return result;
  double length = first_length;
  while (result.steps < most_steps(point.size()) && length >= shortest && !is_too_far(point)) {
    ++result.steps;
    Point next = point, direction = tangent;
    for (std::size_t i = 0; i < next.size(); ++i) next[i] += length * tangent[i];
    if (!curve.correct(next, tangent) || !curve.find_tangent(next, direction)) {
      length /= 2.0;
      continue;
    }
    double bend = 0.0;
    for (std::size_t i = 0; i < next.size(); ++i) bend += tangent[i] * direction[i];
    constexpr double sharp = 0.7;  // of the cosine: a jump to another branch looks like that
    if (bend < sharp && length > 2.0 * shortest) {
      length /= 2.0;
      continue;
    }
    const double before = point.back(), behind = next.back();
    if ((before < 1.0) != (behind < 1.0)) {
      Point end = next;
      const double share = (1.0 - before) / (behind - before);
      for (std::size_t i = 0; i < end.size(); ++i) end[i] = point[i] + share * (next[i] - point[i]);
      curve.put(end);
      if (arrive()) {
        result.status = BlockStatus::Solved;
        return result;
      }
      length /= 2.0;
      continue;
    }
    point = next;
    tangent = direction;
    constexpr double straight = 0.95;
    const double far =
        std::fabs(*std::ranges::max_element(point, {}, [](double x) { return std::fabs(x); }));
    length = std::min(longest * std::max(1.0, far), (bend > straight ? 2.0 : 1.0) * length);
  }
  return result;
}

}  // namespace

Continuation continue_to_solution(const structure::Block& block, const BlockFunctions& functions,
                                  const std::vector<structure::Attributes>& attributes,
                                  double* symbols, BlockMemory& memory) {
  const std::vector<double> guess = memory.guess, residual = memory.residual;
  std::vector<double> last;
  for (const structure::VariableId id : block.tearing) last.push_back(symbols[index(id)]);
  Curve curve(block, functions, attributes, symbols, memory);
  const auto arrive = [&] {
    memory.failed = false;  // so that it starts from the curve
    return solve_block(block, functions, attributes, symbols, memory) == BlockStatus::Solved;
  };
  Continuation result = follow(curve, 1.0, arrive);
  if (result.status != BlockStatus::Solved) {
    const int steps = result.steps;
    memory.guess = guess;
    result = follow(curve, -1.0, arrive);
    result.steps += steps;
  }
  if (result.status == BlockStatus::Solved) return result;
  for (std::size_t i = 0; i < last.size(); ++i) symbols[index(block.tearing[i])] = last[i];
  functions.residuals(symbols, memory.residual.data());
  memory.guess = guess;
  memory.residual = residual;
  memory.failed = true;
  return result;
}

}  // namespace daedalus::runtime
