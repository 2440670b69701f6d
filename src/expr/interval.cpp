#include "daedalus/expr/interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "expr/ranges.hpp"

namespace daedalus::expr {
namespace ranges {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tiny = std::numeric_limits<double>::denorm_min();
// Library functions are accurate to a few units in the last place.
constexpr double few_units = 8.0 * std::numeric_limits<double>::epsilon();

// 0 is exact: products and sums that are rounded to 0 are handled where they occur.
double down(double x) { return x == 0.0 ? x : std::nextafter(x, -infinity); }
double up(double x) { return x == 0.0 ? x : std::nextafter(x, infinity); }

Interval outward(double low, double high, bool never_zero = false) {
  if (std::isnan(low) || std::isnan(high)) return {.never_zero = never_zero};
  return {down(low), up(high), never_zero};
}

struct Corner {
  double low, high;
};

// x y and its neighbouring doubles; an infinite bound stands for finite values, so 0 times it is 0.
Corner corner(double x, double y) {
  if (x == 0.0 || y == 0.0) return {0.0, 0.0};
  const double value = x * y;
  if (value == 0.0) {
    return (x > 0.0) == (y > 0.0) ? Corner{0.0, tiny} : Corner{-tiny, 0.0};
  }
  return {down(value), up(value)};
}

Interval reciprocal(const Interval& a) {
  if (a.low >= 0.0 && a.excludes_zero()) {
    return {down(1.0 / a.high), a.low > 0.0 ? up(1.0 / a.low) : infinity, true};
  }
  if (a.high <= 0.0 && a.excludes_zero()) return negative(reciprocal(negative(a)));
  return {.never_zero = true};  // finite over not finite
}

// a^n for a >= 0 and n > 0
Interval positive_power(const Interval& a, double n) {
  const Interval power = widened(std::pow(a.low, n), std::pow(a.high, n), a.excludes_zero());
  return {std::max(power.low, 0.0), power.high, power.never_zero};
}

Interval integer_power(const Interval& a, double n) {
  if (n == 0.0) return {1.0, 1.0};
  if (n < 0.0) return reciprocal(integer_power(a, -n));
  if (std::fmod(n, 2.0) == 0.0) return positive_power(magnitude(a), n);
  return widened(std::pow(a.low, n), std::pow(a.high, n), a.excludes_zero());
}

Interval clamped(const Interval& a, double low, double high) {
  return {std::clamp(a.low, low, high), std::clamp(a.high, low, high), a.never_zero};
}

}  // namespace

Interval widened(double low, double high, bool never_zero) {
  return outward(low - std::fabs(low) * few_units, high + std::fabs(high) * few_units, never_zero);
}

Interval negative(const Interval& a) { return {-a.high, -a.low, a.never_zero}; }

Interval sum(const Interval& a, const Interval& b) {
  const bool same_sign = (a.low >= 0.0 && b.low >= 0.0) || (a.high <= 0.0 && b.high <= 0.0);
  return outward(a.low + b.low, a.high + b.high,
                 same_sign && (a.excludes_zero() || b.excludes_zero()));
}

Interval product(const Interval& a, const Interval& b) {
  Interval result{infinity, -infinity, a.excludes_zero() && b.excludes_zero()};
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const Corner at = corner(x, y);
      result.low = std::min(result.low, at.low);
      result.high = std::max(result.high, at.high);
    }
  }
  return result;
}

Interval magnitude(const Interval& a) {
  if (a.low >= 0.0) return a;
  if (a.high <= 0.0) return negative(a);
  return {0.0, std::max(-a.low, a.high), a.never_zero};
}

Interval power(const Interval& a, const Interval& b) {
  const bool fixed = b.low == b.high;
  if (fixed && b.low == std::trunc(b.low)) return integer_power(a, b.low);
  if (!fixed) return a.low > 0.0 ? Interval{0.0, infinity, true} : Interval{};
  const Interval base{std::max(a.low, 0.0), a.high, a.excludes_zero()};  // defined there only
  if (base.high < base.low) return {};
  return b.low > 0.0 ? positive_power(base, b.low) : reciprocal(positive_power(base, -b.low));
}

Interval sine(const Interval& a) {
  constexpr double quarter = std::numbers::pi / 2;
  if (a.low < -quarter || a.high > quarter) return {-1.0, 1.0};
  return widened(std::sin(a.low), std::sin(a.high), a.excludes_zero());
}

Interval cosine(const Interval& a) {
  const Interval distance = magnitude(a);
  if (distance.high > std::numbers::pi) return {-1.0, 1.0};
  const Interval value = widened(std::cos(distance.high), std::cos(distance.low));
  return {value.low, std::min(value.high, 1.0)};
}

Interval tangent(const Interval& a) {
  constexpr double almost_quarter = 1.57;
  if (a.low < -almost_quarter || a.high > almost_quarter) return {};
  return widened(std::tan(a.low), std::tan(a.high), a.excludes_zero());
}

Interval arcsine(const Interval& a) {
  const Interval x = clamped(a, -1.0, 1.0);
  return widened(std::asin(x.low), std::asin(x.high), a.excludes_zero());
}

Interval arccosine(const Interval& a) {
  const Interval x = clamped(a, -1.0, 1.0);
  return widened(std::acos(x.high), std::acos(x.low));
}

Interval hyperbolic_cosine(const Interval& a) {
  const Interval distance = magnitude(a);
  return widened(std::cosh(distance.low), std::cosh(distance.high));
}

Interval exponential(const Interval& a) {
  const Interval value = widened(std::exp(a.low), std::exp(a.high), true);
  return {std::max(value.low, 0.0), value.high == 0.0 ? tiny : value.high, true};
}

Interval root(const Interval& a) {
  if (a.high < 0.0) return {};
  return outward(std::sqrt(std::max(a.low, 0.0)), std::sqrt(a.high), a.excludes_zero());
}

Interval sign(const Interval& a) {
  return {a.low > 0.0 ? 1.0 : -1.0, a.high < 0.0 ? -1.0 : 1.0, a.excludes_zero()};
}

Interval difference(const Interval& a, const Interval& b) { return sum(a, negative(b)); }

Interval quotient(const Interval& a, const Interval& b) { return product(a, reciprocal(b)); }

Interval angle(const Interval&, const Interval&) {
  return widened(-std::numbers::pi, std::numbers::pi);
}

Interval smaller(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high), a.excludes_zero() && b.excludes_zero()};
}

Interval larger(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high), a.excludes_zero() && b.excludes_zero()};
}

}  // namespace ranges

namespace {

Interval either(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.excludes_zero() && b.excludes_zero()};
}

Interval square(const Interval& a) {
  return ranges::product(ranges::magnitude(a), ranges::magnitude(a));
}

}  // namespace

Interval interval_of(const Arena& arena, Walker& walker, ExprId root, const Bounds& bounds) {
  const std::span<const ExprId> order = walker.post_order(arena, root);
  std::vector<Interval> intervals(order.size());
  const auto at = [&](std::uint32_t argument) -> const Interval& {
    return intervals[walker.position(ExprId(argument))];
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = arena[order[i]];
    const Operation& row = operation(node.op);
    if (node.op == Op::Symbol) {
      intervals[i] = bounds(SymbolId(node.a));
    } else if (node.op == Op::Constant) {
      intervals[i] = {arena.constant_value(order[i]), arena.constant_value(order[i])};
    } else if (node.op == Op::If) {
      intervals[i] = either(at(node.b), at(node.c));
    } else if (node.op == Op::Multiply && node.a == node.b) {
      intervals[i] = square(at(node.a));
    } else if (row.gives == Gives::Truth) {
      intervals[i] = {0.0, 1.0};
    } else if (row.unary_range != nullptr) {
      intervals[i] = row.unary_range(at(node.a));
    } else if (row.binary_range != nullptr) {
      intervals[i] = row.binary_range(at(node.a), at(node.b));
    }
    // Where nothing is defined, or a constant is NaN, nothing is known.
    if (!(intervals[i].low <= intervals[i].high)) intervals[i] = {};
  }
  return intervals.back();
}

}  // namespace daedalus::expr
