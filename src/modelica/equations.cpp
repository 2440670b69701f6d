#include "modelica/equations.hpp"

#include <fmt/format.h>

#include "daedalus/base/check.hpp"
#include "daedalus/base/number.hpp"

namespace daedalus::modelica {

using model::Type;

bool EquationMaker::append(const EquationSyntax& equation, model::FamilyId& family,
                           std::vector<model::Equation>& equations) {
  const Typed left = translator_.translate(equation.left);
  const Typed right = translator_.translate(equation.right);
  DAEDALUS_CHECK(!(left.is_wrong() || right.is_wrong()) || diagnostics_.has_errors());
  if (left.is_wrong() || right.is_wrong()) return false;
  const bool numbers = left.is_number() && right.is_number();
  const bool booleans = left.type == ValueType::Boolean && right.type == ValueType::Boolean;
  if (!numbers && !booleans) {
    diagnostics_.error("type.mismatch", equation.span,
                       fmt::format("the sides of this equation have different types: {} and {}",
                                   value_type_name(left.type), value_type_name(right.type)));
    return false;
  }
  if (left.shape != right.shape) {
    Diagnostic& diagnostic =
        diagnostics_.error("type.size-mismatch", equation.span,
                           fmt::format("the sides of this equation have different sizes: {} and {}",
                                       describe(left.shape), describe(right.shape)));
    diagnostic.label = translator_.loop_values();
    if (left.is_array() != right.is_array())
      diagnostic.hint = "fill(..., n) makes an array of a scalar";
    return false;
  }
  const bool integers = left.type == ValueType::Integer && right.type == ValueType::Integer;
  const Type type = booleans ? Type::Boolean : (integers ? Type::Integer : Type::Real);
  if (left.is_array() && family.is_none()) family = new_family();
  const std::int64_t count = element_count(left.shape);
  if (static_cast<std::int64_t>(equations.size()) + count > most_elements()) {
    diagnostics_
        .error("model.too-large", equation.span,
               fmt::format("the model has more than {} equations", count_text(most_elements())))
        .hint = too_many_hint();
    return false;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    equations.push_back({translator_.element_of(left, i), translator_.element_of(right, i),
                         equation.span, type, family});
  }
  return true;
}

}  // namespace daedalus::modelica
