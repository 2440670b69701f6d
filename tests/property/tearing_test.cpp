// Blocks solved torn and whole: the same solution to rounding.
#include "structure/passes/tearing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "daedalus/expr/tape.hpp"
#include "runtime/block_solver.hpp"
#include "structure/passes/passes_test_support.hpp"

namespace daedalus {
namespace {

using expr::ExprId;
using expr::Op;
using structure::Block;
using structure::Tearing;
using structure::VariableId;
using structure::testing_support::Builder;

// Equations in the unknowns x1 .. xn, each `row = 0`.
struct Equations {
  explicit Equations(std::size_t n) : attributes(n + 1) {
    for (std::size_t i = 1; i <= n; ++i) x.push_back(build.variable(fmt::format("x{}", i)));
  }
  void add(ExprId row) { build.equation(row, build.number(0)); }

  Builder build;
  std::vector<VariableId> x;
  std::vector<structure::Attributes> attributes;
};

struct Solved {
  std::vector<double> x;
  std::size_t iterates_on = 0;
  runtime::BlockStatus status = runtime::BlockStatus::Solved;
};

runtime::KernelFunction interpreted(const expr::Arena& arena, const structure::Kernel& kernel,
                                    std::size_t symbols) {
  const auto tape = std::make_shared<expr::Tape>();
  for (const structure::Assignment& a : kernel.assignments) tape->assign(arena, a.target, a.value);
  for (const ExprId id : kernel.outputs) tape->output(arena, id);
  return [tape, symbols, outputs = kernel.outputs.size()](double* values, double* results) {
    tape->run({values, symbols}, {results, outputs});
  };
}

// Sorts, tears and solves the equations from start values of 0.
Solved solve(Equations equations, Tearing tearing) {
  model::FlatModel& flat = equations.build.flat;
  std::size_t symbol_count = flat.variables.size();
  const std::vector<double> values(symbol_count, 0.0);
  expr::Walker walker;
  std::vector<structure::ExprId> pivots;
  const structure::TearingContext context{
      flat, values, equations.attributes, symbol_count, walker, pivots, tearing};
  const structure::EquationSystem system =
      structure::make_system(flat, flat.equations, equations.x);
  std::vector<Block> blocks =
      structure::sort_into_blocks(system, structure::maximum_matching(system.incidence));
  for (Block& block : blocks) {
    structure::tear(system, block, context);
    structure::differentiate_residuals(block, context);
  }
  Solved solved;
  std::vector<double> symbols(symbol_count, 0.0);
  for (const Block& block : blocks) {
    const structure::Kernel residuals{block.assignments, block.residuals};
    const runtime::BlockFunctions functions{interpreted(flat.arena, residuals, symbol_count),
                                            interpreted(flat.arena, block.jacobian, symbol_count)};
    if (block.is_explicit()) {
      functions.residuals(symbols.data(), nullptr);
      continue;
    }
    runtime::BlockMemory memory(block);
    solved.status =
        runtime::solve_block(block, functions, equations.attributes, symbols.data(), memory);
    solved.iterates_on += block.tearing.size();
    if (solved.status != runtime::BlockStatus::Solved) return solved;
  }
  for (const VariableId id : equations.x) solved.x.push_back(symbols[index(id)]);
  return solved;
}

// The largest difference, relative to the largest value.
double difference(const Solved& a, const Solved& b) {
  double largest = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    largest = std::max(largest, std::fabs(a.x[i] - b.x[i]));
    size = std::max(size, std::fabs(b.x[i]));
  }
  return largest / size;
}

struct Mixture {
  std::size_t unknowns = 0;
  double others = 0.0;     // unknowns in an equation besides its own
  double nonlinear = 0.0;  // share of terms that are not linear
};

// Rows whose own coefficient outweighs the others: the condition is below ten.
Equations random_equations(std::mt19937& random, const Mixture& mixture) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  Equations equations(mixture.unknowns);
  Builder& build = equations.build;
  std::bernoulli_distribution is_nonlinear(mixture.nonlinear);
  for (std::size_t i = 0; i < mixture.unknowns; ++i) {
    const auto count = static_cast<std::size_t>(mixture.others * uniform(0.5, 1.5));
    ExprId row = build.sum(build.number(uniform(-1, 1)), build(equations.x[i]));
    for (std::size_t k = 0; k <= count; ++k) {
      // The neighbour joins all into one block.
      const std::size_t j = k == 0 ? (i + 1) % mixture.unknowns : random() % mixture.unknowns;
      if (j == i) continue;
      const ExprId x = build(equations.x[j]);
      const ExprId term = is_nonlinear(random) ? build.call(Op::Sin, x) : x;
      const double weight = uniform(0.1, 0.8) / static_cast<double>(count + 1);
      row = build.sum(row, build.product(build.number(random() % 2 ? weight : -weight), term));
    }
    equations.add(row);
  }
  return equations;
}

void compare(const Mixture& mixture, unsigned seed, double tolerance) {
  std::mt19937 random(seed);
  double worst = 0.0;
  std::size_t torn_unknowns = 0, whole_unknowns = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Equations equations = random_equations(random, mixture);
    const Solved torn = solve(equations, Tearing::WhereItPays);
    const Solved whole = solve(equations, Tearing::Never);
    ASSERT_EQ(torn.status, runtime::BlockStatus::Solved) << "trial " << trial;
    ASSERT_EQ(whole.status, runtime::BlockStatus::Solved) << "trial " << trial;
    worst = std::max(worst, difference(torn, whole));
    torn_unknowns += torn.iterates_on;
    whole_unknowns += whole.iterates_on;
  }
  fmt::print(
      "{} unknowns, {:g} others, {:g} nonlinear: iterates on {:.2f} of {:.2f}, differ by {:.1e}\n",
      mixture.unknowns, mixture.others, mixture.nonlinear, static_cast<double>(torn_unknowns) / 300,
      static_cast<double>(whole_unknowns) / 300, worst);
  EXPECT_LT(worst, tolerance);
  EXPECT_LT(torn_unknowns, whole_unknowns);
}

TEST(TornAgainstWhole, LinearBlocksAgreeToRounding) {
  compare({.unknowns = 4, .others = 1}, 1, 2e-13);
  compare({.unknowns = 12, .others = 1}, 2, 2e-13);
  compare({.unknowns = 12, .others = 4}, 3, 2e-13);
  compare({.unknowns = 20, .others = 2}, 4, 2e-13);
  compare({.unknowns = 60, .others = 0}, 5, 2e-13);
}

TEST(TornAgainstWhole, NonlinearBlocksAgreeToRounding) {
  compare({.unknowns = 4, .others = 1, .nonlinear = 0.3}, 6, 2e-13);
  compare({.unknowns = 12, .others = 1, .nonlinear = 0.3}, 7, 2e-13);
  compare({.unknowns = 12, .others = 4, .nonlinear = 0.5}, 8, 2e-13);
  compare({.unknowns = 20, .others = 2, .nonlinear = 0.3}, 9, 2e-13);
}

}  // namespace
}  // namespace daedalus
