#include "structure/passes/jacobian_pattern.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using testing_support::Builder;

std::vector<std::pair<int, int>> pairs(const std::vector<Entry>& entries) {
  std::vector<std::pair<int, int>> all;
  for (const Entry& entry : entries)
    all.emplace_back(static_cast<int>(entry.column), static_cast<int>(entry.row));
  return all;
}

std::optional<JacobianPattern> pattern_of(const StructuredModel& model) {
  return jacobian_pattern(model.flat, model.dynamics, model.states, model.derivatives);
}

// A rod of n points; each flow between them is a variable of its own.
StructuredModel rod(std::size_t n) {
  Builder m;
  std::vector<VariableId> T, q;
  for (std::size_t i = 0; i < n; ++i) T.push_back(m.variable(fmt::format("T{}", i)));
  for (std::size_t i = 0; i + 1 < n; ++i) q.push_back(m.variable(fmt::format("q{}", i)));
  for (std::size_t i = 0; i + 1 < n; ++i) m.equation(m(q[i]), m.sum(m(T[i]), m.minus(m(T[i + 1]))));
  for (std::size_t i = 0; i < n; ++i) {
    const ExprId in = i == 0 ? m.number(2) : m(q[i - 1]);
    const ExprId out = i + 1 == n ? m.number(1) : m(q[i]);
    m.equation(m.der(T[i]), m.sum(in, m.minus(out)));
  }
  return *m.analysed();
}

TEST(JacobianPattern, IsWhereTheJacobianHasEntries) {
  const StructuredModel model = rod(30);
  ASSERT_TRUE(model.jacobian);
  const auto found = pattern_of(model);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->entries.size(), 88U);
  EXPECT_EQ(pairs(found->entries), pairs(model.jacobian->entries));
  EXPECT_TRUE(model.jacobian_pattern.empty());
}

TEST(JacobianPattern, CountsTheProductsBeforeTheyAreMade) {
  // Two in each flow; each flow has two states and is used twice.
  EXPECT_EQ(pattern_of(rod(30))->products, 29U * 2 + 29 * 2 * 2);
}

TEST(JacobianPattern, GoesThroughLoops) {
  Builder m;
  const VariableId x = m.variable("x"), y = m.variable("y"), a = m.variable("a"),
                   b = m.variable("b");
  m.equation(m.der(x), m(a));
  m.equation(m.der(y), m.minus(m(y)));
  m.equation(m.sum(m(a), m.product(m(a), m.product(m(b), m(b)))), m(x));
  m.equation(m.sum(m(b), m.product(m(b), m.product(m(a), m(a)))), m(y));
  const std::optional<StructuredModel> model = m.analysed();
  ASSERT_TRUE(model);
  EXPECT_EQ(pairs(pattern_of(*model)->entries),
            (std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {1, 1}}));
}

TEST(JacobianPattern, IsNoneWhereItIsFull) {
  Builder m;
  std::vector<VariableId> x;
  for (int i = 0; i < 25; ++i) x.push_back(m.variable(fmt::format("x{}", i)));
  ExprId sum = m.number(0);
  for (const VariableId id : x) sum = m.sum(sum, m(id));
  const VariableId s = m.variable("s");
  m.equation(m(s), sum);
  for (const VariableId id : x) m.equation(m.der(id), m.product(m(s), m(id)));
  EXPECT_FALSE(pattern_of(*m.analysed()));
}

}  // namespace
}  // namespace daedalus::structure
