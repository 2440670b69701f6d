#include "structure/passes/switches.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/expr/tape.hpp"
#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using testing_support::Builder;

class EveryOperation : public testing::TestWithParam<expr::Operation> {};

// Wherever the symbols have the values that they hold.
TEST_P(EveryOperation, HasSwitchesIfItMakesEventsAndKeepsItsValue) {
  SCOPED_TRACE(GetParam().name);
  Builder m;
  const VariableId x = m.variable("x"), y = m.variable("y");
  m.equation(m.flat.arena.rebuild(GetParam().op, m(x), m(y), m(y)), m.number(0));
  const std::vector<Switch> switches = introduce_switches(m.flat);
  EXPECT_EQ(!switches.empty(), GetParam().formula == expr::Formula::Switched);
  expr::Walker walker;
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{
           {0.7, 2.3}, {-0.7, 2.3}, {7.3, -2}, {-7.3, -2}, {2, 2}, {0, 2}}) {
    std::vector<double> values(m.flat.variables.size(), 0.0);
    values[index(x)] = a;
    values[index(y)] = b;
    const auto value = [&](ExprId id) { return evaluate(m.flat.arena, walker, id, values); };
    for (const Switch& one : switches) {
      values[index(one.symbol)] = value(one.value);
      EXPECT_EQ(value(one.value), value(one.literal));
    }
    const double expected = apply(GetParam().op, a, b);
    const double found = value(m.flat.equations[0].left);
    EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << a << " " << b;
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, EveryOperation,
                         testing::ValuesIn(expr::operations.begin() + 2,
                                           expr::operations.end() - 1),
                         [](const auto& row) { return std::to_string(row.index); });

}  // namespace
}  // namespace daedalus::structure
