#include "steps/cost.hpp"

namespace daedalus::steps {
namespace {

using expr::ExprId;

// The overhead of a pass through a loop: it waits for the one before, and processors cannot predict
// whether there will be another.
constexpr double wait = 20.0;

// Common subexpressions are computed once, where they first occur.
class Count {
 public:
  explicit Count(const expr::Arena& arena) : arena_(arena), is_known_(arena.size(), false) {}

  double of(const structure::Procedure& procedure) {
    double sum = 0.0;
    for (const structure::Statement& statement : procedure) {
      for (const structure::Assignment& assignment : statement.assignments)
        sum += of(assignment.value);
      if (statement.body.empty()) continue;
      const bool is_loop = statement.kind == structure::Statement::Kind::Repeat;
      sum += statement.expected * (of(statement.body) + (is_loop ? wait : 0.0));
    }
    return sum;
  }

 private:
  double of(ExprId root) {
    double sum = 0.0;
    pending_.push_back(root);
    while (!pending_.empty()) {
      const ExprId id = pending_.back();
      pending_.pop_back();
      if (is_known_[index(id)]) continue;
      is_known_[index(id)] = true;
      const expr::Node& node = arena_[id];
      sum += expr::cost(arena_, node);
      const int arguments = arity(node.op);
      if (arguments > 0) pending_.emplace_back(node.a);
      if (arguments > 1) pending_.emplace_back(node.b);
      if (arguments > 2) pending_.emplace_back(node.c);
    }
    return sum;
  }

  const expr::Arena& arena_;
  std::vector<bool> is_known_;
  std::vector<ExprId> pending_;
};

}  // namespace

double predicted_cost(const StepProgram& program) { return Count(program.arena).of(program.step); }

}  // namespace daedalus::steps
