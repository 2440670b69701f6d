// Differentiation, substitution and solving for a variable.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {

struct Partial {
  SymbolId symbol;
  ExprId value;
};

// The symbols with respect to which derivatives are taken.
using Active = std::function<bool(SymbolId)>;

// All partial derivatives of the expression that are not identically zero, in order of first
// appearance. One reverse sweep: the cost is that of the expression, not that times the number of
// symbols.
std::vector<Partial> gradient(Arena& arena, Walker& walker, ExprId root, const Active& active);

// What replaces a symbol; none: the symbol stays.
using Replacement = std::function<ExprId(SymbolId)>;

// The roots with every symbol replaced, in one sweep, so that shared parts are visited once.
std::vector<ExprId> substitute(Arena& arena, Walker& walker, std::span<const ExprId> roots,
                               const Replacement& replacement);

// The roots with noEvent(e) replaced by e, likewise.
std::vector<ExprId> without_no_event(Arena& arena, Walker& walker, std::span<const ExprId> roots);

// residual = coefficient * symbol + rest, when the residual is linear in the symbol.
struct LinearForm {
  ExprId coefficient;
  ExprId rest;
};
std::optional<LinearForm> linear_form(Arena& arena, Walker& walker, ExprId residual,
                                      SymbolId symbol);

// Whether one of the active symbols appears in the expression.
bool depends_on(const Arena& arena, Walker& walker, ExprId root, const Active& active);

// The same for several expressions, in one sweep, so that shared parts are visited once.
std::vector<bool> which_depend_on(const Arena& arena, Walker& walker, std::span<const ExprId> roots,
                                  const Active& active);

// Whether the expression may jump, or change its formula, when an active symbol changes: one of
// them occurs in a condition or in an argument of floor, sign and the like. Such an expression is
// not linear whatever its derivative says.
bool has_jump(const Arena& arena, Walker& walker, ExprId root, const Active& active);

}  // namespace daedalus::expr
