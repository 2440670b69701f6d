#include "codegen/rolling.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "codegen/native_code.hpp"
#include "daedalus/expr/tape.hpp"

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;
using expr::SymbolId;
using structure::Kernel;

// The results of the interpreter for the kernel.
struct Values {
  std::vector<double> symbols, outputs;
  friend bool operator==(const Values& a, const Values& b) {
    const auto same = [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    };
    return std::ranges::equal(a.symbols, b.symbols, same) &&
           std::ranges::equal(a.outputs, b.outputs, same);
  }
};

Values interpreted(const expr::Arena& arena, const Kernel& kernel, std::vector<double> symbols) {
  expr::Tape tape;
  for (const structure::Assignment& a : kernel.assignments) tape.assign(arena, a.target, a.value);
  for (const ExprId id : kernel.outputs) tape.output(arena, id);
  Values values{std::move(symbols), std::vector<double>(kernel.outputs.size())};
  tape.run(values.symbols, values.outputs);
  return values;
}

Values compiled(const expr::Arena& arena, const Kernel& kernel, std::vector<double> symbols) {
  Values values{std::move(symbols), std::vector<double>(kernel.outputs.size())};
  const Result<NativeCode> code = NativeCode::compile(arena, {kernel});
  EXPECT_TRUE(code);
  if (code) code->kernel(0).run(values.symbols.data(), values.outputs.data());
  return values;
}

std::size_t straight_assignments(const RolledCode& code) {
  std::size_t count = 0;
  for (const std::vector<Segment>& kernel : code.kernels) {
    for (const Segment& segment : kernel)
      count += segment.straight.assignments.size() + segment.straight.outputs.size();
  }
  return count;
}

// Symbols 0..n-1 are given; n..2n-1 = c_i x_i + 2 x_(i+1) with constants of their own; the next n a
// running sum of those; outputs are products with the previous ones.
struct Chain {
  expr::Arena arena;
  Kernel kernel;
  std::vector<double> symbols;
};

Chain chain(std::uint32_t n) {
  Chain made;
  expr::Arena& arena = made.arena;
  const auto symbol = [&](std::uint32_t i) { return arena.symbol(SymbolId(i)); };
  made.symbols.resize(std::size_t{3} * n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    made.symbols[i] = 1.0 / (i + 3.0);
    const ExprId scaled = arena.multiply(arena.constant(0.25 + i), symbol(i));
    const ExprId next = arena.multiply(arena.constant(2.0), symbol((i + 1) % n));
    made.kernel.assignments.push_back({SymbolId(n + i), arena.add(scaled, next)});
    const ExprId before = i == 0 ? symbol(0) : symbol(2 * n + i - 1);
    made.kernel.assignments.push_back({SymbolId(2 * n + i), arena.add(before, symbol(n + i))});
    made.kernel.outputs.push_back(arena.multiply(symbol(2 * n + i), symbol(n + i)));
  }
  return made;
}

TEST(Rolling, LeavesLittleCodeStraight) {
  const Chain made = chain(20);
  const RolledCode code = roll({made.kernel}, made.arena);
  EXPECT_TRUE(code.codes.empty());
  EXPECT_EQ(straight_assignments(code), 60U);
}

TEST(Rolling, CodeDoesNotGrowWithTheNumberOfRepetitions) {
  const Chain small = chain(2'000), large = chain(50'000);
  const RolledCode a = roll({small.kernel}, small.arena), b = roll({large.kernel}, large.arena);
  EXPECT_EQ(a.codes.size(), b.codes.size());
  EXPECT_LE(a.codes.size(), 5U);
  EXPECT_EQ(straight_assignments(b), 0U);
}

TEST(Rolling, RunningSumsAreOneLoopInOrder) {
  const Chain made = chain(2'000);
  const RolledCode code = roll({made.kernel}, made.arena);
  const auto is_sum = [&](const Segment& segment) {
    return segment.loop && !code.codes[segment.loop->code].independent;
  };
  ASSERT_EQ(std::ranges::count_if(code.kernels[0], is_sum), 1);
  EXPECT_EQ(std::ranges::find_if(code.kernels[0], is_sum)->loop->count, 2'000);
}

TEST(Rolling, LoopsGiveWhatTheInterpreterGives) {
  const Chain made = chain(3'000);
  EXPECT_EQ(compiled(made.arena, made.kernel, made.symbols),
            interpreted(made.arena, made.kernel, made.symbols));
}

// Expressions of random shape, with choices and relations, each used with many arguments.
class RandomKernel {
 public:
  RandomKernel(unsigned seed, std::uint32_t given, std::uint32_t assigned)
      : random_(seed), given_(given) {
    for (int i = 0; i < 12; ++i) templates_.push_back(seed * 100 + static_cast<unsigned>(i));
    for (std::uint32_t i = 0; i < assigned; ++i)
      kernel.assignments.push_back({SymbolId(given + i), value(given + i)});
    for (std::uint32_t i = 0; i < assigned / 4; ++i)
      kernel.outputs.push_back(value(given + assigned));
  }

  expr::Arena arena;
  Kernel kernel;

 private:
  ExprId value(std::uint32_t known) {
    std::mt19937 shape(templates_[random_() % templates_.size()]);
    ExprId result = leaf(shape, known);
    for (int depth = static_cast<int>(shape() % 5); depth >= 0; --depth) {
      const ExprId other = leaf(shape, known);
      switch (shape() % 7) {
        case 0:
          result = arena.add(result, other);
          break;
        case 1:
          result = arena.subtract(other, result);
          break;
        case 2:
          result = arena.multiply(result, other);
          break;
        case 3:
          result = arena.make(Op::Tanh, result);
          break;
        case 4:
          result = arena.choose(arena.make(Op::Less, result, other), other, result);
          break;
        case 5:
          result = arena.make(Op::Atan2, result, arena.constant(2.0));
          break;
        default:
          result = arena.make(Op::Min, other, result);
      }
    }
    return arena.make(Op::Sin, result);
  }

  ExprId leaf(std::mt19937& shape, std::uint32_t known) {
    if (shape() % 4 == 0) return arena.constant(static_cast<double>(random_() % 1000) / 7.0 + 20.0);
    const bool recent = shape() % 3 == 0 && known > given_;
    return arena.symbol(SymbolId(recent ? known - 1 - random_() % std::min(known - given_, 50U)
                                        : random_() % given_));
  }

  std::mt19937 random_;
  std::uint32_t given_;
  std::vector<unsigned> templates_;
};

TEST(Rolling, RandomKernelsGiveWhatTheInterpreterGives) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::uint32_t given = 50, assigned = 2'000;
    const RandomKernel random(seed, given, assigned);
    std::vector<double> symbols(given + assigned, 0.0);
    for (std::uint32_t i = 0; i < given; ++i) symbols[i] = std::sin(i + seed);
    ASSERT_FALSE(roll({random.kernel}, random.arena).codes.empty());
    const Values expected = interpreted(random.arena, random.kernel, symbols);
    const Values found = compiled(random.arena, random.kernel, symbols);
    for (std::size_t i = 0; i < symbols.size(); ++i)
      ASSERT_EQ(found.symbols[i], expected.symbols[i]) << "seed " << seed << ", symbol " << i;
    EXPECT_EQ(found.outputs, expected.outputs) << seed;
  }
}

TEST(Rolling, KernelsOfOneShapeShareTheirCode) {
  expr::Arena arena;
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < 3'000; ++i) {
    const ExprId x = arena.symbol(SymbolId(2 * i));
    kernels.push_back({{{SymbolId(2 * i + 1), arena.make(Op::Exp, arena.negate(x))}}, {x}});
  }
  const RolledCode code = roll(kernels, arena);
  EXPECT_EQ(code.codes.size(), 2U);
  const Result<NativeCode> native = NativeCode::compile(arena, kernels);
  ASSERT_TRUE(native);
  std::vector<double> symbols(6'000, 0.5), output(1, 0.0);
  native->kernel(1234).run(symbols.data(), output.data());
  EXPECT_EQ(symbols[2 * 1234 + 1], std::exp(-0.5));
  EXPECT_EQ(symbols[2 * 1235 + 1], 0.5);
  EXPECT_EQ(output[0], 0.5);
}

// Places that are consecutive or arbitrary; constants that are all equal or not.
TEST(Rolling, KernelsOfOneShapeThatReadOtherwiseDoNotShareIt) {
  constexpr std::uint32_t n = 2'000;
  const auto place = [](std::size_t kernel, std::uint32_t i) {
    return kernel == 1 ? i * 7 % n : i;
  };
  const auto factor = [](std::size_t kernel, std::uint32_t i) {
    return kernel == 2 ? i + 2.5 : 2.5;
  };
  expr::Arena arena;
  std::vector<Kernel> kernels(3);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const ExprId x = arena.symbol(SymbolId(place(k, i)));
      const ExprId value = arena.multiply(arena.constant(factor(k, i)), arena.make(Op::Sqrt, x));
      kernels[k].assignments.push_back({SymbolId(n + i), value});
    }
  }
  EXPECT_EQ(roll(kernels, arena).codes.size(), 3U);
  const Result<NativeCode> native = NativeCode::compile(arena, kernels);
  ASSERT_TRUE(native);
  std::vector<double> symbols(std::size_t{2} * n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) symbols[i] = i;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    native->kernel(k).run(symbols.data(), nullptr);
    for (std::uint32_t i = 0; i < n; ++i)
      ASSERT_EQ(symbols[n + i], factor(k, i) * std::sqrt(place(k, i))) << k << ", " << i;
  }
}

}  // namespace
}  // namespace daedalus::codegen
