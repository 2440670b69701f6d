#include "daedalus/structure/margins.hpp"

#include <span>

#include "daedalus/structure/visibility.hpp"

namespace daedalus::structure {
namespace {

// Of switches on which nothing depends at the moment.
constexpr double unseen_margin = 1.0;

// How far the held value is from being wrong.
void add_margins(expr::Arena& arena, const Switch& one, std::vector<ExprId>& margins) {
  const ExprId held = arena.symbol(one.symbol);
  const ExprId zero = arena.constant(0.0), unit = arena.constant(1.0);
  const auto is = [&](expr::Op op) { return arena.make(op, held, zero); };
  switch (one.kind) {
    case Switch::Kind::Relation:
      margins.push_back(arena.choose(held, one.difference, arena.negate(one.difference)));
      break;
    case Switch::Kind::Floor:
      margins.push_back(arena.subtract(one.difference, held));
      margins.push_back(arena.subtract(arena.add(held, unit), one.difference));
      break;
    case Switch::Kind::Truncation: {
      const ExprId low = arena.choose(is(expr::Op::Greater), held, arena.subtract(held, unit));
      const ExprId high = arena.choose(is(expr::Op::Less), held, arena.add(held, unit));
      margins.push_back(arena.subtract(one.difference, low));
      margins.push_back(arena.subtract(high, one.difference));
      break;
    }
  }
}

}  // namespace

Margins margins_of(StructuredModel& model) {
  expr::Arena& arena = model.flat.arena;
  const std::vector<ExprId> conditions = conditions_to_be_seen(model);
  Margins result;
  ExprId any;
  for (std::size_t i = 0; i < model.discrete.switches.size(); ++i) {
    const Switch& one = model.discrete.switches[i];
    if (one.in_time) {
      const ExprId form = arena.add(one.in_time->coefficient, one.in_time->rest);
      result.in_time.push_back(arena.choose(conditions[i], form, arena.constant(unseen_margin)));
      continue;
    }
    const std::size_t first = result.all.size();
    add_margins(arena, one, result.all);
    for (const ExprId margin : std::span(result.all).subspan(first))
      result.seen.push_back(arena.choose(conditions[i], margin, arena.constant(unseen_margin)));
    any = any.is_none() ? conditions[i] : arena.make(expr::Op::Or, any, conditions[i]);
  }
  result.any_is_seen = any.is_none() ? arena.constant(0.0) : any;
  return result;
}

}  // namespace daedalus::structure
