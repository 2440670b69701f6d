#include "codegen/native_code.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/tape.hpp"

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;
using expr::SymbolId;
using structure::Kernel;

const double infinity = std::numeric_limits<double>::infinity();
const std::vector<double> edges = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   -0.5,
                                   2.0,
                                   3.0,
                                   -7.0,
                                   1e-300,
                                   -4.9e-324,
                                   1e300,
                                   1.7976931348623157e308,
                                   infinity,
                                   -infinity,
                                   std::nan(""),
                                   0x1p52,
                                   -0x1p53,
                                   710.0,
                                   -745.5};

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b)
                       : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::vector<double> run(const NativeCode& code, std::size_t kernel, std::vector<double>& symbols,
                        std::size_t outputs) {
  std::vector<double> result(outputs, -1.0);
  code.kernel(kernel).run(symbols.data(), result.data());
  return result;
}

std::vector<Op> every_operation() {
  std::vector<Op> all;
  for (int op = static_cast<int>(Op::Negate); op <= static_cast<int>(Op::If); ++op) {
    all.push_back(static_cast<Op>(op));
  }
  return all;
}

TEST(NativeCode, AgreesWithTheInterpreterToTheBitForEveryOperation) {
  expr::Arena arena;
  const ExprId a = arena.symbol(SymbolId(0)), b = arena.symbol(SymbolId(1)),
               c = arena.symbol(SymbolId(2));
  Kernel kernel;
  for (const Op op : every_operation()) kernel.outputs.push_back(arena.rebuild(op, a, b, c));
  const Result<NativeCode> code = NativeCode::compile(arena, {kernel});
  ASSERT_TRUE(code);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-20, 20), sign(-1, 1);
  std::vector<std::vector<double>> points;
  for (const double first : edges) {
    for (const double second : edges) {
      for (const double third : {3.5, std::nan("")}) points.push_back({first, second, third});
    }
  }
  for (int i = 0; i < 5'000; ++i) {
    const auto value = [&] { return std::copysign(std::exp2(exponent(random)), sign(random)); };
    points.push_back({value(), value(), value()});
  }
  for (std::vector<double>& symbols : points) {
    const std::vector<double> outputs = run(*code, 0, symbols, kernel.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Op op = every_operation()[i];
      const double expected = apply(op, symbols[0], symbols[1], symbols[2]);
      ASSERT_TRUE(same(outputs[i], expected))
          << op_name(op) << "(" << symbols[0] << ", " << symbols[1] << ") is " << outputs[i]
          << " instead of " << expected;
    }
  }
}

// Whether the other arguments determine the result, whatever the one at this place is.
bool is_decided(Op op, int place, const std::vector<double>& values) {
  const double other = values[place == 0 ? 1 : 0];
  switch (op) {
    case Op::IsTrue:
      return true;
    case Op::And:
      return other == 0.0;
    case Op::Or:
      return other != 0.0;
    case Op::If:
      return place == 1 ? values[0] == 0.0 : place == 2 && values[0] != 0.0;
    default:
      return false;
  }
}

// NaN as an argument makes the result NaN, even when the other ones are constants that would allow
// a simplification. Derivatives agree for all arguments.
TEST(NativeCode, PropagatesWhatIsUndefinedInEveryArgumentOfEveryOperation) {
  const std::vector<double> others = {0.0, 1.0, -1.0, 0.5, 2.0, -3.0};
  expr::Arena arena;
  expr::Walker walker;
  const ExprId undefined = arena.make(Op::Sqrt, arena.symbol(SymbolId(0)));
  Kernel kernel;
  std::vector<bool> is_undefined;
  std::vector<std::string> texts;
  const auto add = [&](ExprId id, bool expected) {
    kernel.outputs.push_back(id);
    is_undefined.push_back(expected);
    texts.push_back(to_string(arena, id, {"x", "y", "z"}));
    for (const expr::Partial& one :
         gradient(arena, walker, id, [](SymbolId symbol) { return symbol == SymbolId(0); }))
      kernel.outputs.push_back(one.value), is_undefined.push_back(false), texts.push_back("");
  };
  for (const Op op : every_operation()) {
    for (int place = 0; place < arity(op); ++place) {
      for (const double b : others) {
        for (const double c : others) {
          std::vector<double> values(3, b);
          values[2] = c;
          ExprId arguments[3];
          for (int k = 0; k < 3; ++k)
            arguments[k] = arena.constant(values[static_cast<std::size_t>(k)]);
          arguments[place] = undefined;
          add(arena.rebuild(op, arguments[0], arguments[1], arguments[2]),
              !is_decided(op, place, values));
        }
      }
    }
  }
  const Result<NativeCode> code = NativeCode::compile(arena, {kernel});
  ASSERT_TRUE(code);
  std::vector<double> symbols = {-1.0, 2.0, 3.0};
  const std::vector<double> outputs = run(*code, 0, symbols, kernel.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double interpreted = evaluate(arena, walker, kernel.outputs[i], symbols);
    EXPECT_TRUE(same(outputs[i], interpreted)) << texts[i];
    if (!texts[i].empty()) {
      EXPECT_EQ(std::isnan(interpreted), is_undefined[i]) << texts[i];
    }
  }
}

TEST(NativeCode, RaisesToWholePowersWithinAFewRoundings) {
  expr::Arena arena;
  Kernel kernel;
  const ExprId x = arena.symbol(SymbolId(0));
  std::vector<double> powers = {0.5, -0.5, 1.5, 17, -17, 1.0 / 3.0};
  for (int p = -16; p <= 16; ++p) powers.push_back(p);
  for (const double p : powers)
    kernel.outputs.push_back(arena.make(Op::Power, x, arena.constant(p)));
  for (const double base : {2.0, 10.0, 0.3, std::exp(1.0)}) {
    kernel.outputs.push_back(arena.make(Op::Power, arena.constant(base), x));
  }
  const Result<NativeCode> code = NativeCode::compile(arena, {kernel});
  ASSERT_TRUE(code);
  expr::Walker walker;
  for (const double value :
       {0.0, 1.0, -1.0, 2.0, -3.0, 0.7, -0.1, 123.456, infinity, std::nan("")}) {
    std::vector<double> symbols = {value};
    const std::vector<double> outputs = run(*code, 0, symbols, kernel.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double expected = evaluate(arena, walker, kernel.outputs[i], symbols);
      if (std::isfinite(expected)) {
        // Sixteen factors and a division round 16 times, by 1.11e-16 each.
        EXPECT_NEAR(outputs[i], expected, 1.8e-15 * std::fabs(expected)) << value << " " << i;
      } else {
        EXPECT_TRUE(same(outputs[i], expected)) << value << " " << i;
      }
    }
  }
}

// A random expression over the symbols 0 to 3 that uses every operation.
ExprId random_expression(expr::Arena& arena, std::mt19937& random, int size) {
  std::vector<ExprId> pool;
  for (std::uint32_t i = 0; i < 4; ++i) pool.push_back(arena.symbol(SymbolId(i)));
  const std::vector<Op> operations = every_operation();
  const auto pick = [&] { return pool[random() % pool.size()]; };
  for (int i = 0; i < size; ++i) {
    const Op op = operations[random() % operations.size()];
    pool.push_back(arena.rebuild(op, pick(), pick(), pick()));
  }
  return pool.back();
}

TEST(NativeCode, AgreesWithTheInterpreterOnRandomExpressions) {
  expr::Arena arena;
  expr::Walker walker;
  std::mt19937 random(7);
  Kernel kernel;
  for (int i = 0; i < 300; ++i) kernel.outputs.push_back(random_expression(arena, random, 12));
  const Result<NativeCode> code = NativeCode::compile(arena, {kernel});
  ASSERT_TRUE(code);
  std::uniform_real_distribution<double> value(-3, 3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> symbols = {value(random), value(random), value(random), value(random)};
    const std::vector<double> outputs = run(*code, 0, symbols, kernel.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double expected = evaluate(arena, walker, kernel.outputs[i], symbols);
      const bool close = same(outputs[i], expected) ||
                         std::fabs(outputs[i] - expected) <= 1e-13 * std::fabs(expected);
      ASSERT_TRUE(close) << to_string(arena, kernel.outputs[i], {"a", "b", "c", "d"}) << ": "
                         << outputs[i] << " instead of " << expected;
    }
  }
}

TEST(NativeCode, CutsLongKernelsAndKeepsTheirOrder) {
  expr::Arena arena;
  Kernel kernel;
  constexpr std::uint32_t n = 10'000;
  for (std::uint32_t i = 1; i <= n; ++i) {
    const ExprId before = arena.symbol(SymbolId(i - 1));
    kernel.assignments.push_back({SymbolId(i), arena.add(before, arena.constant(i))});
  }
  for (std::uint32_t i = 0; i <= n; ++i)
    kernel.outputs.push_back(arena.negate(arena.symbol(SymbolId(i))));
  const Result<NativeCode> code = NativeCode::compile(arena, {kernel});
  ASSERT_TRUE(code);
  EXPECT_GT(code->kernel(0).call_count(), 5U);
  std::vector<double> symbols(n + 1, 0.0);
  const std::vector<double> outputs = run(*code, 0, symbols, n + 1);
  EXPECT_EQ(symbols[n], n * (n + 1) / 2.0);
  EXPECT_EQ(outputs[n], -symbols[n]);
  EXPECT_EQ(outputs[1], -1.0);
}

TEST(NativeCode, CompilesEmptyKernelsAndNone) {
  const expr::Arena arena;
  const Kernel empty;
  EXPECT_TRUE(NativeCode::compile(arena, {}));
  const Result<NativeCode> code = NativeCode::compile(arena, {empty});
  ASSERT_TRUE(code);
  std::vector<double> symbols = {5.0};
  run(*code, 0, symbols, 0);
  EXPECT_EQ(symbols[0], 5.0);
}

}  // namespace
}  // namespace daedalus::codegen
