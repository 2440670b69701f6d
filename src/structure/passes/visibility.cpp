#include "daedalus/structure/visibility.hpp"

#include <algorithm>

namespace daedalus::structure {
namespace {

using expr::Op;

// More readers than this are not distinguished: their conditions would cost more than they save.
constexpr int most_readers = 8;

// Goes from the roots of expressions down to the switches. A part of an expression is seen where
// one of its readers is seen and does not take another branch. The condition of a choice is seen
// wherever its branches are, so that no two switches can hide each other.
class Visibility {
 public:
  explicit Visibility(StructuredModel& model)
      : flat_(model.flat), arena_(model.flat.arena), size_(arena_.size()) {
    is_reached_.resize(size_);
    is_held_.resize(size_);
    has_switch_.resize(size_);
    readers_.resize(size_);
    seen_.assign(size_, never_);
    is_switch_.resize(model.symbol_count);
    for (const Switch& one : model.discrete.switches) is_switch_[index(one.symbol)] = true;
  }

  void add_root(ExprId root) {
    if (root.is_none()) return;
    seen_[index(root)] = always_;
    stack_.push_back(root);
    while (!stack_.empty()) {
      const ExprId id = stack_.back();
      stack_.pop_back();
      if (is_reached_[index(id)]) continue;
      is_reached_[index(id)] = true;
      reached_.push_back(id);
      for (int place = 0; place < expr::arity(arena_[id].op); ++place)
        stack_.push_back(argument(id, place));
    }
  }

  void spread() {
    std::ranges::sort(reached_, {}, [](ExprId id) { return index(id); });
    for (const ExprId id : reached_) classify(id);
    for (auto id = reached_.rbegin(); id != reached_.rend(); ++id) {
      if (has_switch_[index(*id)]) spread_from(*id);
    }
  }

  ExprId seen(VariableId symbol) const {
    const ExprId id = arena_.find_symbol(symbol);
    return id.is_none() || index(id) >= size_ ? always_ : seen_[index(id)];
  }

 private:
  ExprId argument(ExprId id, int place) const {
    const expr::Node& node = arena_[id];
    return ExprId(place == 0 ? node.a : place == 1 ? node.b : node.c);
  }

  // Arguments come before what uses them.
  void classify(ExprId id) {
    const Op op = arena_[id].op;
    bool held = true, switches = false;
    if (op == Op::Symbol) {
      const VariableId symbol = arena_.symbol_of(id);
      switches = is_switch_[index(symbol)];
      held = switches || (!flat_.is_unknown(symbol) && symbol != model::FlatModel::time);
    }
    for (int place = 0; place < expr::arity(op); ++place) {
      held = held && is_held_[index(argument(id, place))];
      switches = switches || has_switch_[index(argument(id, place))];
    }
    is_held_[index(id)] = held;
    has_switch_[index(id)] = switches;
  }

  void spread_from(ExprId id) {
    const expr::Node node = arena_[id];
    const ExprId here = seen_[index(id)], a(node.a), b(node.b), c(node.c);
    if (node.op == Op::If && is_held_[index(a)]) {
      see(a, here);
      see(b, both(here, a));
      see(c, both(here, arena_.make(Op::Not, a)));
    } else if (node.op == Op::And || node.op == Op::Or) {
      // The one without switches decides whether the other one matters; else the first one does.
      const bool first_decides =
          is_held_[index(a)] && (!has_switch_[index(a)] || has_switch_[index(b)]);
      const ExprId decides = first_decides ? a : b, other = first_decides ? b : a;
      see(decides, here);
      if (!is_held_[index(decides)]) return see(other, here);
      see(other, both(here, node.op == Op::And ? decides : arena_.make(Op::Not, decides)));
    } else {
      for (int place = 0; place < expr::arity(node.op); ++place) see(argument(id, place), here);
    }
  }

  void see(ExprId id, ExprId condition) {
    if (!has_switch_[index(id)]) return;
    ExprId& seen = seen_[index(id)];
    if (++readers_[index(id)] > most_readers) {
      seen = always_;
    } else if (seen != always_) {
      seen = seen == never_         ? condition
             : condition == always_ ? always_
                                    : arena_.make(Op::Or, seen, condition);
    }
  }

  ExprId both(ExprId a, ExprId b) { return a == always_ ? b : arena_.make(Op::And, a, b); }

  const model::FlatModel& flat_;
  expr::Arena& arena_;
  const ExprId always_ = arena_.constant(1.0);
  const ExprId never_ = arena_.constant(0.0);
  std::size_t size_;
  std::vector<bool> is_reached_;
  std::vector<bool> is_held_;     // changes at events only
  std::vector<bool> has_switch_;  // has one inside
  std::vector<int> readers_;
  std::vector<ExprId> seen_;
  std::vector<bool> is_switch_;  // by symbol
  std::vector<ExprId> stack_;
  std::vector<ExprId> reached_;
};

}  // namespace

std::vector<ExprId> conditions_to_be_seen(StructuredModel& model) {
  // What an action computes matters only while it is executed.
  std::vector<ExprId> values;
  for (const model::Action& action : model.flat.actions) {
    const bool is_free = action.guard.is_none() || action.value.is_none();
    values.push_back(is_free ? action.value
                             : model.flat.arena.choose(action.guard, action.value,
                                                       model.flat.arena.constant(1.0)));
  }
  Visibility visibility(model);
  for (const model::Equation& equation : model.dynamics.equations) {
    visibility.add_root(equation.left);
    visibility.add_root(equation.right);
  }
  for (const Assignment& assignment : model.discrete.assignments)
    visibility.add_root(assignment.value);
  for (const model::Action& action : model.flat.actions) {
    visibility.add_root(action.guard);
    for (const model::MessagePart& part : action.message) visibility.add_root(part.value);
  }
  for (const ExprId value : values) visibility.add_root(value);
  for (const Switch& one : model.discrete.switches) {
    visibility.add_root(one.difference);
    visibility.add_root(one.value);
    if (!one.in_time) continue;
    visibility.add_root(one.in_time->coefficient);
    visibility.add_root(one.in_time->rest);
  }
  visibility.spread();
  std::vector<ExprId> seen;
  for (const Switch& one : model.discrete.switches) seen.push_back(visibility.seen(one.symbol));
  return seen;
}

}  // namespace daedalus::structure
