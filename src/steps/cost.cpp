#include "steps/cost.hpp"

namespace daedalus::steps {
namespace {

using expr::ExprId;
using expr::Op;

// What a pass through a loop takes besides: it waits for the one before, and processors cannot tell
// whether there will be another.
constexpr double wait = 20.0;

// Of many that do not wait for each other, measured in procedures of 400 and of 2,000 assignments.
double nanoseconds(const expr::Arena& arena, const expr::Node& node) {
  switch (node.op) {
    case Op::Constant:
    case Op::Symbol:
      return 0.0;
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Negate:
      return 0.15;
    case Op::Divide:
      return 1.0;
    case Op::Sqrt:
      return 2.0;
    case Op::Exp:
    case Op::Log:
      return 3.5;
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Asin:
    case Op::Acos:
    case Op::Atan:
    case Op::Atan2:
      return 8.0;
    case Op::Sinh:
    case Op::Cosh:
    case Op::Tanh:
    case Op::Log10:
      return 10.0;
    case Op::Power:  // small integers become products
      return arena.is_constant(ExprId(node.b), 2.0) || arena.is_constant(ExprId(node.b), 3.0)
                 ? 0.3
                 : 10.0;
    default:
      return 0.3;  // comparisons, choices, sizes
  }
}

// What expressions share is computed once, where it is first met.
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
      sum += nanoseconds(arena_, node);
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
