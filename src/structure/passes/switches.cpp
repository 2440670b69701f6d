#include "structure/passes/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/expr/calculus.hpp"

namespace daedalus::structure {
namespace {

using expr::Op;

enum class Moves : char { Unknown, No, Yes };

// Rewrites expressions bottom up. A node that also occurs in a noEvent() has two forms: the
// unchanged one there, and this one.
class Rewriting {
 public:
  explicit Rewriting(model::FlatModel& flat)
      : flat_(flat), arena_(flat.arena), result_(arena_.size()) {}

  // Gives the positions of the parts of an expression that have not occurred in an earlier one.
  void place(ExprId root, Span span) {
    own_span_.resize(arena_.size(), unplaced);
    stack_.push_back(root);
    while (!stack_.empty()) {
      const ExprId id = stack_.back();
      stack_.pop_back();
      if (own_span_[index(id)] != unplaced) continue;
      own_span_[index(id)] = static_cast<std::uint32_t>(spans_.size());
      for (int i = 0; i < expr::arity(arena_[id].op); ++i) stack_.push_back(argument(id, i));
    }
    spans_.push_back(span);
  }

  ExprId operator()(ExprId root, Span span) {
    if (root.is_none()) return root;
    span_ = span;
    stack_.push_back(root);
    while (!stack_.empty()) {
      const ExprId id = stack_.back();
      if (!result_[index(id)].is_none()) {
        stack_.pop_back();
      } else if (const ExprId missing = missing_argument(id); !missing.is_none()) {
        stack_.push_back(missing);
      } else {
        stack_.pop_back();
        result_[index(id)] = rewrite(id);
      }
    }
    return result_[index(root)];
  }

  std::vector<Switch> take_switches() { return std::move(switches_); }

 private:
  ExprId argument(ExprId id, int place) const {
    const expr::Node& node = arena_[id];
    return ExprId(place == 0 ? node.a : place == 1 ? node.b : node.c);
  }

  ExprId missing_argument(ExprId id) const {
    const Op op = arena_[id].op;
    if (op == Op::NoEvent) return {};
    for (int i = 0; i < expr::arity(op); ++i) {
      if (result_[index(argument(id, i))].is_none()) return argument(id, i);
    }
    return {};
  }

  ExprId rewrite(ExprId id) {
    const Op op = arena_[id].op;
    const bool is_placed = index(id) < own_span_.size() && own_span_[index(id)] != unplaced;
    here_ = is_placed ? spans_[own_span_[index(id)]] : span_;
    if (op == Op::NoEvent) return inside_no_event(id);
    const int arity = expr::arity(op);
    if (arity == 0) return id;
    ExprId args[3] = {};
    for (int i = 0; i < arity; ++i) args[i] = result_[index(argument(id, i))];
    const bool is_switched = expr::operation(op).formula == expr::Formula::Switched;
    if (!is_switched || !moves(args[0], arity > 1 ? args[1] : ExprId{}))
      return arena_.rebuild(op, args[0], args[1], args[2]);
    return held(op, args[0], args[1]);
  }

  ExprId inside_no_event(ExprId id) {
    const ExprId inside = argument(id, 0);
    return expr::without_no_event(arena_, walker_, std::span<const ExprId>(&inside, 1)).front();
  }

  // Whether it changes as time goes on. Cached, because nested ones are asked for at each level.
  bool moves(ExprId a, ExprId b) { return moves(a) || (!b.is_none() && moves(b)); }
  bool moves(ExprId root) {
    asking_.push_back(root);
    while (!asking_.empty()) {
      const ExprId id = asking_.back();
      if (moves_.size() < arena_.size()) moves_.resize(arena_.size(), Moves::Unknown);
      Moves& known = moves_[index(id)];
      if (known == Moves::Unknown) known = arena_.is_symbol(id) ? of_symbol(id) : of_arguments(id);
      if (known != Moves::Unknown) asking_.pop_back();
    }
    return moves_[index(root)] == Moves::Yes;
  }

  Moves of_symbol(ExprId id) const {
    return model::varies(flat_, arena_.symbol_of(id)) ? Moves::Yes : Moves::No;
  }
  // Unknown: one of the arguments has to be asked first.
  Moves of_arguments(ExprId id) {
    Moves all = Moves::No;
    for (int i = 0; i < expr::arity(arena_[id].op); ++i) {
      const ExprId part = argument(id, i);
      if (moves_[index(part)] == Moves::Yes) return Moves::Yes;
      if (moves_[index(part)] == Moves::No) continue;
      asking_.push_back(part);
      all = Moves::Unknown;
    }
    return all;
  }

  ExprId held(Op op, ExprId a, ExprId b) {
    const ExprId zero = arena_.constant(0.0);
    switch (op) {
      case Op::Abs:
        return arena_.choose(relation(Op::GreaterEqual, a, zero, true), a, arena_.negate(a));
      case Op::Sign:
        return arena_.choose(
            relation(Op::Greater, a, zero, true), arena_.constant(1.0),
            arena_.choose(relation(Op::Less, a, zero, true), arena_.constant(-1.0), zero));
      case Op::Floor:
        return step(Op::Floor, a, arena_.make(Op::Floor, a));
      case Op::Ceil:
        return arena_.negate(
            step(Op::Floor, arena_.negate(a), arena_.make(Op::Floor, arena_.negate(a))));
      case Op::Quotient:
        return quotient(a, b);
      case Op::Modulo: {
        const ExprId whole = arena_.divide(a, b);
        return arena_.subtract(
            a, arena_.multiply(step(Op::Floor, whole, arena_.make(Op::Floor, whole)), b));
      }
      case Op::Remainder:
        return arena_.subtract(a, arena_.multiply(quotient(a, b), b));
      default:
        DAEDALUS_CHECK(is_relation(op));
        return relation(op, a, b);
    }
  }

  ExprId relation(Op op, ExprId a, ExprId b, bool is_optional = false) {
    const bool rises = op == Op::Greater || op == Op::GreaterEqual;
    const bool is_strict = op == Op::Greater || op == Op::Less;
    const ExprId difference = rises ? arena_.subtract(a, b) : arena_.subtract(b, a);
    const ExprId value =
        arena_.make(is_strict ? Op::Greater : Op::GreaterEqual, difference, arena_.constant(0.0));
    return symbol_for({.literal = arena_.make(op, a, b),
                       .value = value,
                       .difference = difference,
                       .is_optional = is_optional},
                      model::Type::Boolean);
  }

  ExprId quotient(ExprId a, ExprId b) {
    return step(Op::Quotient, arena_.divide(a, b), arena_.make(Op::Quotient, a, b));
  }

  ExprId step(Op op, ExprId of, ExprId literal) {
    return symbol_for({.kind = op == Op::Floor ? Switch::Kind::Floor : Switch::Kind::Truncation,
                       .literal = literal,
                       .value = literal,
                       .difference = of},
                      model::Type::Integer);
  }

  // Equal ones share a memory, wherever they occur.
  ExprId symbol_for(Switch made, model::Type type) {
    if (arena_.is_constant(made.literal)) return made.literal;
    if (number_.size() < arena_.size()) number_.resize(arena_.size(), none);
    std::size_t& number = number_[index(made.literal)];
    if (number != none) {
      Switch& same = switches_[number];
      same.is_optional = same.is_optional && made.is_optional;
      return arena_.symbol(same.symbol);
    }
    number = switches_.size();
    made.symbol = VariableId(flat_.variables.size());
    made.span = here_;
    flat_.variables.push_back({.name = text(made.literal),
                               .type = type,
                               .variability = model::Variability::Discrete,
                               .span = here_,
                               .is_memory = true,
                               .is_hidden = true});
    switches_.push_back(made);
    return arena_.stand_in(made.symbol, made.literal);
  }

  // Its name in messages: as the model writes it.
  std::string text(ExprId literal) {
    constexpr std::size_t longest = 200;
    if (names_.empty()) names_ = model::names_of(flat_);
    for (std::size_t i = names_.size(); i < flat_.variables.size(); ++i)
      names_.push_back(flat_.variables[i].name);
    return expr::to_string(arena_, literal, names_, longest);
  }

  static constexpr std::size_t none = ~std::size_t{0};
  model::FlatModel& flat_;
  expr::Arena& arena_;
  std::vector<ExprId> result_;  // of the original nodes
  std::vector<Moves> moves_;    // of all nodes
  std::vector<ExprId> asking_;
  std::vector<std::size_t> number_;  // of a switch, by its literal form
  std::vector<ExprId> stack_;
  expr::Names names_;
  expr::Walker walker_;
  std::vector<Switch> switches_;
  static constexpr std::uint32_t unplaced = ~std::uint32_t{0};
  std::vector<std::uint32_t> own_span_;  // in spans_, of the original nodes
  std::vector<Span> spans_;
  Span span_;  // of the equation or action
  Span here_;  // of the part of it that is being rewritten
};

}  // namespace

std::vector<Switch> introduce_switches(model::FlatModel& flat) {
  Rewriting rewrite(flat);
  for (const model::PlacedExpression& placed : std::exchange(flat.placed, {}))
    rewrite.place(placed.value, placed.span);
  for (auto* equations : {&flat.equations, &flat.initial_equations}) {
    for (model::Equation& equation : *equations) {
      equation.left = rewrite(equation.left, equation.span);
      equation.right = rewrite(equation.right, equation.span);
    }
  }
  for (model::Action& action : flat.actions) {
    action.guard = rewrite(action.guard, action.span);
    action.value = rewrite(action.value, action.span);
    for (model::MessagePart& part : action.message) part.value = rewrite(part.value, action.span);
  }
  return rewrite.take_switches();
}

}  // namespace daedalus::structure
