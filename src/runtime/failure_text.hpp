// Messages about failed evaluations.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "daedalus/base/diagnostics.hpp"
#include "runtime/sequence.hpp"

namespace daedalus::runtime {

// The first variable in the order of evaluation that is not finite, with the equation that
// determines it.
struct NotFinite {
  structure::VariableId variable;
  model::EquationId equation;
};
std::optional<NotFinite> find_not_finite(const structure::SortedSystem& sorted,
                                         std::span<const double> symbols);

// "the loop of 3 equations around `x`, `y` does not converge (largest residual 0.2 in x^2 = -1; x =
// 0.1)"
std::string describe_failure(const structure::StructuredModel& model,
                             const structure::SortedSystem& sorted, const BlockFailure& failure,
                             std::span<const double> symbols, const BlockMemory& memory);

// The equation of the block with the largest residual.
const model::Equation& worst_equation(const structure::SortedSystem& sorted,
                                      const BlockFailure& failure, const BlockMemory& memory);

// "; `2*n` is 1e17: Integers are exact below 2^53 only", if the expressions contain such a part.
std::string large_integer_text(const structure::StructuredModel& model,
                               std::span<const expr::ExprId> parts,
                               std::span<const double> symbols);

// ", where x = -1, z = 2": the values of the symbols in the expressions, except one.
std::string where_text(const structure::StructuredModel& model, std::span<const expr::ExprId> parts,
                       structure::VariableId except, std::span<const double> symbols);

// "`y` is not a number in y = log(x), where x = -1"
std::string describe_not_finite(const structure::StructuredModel& model,
                                const structure::SortedSystem& sorted, const NotFinite& found,
                                std::span<const double> symbols);

}  // namespace daedalus::runtime
