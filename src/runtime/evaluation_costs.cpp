#include "runtime/evaluation_costs.hpp"

#include "daedalus/expr/costs.hpp"

namespace daedalus::runtime {
namespace {

constexpr double product = 0.3;     // that is subtracted, in an elimination
constexpr double iterations = 2.5;  // of a loop that is not linear; they start near the solution

double cost_of(const structure::Kernel& kernel, expr::Costs& costs) {
  double sum = 0.0;
  for (const structure::Assignment& assignment : kernel.assignments)
    sum += costs.add(assignment.value);
  for (const structure::ExprId output : kernel.outputs) sum += costs.add(output);
  return sum;
}

// Of a sparse loop, the entries stand for the elimination.
double elimination_cost(const structure::Block& block) {
  constexpr double fill = 3.0;
  const auto n = static_cast<double>(block.tearing.size());
  if (block.sparse) return product * fill * fill * static_cast<double>(block.entries.size());
  return product * n * n * (n / 3.0 + 1.0);
}

double cost_of(const structure::Block& block, expr::Costs& costs) {
  double once = 0.0;
  for (const structure::Assignment& assignment : block.assignments)
    once += costs.add(assignment.value);
  for (const structure::ExprId residual : block.residuals) once += costs.add(residual);
  if (block.is_explicit()) return once;
  const double solve = elimination_cost(block) + cost_of(block.jacobian, costs);
  return (block.linear ? 2.0 : iterations) * once + (block.linear ? 1.0 : iterations) * solve;
}

}  // namespace

system::Costs evaluation_costs(const structure::StructuredModel& model) {
  expr::Costs costs(model.flat.arena);
  system::Costs found;
  for (const structure::Block& block : model.dynamics.blocks) {
    if (block.feeds_derivatives) found.derivatives += cost_of(block, costs);
  }
  found.jacobian = found.derivatives;
  if (!model.jacobian) return found;
  for (const structure::JacobianStep& step : model.jacobian->steps) {
    found.jacobian += cost_of(step.kernel, costs);
    if (step.block) found.jacobian += elimination_cost(model.dynamics.blocks[*step.block]);
  }
  for (const structure::ExprId value : model.jacobian->values) found.jacobian += costs.add(value);
  return found;
}

}  // namespace daedalus::runtime
