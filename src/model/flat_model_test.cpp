#include "daedalus/model/flat_model.hpp"

#include <gtest/gtest.h>

#include "daedalus/model/archive.hpp"

namespace daedalus::model {
namespace {

class HybridModel : public testing::Test {
 protected:
  HybridModel() {
    flat.variables = {{.name = "time"},
                      {.name = "x"},
                      {.name = "n", .type = Type::Integer, .variability = Variability::Discrete}};
    derivative_of(flat, x);
    const ExprId before = flat.arena.symbol(memory_of(flat, n));
    flat.equations.push_back({flat.arena.symbol(n),
                              flat.arena.add(before, flat.arena.constant(1.0)),
                              {},
                              Type::Integer});
    const VariableId sample(flat.variables.size());
    flat.variables.push_back(
        {.name = "$sample1", .type = Type::Boolean, .is_memory = true, .is_hidden = true});
    flat.samplers.push_back(
        {sample, flat.arena.constant(0.0), flat.arena.constant(0.5), {0, 1, 2}});
    flat.whens.push_back({n, {0, 3, 4}});
    const ExprId at_start = flat.arena.symbol(initial_flag(flat));
    flat.actions.push_back({.kind = Action::Kind::Reinit,
                            .guard = at_start,
                            .target = x,
                            .value = flat.arena.constant(2.0)});
    flat.actions.push_back(
        {.kind = Action::Kind::Terminate,
         .message = {{.text = "x is "}, {.value = flat.arena.symbol(x), .significant_digits = 3}},
         .level = Action::Level::Warning,
         .span = {0, 5, 9}});
  }

  FlatModel flat{.name = "M"};
  VariableId x{1}, n{2};
};

TEST_F(HybridModel, IsWrittenAsStableText) {
  EXPECT_EQ(to_string(flat),
            "model M\n  Real x;\n  Integer n;\n  Boolean $sample1 = sample(0, 0.5);\nequation\n"
            "  n = pre(n) + 1;\naction\n  if initial() then reinit(x, 2);\n"
            "  terminate(\"x is \" + String(x, 3));\nend M;\n");
}

TEST_F(HybridModel, MakesMemoriesOnce) {
  EXPECT_EQ(memory_of(flat, n), flat[n].pre);
  EXPECT_EQ(flat[flat[n].pre].pre_of, n);
  EXPECT_EQ(flat[flat[n].pre].type, Type::Integer);
  EXPECT_EQ(initial_flag(flat), flat.initial_flag);
  EXPECT_TRUE(flat.terminal_flag.is_none());
  EXPECT_TRUE(flat.is_unknown(n));
  EXPECT_TRUE(flat.is_unknown(x));
  EXPECT_FALSE(flat.is_unknown(flat[n].pre));
  EXPECT_FALSE(flat.is_unknown(flat.initial_flag));
  EXPECT_FALSE(flat.is_unknown(FlatModel::time));
  EXPECT_FALSE(varies(flat, n));
}

TEST_F(HybridModel, ComesBackFromAnArchive) {
  Archive writer;
  writer(flat);
  FlatModel restored;
  Archive reader(writer.bytes());
  reader(restored);
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(to_string(restored), to_string(flat));
  EXPECT_EQ(restored.initial_flag, flat.initial_flag);
  EXPECT_EQ(restored[n].pre, flat[n].pre);
  EXPECT_TRUE(restored[flat.samplers.front().variable].is_hidden);
  EXPECT_EQ(restored.samplers.front().span, flat.samplers.front().span);
  EXPECT_EQ(restored.whens.front().condition, n);
  EXPECT_EQ(restored.actions.back().level, Action::Level::Warning);
  EXPECT_EQ(restored.actions.back().span, flat.actions.back().span);
}

TEST(HasEvents, IsTrueWhereSomethingHappensAtEvents) {
  FlatModel flat{.name = "M", .variables = {{.name = "time"}, {.name = "x"}}};
  EXPECT_FALSE(has_events(flat));
  FlatModel with_memory = flat;
  memory_of(with_memory, VariableId(1));
  EXPECT_TRUE(has_events(with_memory));
  flat.actions.push_back({});
  EXPECT_TRUE(has_events(flat));
}

}  // namespace
}  // namespace daedalus::model
