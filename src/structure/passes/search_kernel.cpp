// One search for the held values at an event, as a kernel.
#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/structure/event_flow.hpp"
#include "structure/passes/event_kernels.hpp"

namespace daedalus::structure {
namespace {

using expr::Arena;
using expr::Op;

// Beyond this, kernels of one kind, which can be loops, are compiled sooner.
constexpr std::size_t most_found_at_once = 64;

// False where one of them is NaN.
ExprId is_true(Arena& arena, Op op, ExprId a, ExprId b) {
  return arena.make(Op::IsTrue, arena.make(op, a, b));
}

// A switch that depends on time alone, true where coefficient * time + rest is positive; at the
// zero it already has its new value.
struct InTime {
  ExprId value;
  ExprId next;  // when it changes
};

// Nothing is undefined in a form that is certain to have a value.
InTime in_time(Arena& arena, const expr::LinearForm& form, bool is_certain) {
  const auto known = [&](ExprId truth) {
    return is_certain ? arena.make(Op::IsTrue, truth) : truth;
  };
  const ExprId zero = arena.constant(0.0);
  const ExprId never = arena.constant(std::numeric_limits<double>::max());
  const ExprId ratio = arena.divide(form.rest, form.coefficient);
  const ExprId has_zero =
      known(arena.make(Op::And, arena.make(Op::NotEqual, form.coefficient, zero),
                       arena.make(Op::LessEqual, arena.make(Op::Abs, ratio), never)));
  const ExprId time = arena.symbol(model::FlatModel::time);
  const ExprId is_past = known(arena.make(Op::GreaterEqual, time, arena.negate(ratio)));
  const ExprId rises = known(arena.make(Op::Greater, form.coefficient, zero));
  const ExprId moving = arena.choose(is_past, rises, arena.make(Op::Not, rises));
  return {.value = arena.choose(has_zero, moving, known(arena.make(Op::Greater, form.rest, zero))),
          .next = arena.choose(is_true(arena, Op::And, has_zero, arena.make(Op::Not, is_past)),
                               arena.negate(ratio), never)};
}

// Builds the kernel: new values from old ones, where later ones depend on the new values of earlier
// ones.
class SearchKernel {
 public:
  explicit SearchKernel(StructuredModel& model)
      : model_(model), arena_(model.flat.arena), flow_(event_flow(model)) {}

  Kernel build() {
    ExprId next = arena_.constant(std::numeric_limits<double>::max());
    for (const Switch& one : model_.discrete.switches) {
      if (!one.in_time) continue;
      const InTime found =
          in_time(arena_, *one.in_time,
                  is_certain(one.in_time->coefficient) && is_certain(one.in_time->rest));
      find(one.symbol, or_held(found.value, one.symbol));
      next = arena_.make(Op::Min, next, found.next);
    }
    for (const Switch& one : model_.discrete.switches) {
      if (!one.in_time) find(one.symbol, or_held(with_found(one.value), one.symbol));
    }
    for (const Assignment& assignment : model_.discrete.assignments)
      find(assignment.target, with_found(assignment.value));
    Kernel kernel{.assignments = {}, .outputs = std::move(values_)};
    add_flags(next, kernel.outputs);
    return kernel;
  }

 private:
  void find(VariableId symbol, ExprId value) {
    found_.insert_or_assign(index(symbol), value);
    symbols_.push_back(symbol);
    values_.push_back(value);
  }

  ExprId with_found(ExprId value) {
    const auto replacement = [&](expr::SymbolId id) {
      const auto found = found_.find(index(id));
      return found == found_.end() ? ExprId() : found->second;
    };
    return expr::substitute(arena_, walker_, std::span(&value, 1), replacement).front();
  }

  // Whether it has a value at every event at which states and held values have one.
  bool is_certain(ExprId value) const { return arena_[value].is_total && !flow_.needs_variables; }

  // NaN says nothing about a switch.
  ExprId or_held(ExprId value, VariableId symbol) {
    if (is_certain(value)) return value;
    const ExprId is_number = is_true(arena_, Op::Equal, value, value);
    is_undefined_ = arena_.make(Op::Or, is_undefined_, arena_.make(Op::Not, is_number));
    return arena_.choose(is_number, value, arena_.symbol(symbol));
  }

  ExprId is_other(ExprId now, VariableId symbol) {
    return arena_.make(Op::Not, is_true(arena_, Op::Equal, now, arena_.symbol(symbol)));
  }

  // Reals that are found by going round a loop need not agree in their last bits.
  ExprId differs(ExprId now, VariableId symbol) {
    const ExprId before = arena_.symbol(symbol);
    const ExprId is_other = this->is_other(now, symbol);
    if (model_.flat[symbol].type != model::Type::Real) return is_other;
    const ExprId size =
        arena_.make(Op::Max, arena_.make(Op::Abs, now), arena_.make(Op::Abs, before));
    const ExprId distance = arena_.make(Op::Abs, arena_.subtract(now, before));
    const ExprId is_near = is_true(arena_, Op::LessEqual, distance,
                                   arena_.multiply(arena_.constant(held_rounding), size));
    return arena_.make(Op::And, is_other, arena_.make(Op::Not, is_near));
  }

  void add_flags(ExprId next, std::vector<ExprId>& outputs) {
    const ExprId no = arena_.constant(0.0);
    ExprId any_is_other = no, any = no, motion = no, search = no;
    const auto add = [&](ExprId& flag, ExprId more) { flag = arena_.make(Op::Or, flag, more); };
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const VariableId symbol = symbols_[i];
      const ExprId changed = differs(outputs[i], symbol);
      add(any_is_other, is_other(outputs[i], symbol));
      add(any, changed);
      if (flow_.feeds[index(symbol)]) add(motion, changed);
      if (flow_.feeds_search[index(symbol)]) add(search, changed);
    }
    ExprId sum = any_is_other;
    double weight = 2.0;
    for (const ExprId flag : {any, motion, search, is_undefined_}) {
      sum = arena_.add(sum, arena_.multiply(arena_.constant(weight), flag));
      weight *= 2.0;
    }
    outputs.insert(outputs.end(), {next, sum});
  }

  StructuredModel& model_;
  Arena& arena_;
  expr::Walker walker_;
  EventFlow flow_;
  std::unordered_map<std::size_t, ExprId> found_;  // by symbol
  std::vector<VariableId> symbols_;
  std::vector<ExprId> values_;
  ExprId is_undefined_ = arena_.constant(0.0);  // one of the switches
};

}  // namespace

Kernel search_kernel(StructuredModel& model) {
  const Discrete& discrete = model.discrete;
  const bool has_few = discrete.switches.size() + discrete.assignments.size() <= most_found_at_once;
  const bool is_in_order = !discrete.joint && discrete.loops.empty();
  return has_few && is_in_order ? SearchKernel(model).build() : Kernel{};
}

}  // namespace daedalus::structure
