#include "daedalus/codegen/procedure_code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "codegen/procedure_emitter.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/expr/tape.hpp"

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;
using expr::SymbolId;
using structure::Procedure;
using structure::Statement;

Statement assign(std::vector<structure::Assignment> assignments) {
  return {.kind = Statement::Kind::Assign, .assignments = std::move(assignments)};
}
Statement when(SymbolId condition, Procedure body) {
  return {.kind = Statement::Kind::If, .condition = condition, .body = std::move(body)};
}
Statement repeat(Procedure body, SymbolId condition) {
  return {.kind = Statement::Kind::Repeat, .condition = condition, .body = std::move(body)};
}

// The meaning of a procedure.
void interpret(const expr::Arena& arena, const Procedure& procedure, std::vector<double>& symbols) {
  expr::Walker walker;
  for (const Statement& statement : procedure) {
    for (const structure::Assignment& one : statement.assignments)
      symbols[index(one.target)] = expr::evaluate(arena, walker, one.value, symbols);
    const auto holds = [&] { return symbols[index(statement.condition)] != 0.0; };
    if (statement.kind == Statement::Kind::If && holds()) interpret(arena, statement.body, symbols);
    if (statement.kind == Statement::Kind::Repeat) {
      do {
        interpret(arena, statement.body, symbols);
      } while (holds());
    }
  }
}

class ProcedureCodeTest : public testing::Test {
 protected:
  ExprId symbol(std::uint32_t i) { return arena_.symbol(SymbolId(i)); }
  ExprId constant(double value) { return arena_.constant(value); }
  ExprId plus(ExprId a, ExprId b) { return arena_.add(a, b); }
  ExprId times(ExprId a, ExprId b) { return arena_.multiply(a, b); }
  ExprId less(ExprId a, ExprId b) { return arena_.make(Op::Less, a, b); }

  // The symbols after the procedure has run; all are kept.
  std::vector<double> run(const Procedure& procedure, const std::vector<double>& symbols,
                          const CodeCache& cache = {}) {
    return run(procedure, symbols, std::vector<bool>(symbols.size(), true), cache);
  }
  std::vector<double> run(const Procedure& procedure, std::vector<double> symbols,
                          const std::vector<bool>& kept, const CodeCache& cache = {}) {
    const Result<ProcedureCode> code = ProcedureCode::compile(arena_, {&procedure}, kept, cache);
    if (!code) throw Failure(code.error());
    code->function(0)(symbols.data());
    return symbols;
  }
  std::vector<double> interpreted(const Procedure& procedure, std::vector<double> symbols) {
    interpret(arena_, procedure, symbols);
    return symbols;
  }

  expr::Arena arena_;
};

const SymbolId x(0), y(1), z(2), go(3), n(4);

TEST_F(ProcedureCodeTest, ReadsWhatABranchAssigned) {
  const Procedure procedure = {
      assign({{y, plus(symbol(0), constant(1))}}),
      when(go, {assign({{y, times(symbol(1), constant(10))}})}),
      assign({{z, plus(symbol(1), constant(0.5))}}),
  };
  EXPECT_EQ(run(procedure, {2, 0, 0, 1, 0}), (std::vector<double>{2, 30, 30.5, 1, 0}));
  EXPECT_EQ(run(procedure, {2, 0, 0, 0, 0}), (std::vector<double>{2, 3, 3.5, 0, 0}));
}

TEST_F(ProcedureCodeTest, ATruthIsAnyNumberButZero) {
  const Procedure procedure = {when(go, {assign({{y, constant(7)}})})};
  EXPECT_EQ(run(procedure, {0, 0, 0, -0.25, 0})[1], 7.0);
  EXPECT_EQ(run(procedure, {0, 0, 0, std::nan(""), 0})[1], 7.0);
  EXPECT_EQ(run(procedure, {0, 0, 0, -0.0, 0})[1], 0.0);
}

// The same expression, x + 1, before and after each change of x.
TEST_F(ProcedureCodeTest, ComputesAnewWhatDependsOnAReassignedSymbol) {
  const ExprId next = plus(symbol(0), constant(1));
  const Procedure procedure = {
      assign({{y, next}, {x, times(next, constant(3))}, {z, next}}),
      when(go, {assign({{n, next}, {x, constant(100)}, {y, plus(symbol(1), next)}})}),
      assign({{z, plus(times(symbol(2), constant(1000)), next)}}),
  };
  EXPECT_EQ(run(procedure, {1, 0, 0, 1, 0}), (std::vector<double>{100, 103, 7101, 1, 7}));
  EXPECT_EQ(run(procedure, {1, 0, 0, 0, 0}), (std::vector<double>{6, 2, 7007, 0, 0}));
}

// n counts down, x grows from one repetition to the next: 2^n.
TEST_F(ProcedureCodeTest, CarriesSymbolsFromOneRepetitionToTheNext) {
  const Procedure procedure = {
      repeat({assign({{x, plus(symbol(0), symbol(0))},
                      {n, plus(symbol(4), constant(-1))},
                      {go, less(constant(0), symbol(4))}})},
             go),
  };
  EXPECT_EQ(run(procedure, {1, 0, 0, 0, 10})[0], 1024.0);
  EXPECT_EQ(run(procedure, {1, 0, 0, 0, -5})[0], 2.0);  // at least once
}

// Multiplication by repeated addition, twice nested: y := x * x.
TEST_F(ProcedureCodeTest, NestsLoops) {
  const SymbolId i(5), j(6), inner(7), outer(8);
  const Procedure procedure = {
      assign({{y, constant(0)}, {i, constant(0)}}),
      repeat({assign({{j, constant(0)}}),
              repeat({assign({{y, plus(symbol(1), constant(1))},
                              {j, plus(symbol(6), constant(1))},
                              {inner, less(symbol(6), symbol(0))}})},
                     inner),
              assign({{i, plus(symbol(5), constant(1))}, {outer, less(symbol(5), symbol(0))}})},
             outer),
  };
  EXPECT_EQ(run(procedure, {7, 0, 0, 0, 0, 0, 0, 0, 0})[1], 49.0);
}

std::string code_of(const expr::Arena& arena, const Procedure& procedure, std::size_t symbols) {
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  const std::vector<bool> kept(symbols, true);
  ProcedureEmitter(module, arena, kept, false).emit(procedure, "procedure", Form::Whole);
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

// z = sqrt(x) only where x is positive, in each repetition; the root is computed once, in advance.
TEST_F(ProcedureCodeTest, ComputesAheadWhatALoopDoesNotChange) {
  const SymbolId positive(5);
  const Procedure procedure = {
      repeat({assign({{positive, less(constant(0), symbol(0))}}),
              when(positive, {assign({{z, plus(symbol(2), arena_.make(Op::Sqrt, symbol(0)))}})}),
              assign({{n, plus(symbol(4), constant(-1))}, {go, less(constant(0), symbol(4))}})},
             go),
  };
  EXPECT_EQ(run(procedure, {9, 0, 0.5, 0, 4, 0})[2], 12.5);
  EXPECT_EQ(run(procedure, {-9, 0, 0.5, 0, 4, 0})[2], 0.5);  // not NaN
  const std::string code = code_of(arena_, procedure, 6);
  const std::size_t root = code.find("sqrt");
  ASSERT_NE(root, std::string::npos);
  EXPECT_LT(root, code.find("\nrepeat:"));
}

TEST_F(ProcedureCodeTest, StoresWhatIsKeptAndNoTemporary) {
  const Procedure procedure = {
      assign({{y, times(symbol(0), symbol(0))}, {z, plus(symbol(1), constant(1))}})};
  EXPECT_EQ(run(procedure, {3, -1, -1}, {false, false, true}), (std::vector<double>{3, -1, 10}));
  EXPECT_EQ(run(procedure, {3, -1, -1}, {false, true, true}), (std::vector<double>{3, 9, 10}));
}

// What a body leaves for a later call needs no mark: a read without an assignment shows it.
TEST_F(ProcedureCodeTest, RemembersBetweenCallsWhatABranchAssigned) {
  const Procedure procedure = {when(go, {assign({{y, times(symbol(0), constant(2))}})}),
                               assign({{z, symbol(1)}})};
  const Result<ProcedureCode> code =
      ProcedureCode::compile(arena_, {&procedure}, {false, false, true, false});
  ASSERT_TRUE(code);
  std::vector<double> symbols = {21, 0, 0, 1};
  code->function(0)(symbols.data());
  symbols[0] = 1000;
  symbols[3] = 0;
  symbols[2] = 0;
  code->function(0)(symbols.data());
  EXPECT_EQ(symbols[2], 42.0);
}

// Random procedures on integers, so that no order of rounding matters.
class RandomProcedures {
 public:
  static constexpr std::uint32_t variables = 8;

  RandomProcedures(expr::Arena& arena, unsigned seed) : arena_(arena), random_(seed) {}

  Procedure make() {
    symbols_ = variables;
    known_.clear();
    return body(2);
  }
  // So long that it is compiled in stretches, some of which are functions.
  Procedure make_long() {
    longest_list_ = 100;
    Procedure all = make();
    while (is_short(all)) {
      for (Statement& statement : body(2)) all.push_back(std::move(statement));
    }
    return all;
  }
  std::size_t symbols() const { return most_symbols_; }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

 private:
  ExprId symbol(std::uint32_t i) { return arena_.symbol(SymbolId(i)); }
  SymbolId fresh() {
    most_symbols_ = std::max<std::size_t>(most_symbols_, symbols_ + 1);
    return SymbolId(symbols_++);
  }

  // Often one that was used before, perhaps with other values of its symbols.
  ExprId expression(int depth) {
    if (!known_.empty() && below(3) == 0)
      return known_[below(static_cast<unsigned>(known_.size()))];
    if (depth == 0) return below(4) == 0 ? arena_.constant(below(9)) : symbol(below(variables));
    const ExprId a = expression(depth - 1), b = expression(depth - 1);
    ExprId made;
    switch (below(7)) {
      case 0:
      case 1:
        made = arena_.add(a, b);
        break;
      case 2:
        made = arena_.subtract(a, b);
        break;
      case 3:
        made = arena_.make(Op::Max, a, b);
        break;
      case 4:
        made = arena_.choose(arena_.make(Op::Less, a, b), b, arena_.add(a, arena_.constant(1)));
        break;
      case 5:
        made = arena_.make(Op::Modulo, arena_.multiply(a, b), arena_.constant(101));
        break;
      default:
        made = arena_.make(Op::Modulo, a, arena_.constant(7));
        break;
    }
    made = arena_.make(Op::Modulo, made, arena_.constant(1009));
    if (known_.size() < 12) known_.push_back(made);
    return made;
  }

  Procedure body(int depth) {
    Procedure statements;
    const unsigned count = 1 + below(4);
    for (unsigned i = 0; i < count; ++i) {
      statements.push_back(assign({}));
      for (unsigned k = 1 + below(longest_list_); k > 0; --k)
        statements.back().assignments.push_back({SymbolId(below(variables)), expression(2)});
      if (depth == 0) continue;
      if (below(2) == 0) {
        const bool is_made = below(2) == 0;  // or the value of a variable
        const SymbolId condition = is_made ? fresh() : SymbolId(below(variables));
        if (is_made) {
          statements.push_back(
              assign({{condition, arena_.make(Op::Less, expression(1), expression(1))}}));
        }
        statements.push_back(when(condition, body(depth - 1)));
      } else if (below(2) == 0) {
        add_loop(statements, depth);
      }
    }
    return statements;
  }

  // At most four times.
  void add_loop(Procedure& statements, int depth) {
    const SymbolId counter = fresh(), condition = fresh();
    const ExprId count = symbol(counter.value);
    statements.push_back(assign({{counter, arena_.constant(0)}}));
    Procedure inner = body(depth - 1);
    const ExprId is_short = arena_.make(Op::Less, count, arena_.constant(1 + below(4)));
    const ExprId stop = arena_.make(Op::Less, expression(1), arena_.constant(700));
    inner.push_back(assign({{counter, arena_.add(count, arena_.constant(1))},
                            {condition, arena_.make(Op::And, is_short, stop)}}));
    statements.push_back(repeat(std::move(inner), condition));
  }

  expr::Arena& arena_;
  std::mt19937_64 random_;
  std::vector<ExprId> known_;
  unsigned longest_list_ = 4;  // of assignments
  std::uint32_t symbols_ = variables;
  std::size_t most_symbols_ = variables;
};

// Alternately with all symbols kept, and with the variables alone.
class RandomProceduresTest : public ProcedureCodeTest {
 protected:
  void expect_as_interpreted(RandomProcedures& random, const std::vector<Procedure>& procedures,
                             bool all_are_kept) {
    std::vector<const Procedure*> pointers;
    for (const Procedure& procedure : procedures) pointers.push_back(&procedure);
    std::vector<bool> kept(random.symbols(), all_are_kept);
    std::fill_n(kept.begin(), RandomProcedures::variables, true);
    const Result<ProcedureCode> code = ProcedureCode::compile(arena_, pointers, kept);
    ASSERT_TRUE(code);
    expect_as_interpreted(random, procedures, kept, *code);
    if (code->is_optimised()) return;
    const std::optional<ProcedureCode> optimised = code->optimise({});
    ASSERT_TRUE(optimised);
    expect_as_interpreted(random, procedures, kept, *optimised);
  }

 private:
  void expect_as_interpreted(RandomProcedures& random, const std::vector<Procedure>& procedures,
                             const std::vector<bool>& kept, const ProcedureCode& code) {
    for (std::size_t i = 0; i < procedures.size(); ++i) {
      for (int point = 0; point < 5; ++point) {
        std::vector<double> symbols(random.symbols());
        for (double& value : symbols) value = random.below(50);
        const std::vector<double> expected = interpreted(procedures[i], symbols);
        code.function(i)(symbols.data());
        for (std::size_t k = 0; k < symbols.size(); ++k) {
          if (kept[k]) {
            ASSERT_EQ(symbols[k], expected[k]) << fmt::format("{}: symbol {}", i, k);
          }
        }
      }
    }
  }
};

TEST_F(RandomProceduresTest, AgreeWithTheInterpreter) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomProcedures random(arena_, seed);
    std::vector<Procedure> procedures;
    while (procedures.size() < 50) {
      Procedure procedure = random.make();
      if (is_short(procedure)) procedures.push_back(std::move(procedure));
    }
    expect_as_interpreted(random, procedures, seed % 2 == 0);
  }
}

TEST_F(RandomProceduresTest, AgreeWithTheInterpreterWhereTheyAreLong) {
  for (unsigned seed = 21; seed <= 22; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomProcedures random(arena_, seed);
    std::vector<Procedure> procedures;
    while (procedures.size() < 2) procedures.push_back(random.make_long());
    expect_as_interpreted(random, procedures, seed % 2 == 0);
  }
}

// Long, with all operations that compilers like to replace: products and sums that could be
// contracted, powers of 2, sines next to cosines, quotients, minima.
class LongProcedureTest : public ProcedureCodeTest {
 protected:
  static constexpr std::size_t symbols = 1200;

  void SetUp() override {
    const auto older = [&](std::size_t i, std::size_t back) {
      return symbol(static_cast<std::uint32_t>(i - back));
    };
    procedure_ = {assign({})};
    for (std::size_t i = 8; i < symbols; ++i) {
      procedure_[0].assignments.push_back(
          {SymbolId(i), value(i, older(i, 1 + i % 3), older(i, 3 + i % 5), older(i, 8))});
    }
    ASSERT_FALSE(is_short(procedure_));
  }
  ProcedureCode compile(const CodeCache& cache = {}) {
    Result<ProcedureCode> code =
        ProcedureCode::compile(arena_, {&procedure_}, std::vector<bool>(symbols, true), cache);
    if (!code) throw Failure(code.error());
    return std::move(*code);
  }
  static std::vector<double> results(const ProcedureCode& code) {
    std::vector<double> values(symbols, 0.0);
    for (std::size_t i = 0; i < 8; ++i) values[i] = 0.3 + 0.17 * static_cast<double>(i);
    code.function(0)(values.data());
    return values;
  }

  Procedure procedure_;

 private:
  ExprId value(std::size_t i, ExprId a, ExprId b, ExprId c) {
    switch (i % 7) {
      case 0:
        return plus(arena_.make(Op::Sin, a), arena_.make(Op::Cos, a));
      case 1:
        return arena_.make(Op::Power, constant(2), arena_.make(Op::Sin, b));
      case 2:
        return arena_.divide(a, plus(constant(1), times(b, b)));
      case 3:
        return arena_.make(Op::Min, a, times(constant(0.7), c));
      case 4:
        return arena_.make(Op::Power, plus(constant(1), times(a, a)), constant(0.3));
      default:
        return arena_.make(Op::Sin, arena_.subtract(times(a, b), times(b, c)));
    }
  }
};

TEST_F(LongProcedureTest, OptimisedGivesTheSameBits) {
  const ProcedureCode quick = compile();
  ASSERT_FALSE(quick.is_optimised());
  const std::optional<ProcedureCode> optimised = quick.optimise({});
  ASSERT_TRUE(optimised);
  EXPECT_TRUE(optimised->is_optimised());
  EXPECT_NE(optimised->function(0), quick.function(0));
  EXPECT_EQ(results(*optimised), results(quick));
  EXPECT_GT(std::abs(results(quick).back()), 1e-3);  // something was computed
}

TEST_F(LongProcedureTest, OptimisingEndsWhereItIsToldTo) {
  const std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(compile().optimise(stop.get_token()));
}

TEST_F(LongProcedureTest, IsOptimisedAtOnceWhereTheCacheHasThat) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("daedalus_" + digest("long procedures"));
  fs::remove_all(folder);
  const CodeCache cache(folder.string());
  const ProcedureCode quick = compile(cache);
  EXPECT_FALSE(compile(cache).is_optimised());
  ASSERT_TRUE(quick.optimise({}, cache));
  const ProcedureCode found = compile(cache);
  EXPECT_TRUE(found.is_optimised());
  EXPECT_EQ(results(found), results(quick));
  fs::remove_all(folder);
}

TEST_F(ProcedureCodeTest, CodeFromTheCacheIsTheSame) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("daedalus_" + digest("procedures"));
  fs::remove_all(folder);
  const CodeCache cache(folder.string());
  const Procedure procedure = RandomProcedures(arena_, 17).make();
  std::vector<double> symbols(60);
  for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i] = static_cast<double>(3 * i + 1);
  const std::vector<double> first = run(procedure, symbols, cache);
  const auto count = [&] {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator{});
  };
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(run(procedure, symbols, cache), first);
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(interpreted(procedure, symbols), first);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace daedalus::codegen
