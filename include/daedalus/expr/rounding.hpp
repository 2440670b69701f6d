// The effect of rounding on the value of an expression.
#pragma once

#include <span>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {

// A first-order bound on the error of the expression's value, from the errors of the symbols and
// the rounding of each operation (Wilkinson's running error analysis). Where the value is not
// finite, neither is the bound.
double rounding_error(const Arena& arena, Walker& walker, ExprId root,
                      std::span<const double> symbols, std::span<const double> errors);

}  // namespace daedalus::expr
