#include "steps/cost.hpp"

#include "daedalus/expr/costs.hpp"

namespace daedalus::steps {
namespace {

// The overhead of a pass through a loop: it waits for the one before, and processors cannot predict
// whether there will be another.
constexpr double wait = 20.0;

double cost_of(const structure::Procedure& procedure, expr::Costs& costs) {
  double sum = 0.0;
  for (const structure::Statement& statement : procedure) {
    for (const structure::Assignment& assignment : statement.assignments)
      sum += costs.add(assignment.value);
    if (statement.body.empty()) continue;
    const bool is_loop = statement.kind == structure::Statement::Kind::Repeat;
    sum += statement.expected * (cost_of(statement.body, costs) + (is_loop ? wait : 0.0));
  }
  return sum;
}

}  // namespace

double predicted_cost(const StepProgram& program) {
  expr::Costs costs(program.arena);
  return cost_of(program.step, costs);
}

}  // namespace daedalus::steps
