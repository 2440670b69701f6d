// The range of an expression whose symbols stay within bounds.
#pragma once

#include <functional>
#include <limits>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {

// All reals from low to high. Values that only tend to 0 (exp) are distinguished from those that
// reach it.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool never_zero = false;  // although 0 may lie between the bounds

  bool excludes_zero() const { return never_zero || low > 0.0 || high < 0.0; }
};

// Where a symbol lies.
using Bounds = std::function<Interval(SymbolId)>;

// Encloses all values of the expression over the reals, where it is defined: bounds are rounded
// outwards, and an operation about which nothing is known may give anything. One sweep.
Interval interval_of(const Arena& arena, Walker& walker, ExprId root, const Bounds& bounds);

}  // namespace daedalus::expr
