#include "structure/passes/aliases.hpp"

#include <numeric>
#include <utility>

#include "daedalus/expr/calculus.hpp"

namespace daedalus::structure {
namespace {

using expr::Op;

struct Signed {
  VariableId variable;
  int sign = 1;
};

struct Equality {
  Signed left, right;  // left = right
};

std::optional<Signed> as_signed_unknown(const model::FlatModel& flat, ExprId id) {
  int sign = 1;
  if (flat.arena[id].op == Op::Negate) {
    sign = -1;
    id = ExprId(flat.arena[id].a);
  }
  if (!flat.arena.is_symbol(id)) return std::nullopt;
  const VariableId variable = flat.arena.symbol_of(id);
  const bool fits = flat.is_unknown(variable) && flat[variable].type == model::Type::Real;
  return fits ? std::optional<Signed>({variable, sign}) : std::nullopt;
}

// a = b, a = -b, a + b = 0, 0 = a - b and the like.
std::optional<Equality> as_equality(model::FlatModel& flat, const model::Equation& equation) {
  if (equation.type != model::Type::Real) return std::nullopt;
  ExprId residual = flat.arena.subtract(equation.left, equation.right);
  if (flat.arena[residual].op == Op::Negate) residual = ExprId(flat.arena[residual].a);
  const expr::Node node = flat.arena[residual];
  if (node.op != Op::Add && node.op != Op::Subtract) return std::nullopt;
  const std::optional<Signed> a = as_signed_unknown(flat, ExprId(node.a));
  const std::optional<Signed> b = as_signed_unknown(flat, ExprId(node.b));
  if (!a || !b || a->variable == b->variable) return std::nullopt;
  // Discrete variables are not merged with continuous ones.
  if (flat[a->variable].variability != flat[b->variable].variability) return std::nullopt;
  return Equality{*a, {b->variable, node.op == Op::Add ? -b->sign : b->sign}};
}

// Union-find whose members carry their sign relative to the root.
class SignedClasses {
 public:
  explicit SignedClasses(const model::FlatModel& flat)
      : parent_(flat.variables.size()),
        sign_(flat.variables.size(), 1),
        anchored_(flat.variables.size(), false) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      anchored_[i] = flat.is_state(VariableId(i)) || !flat.variables[i].derivative_of.is_none();
    }
  }

  Signed find(VariableId id) {
    std::uint32_t root = id.value;
    int total = 1;
    while (parent_[root] != root) {
      total *= sign_[root];
      root = parent_[root];
    }
    int sign = total;
    for (std::uint32_t at = id.value; at != root && parent_[at] != root;) {  // compress the path
      const std::uint32_t next = parent_[at];
      const int own = sign_[at];
      parent_[at] = root;
      sign_[at] = sign;
      sign *= own;
      at = next;
    }
    return {VariableId(root), total};
  }

  // False if they are one class already or must stay apart.
  bool unite(const Equality& equality) {
    const Signed left = find(equality.left.variable), right = find(equality.right.variable);
    if (left.variable == right.variable) return false;
    const bool left_anchored = anchored_[index(left.variable)],
               right_anchored = anchored_[index(right.variable)];
    if (left_anchored && right_anchored) return false;
    const bool keep_left = left_anchored || (!right_anchored && left.variable < right.variable);
    const VariableId root = keep_left ? left.variable : right.variable;
    const VariableId child = keep_left ? right.variable : left.variable;
    parent_[index(child)] = root.value;
    sign_[index(child)] = equality.left.sign * equality.right.sign * left.sign * right.sign;
    return true;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<int> sign_;
  std::vector<bool> anchored_;
};

// A guess that was given for an alias is used for its representative, if that has none of its own.
void inherit_attributes(model::FlatModel& flat, const Alias& alias) {
  const model::Variable& from = flat[alias.variable];
  model::Variable& to = flat[alias.representative];
  const auto with_sign = [&](ExprId id) { return alias.sign > 0 ? id : flat.arena.negate(id); };
  if (to.start.is_none() && !from.start.is_none()) {
    to.start = with_sign(from.start);
    to.start_span = from.start_span;
  }
  if (to.nominal.is_none()) to.nominal = from.nominal;
}

// All places of expressions that a run evaluates.
std::vector<ExprId*> expressions_of(model::FlatModel& flat) {
  std::vector<ExprId*> places;
  for (auto* equations : {&flat.equations, &flat.initial_equations}) {
    for (model::Equation& equation : *equations)
      places.insert(places.end(), {&equation.left, &equation.right});
  }
  for (model::Action& action : flat.actions) {
    places.insert(places.end(), {&action.guard, &action.value});
    for (model::MessagePart& part : action.message) places.push_back(&part.value);
  }
  for (model::PlacedExpression& placed : flat.placed) places.push_back(&placed.value);
  std::erase_if(places, [](const ExprId* place) { return place->is_none(); });
  return places;
}

void substitute_all(model::FlatModel& flat, const std::vector<Signed>& stands_for) {
  const std::vector<ExprId*> places = expressions_of(flat);
  std::vector<ExprId> roots;
  for (const ExprId* place : places) roots.push_back(*place);
  expr::Walker walker;
  const std::vector<ExprId> replaced =
      expr::substitute(flat.arena, walker, roots, [&](SymbolId id) {
        const Signed& other = stands_for[index(id)];
        if (other.variable == id) return ExprId{};
        const ExprId symbol = flat.arena.symbol(other.variable);
        return other.sign > 0 ? symbol : flat.arena.negate(symbol);
      });
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = replaced[i];
}

}  // namespace

Reduced eliminate_aliases(model::FlatModel flat) {
  SignedClasses classes(flat);
  std::vector<model::Equation> kept;
  std::vector<Span> said_by(flat.variables.size());
  for (const model::Equation& equation : flat.equations) {
    const std::optional<Equality> equality = as_equality(flat, equation);
    if (!equality || !classes.unite(*equality)) {
      kept.push_back(equation);
      continue;
    }
    for (const Signed& side : {equality->left, equality->right}) {
      Span& span = said_by[index(side.variable)];
      if (span == Span{}) span = equation.span;
    }
  }
  flat.equations = std::move(kept);

  std::vector<Alias> aliases;
  std::vector<Signed> stands_for(flat.variables.size());
  for (std::size_t i = 0; i < flat.variables.size(); ++i) {
    stands_for[i] = classes.find(VariableId(i));
    if (stands_for[i].variable == VariableId(i)) continue;
    aliases.push_back({VariableId(i), stands_for[i].variable, stands_for[i].sign, said_by[i]});
    inherit_attributes(flat, aliases.back());
  }
  substitute_all(flat, stands_for);
  return {std::move(flat), std::move(aliases)};
}

}  // namespace daedalus::structure
