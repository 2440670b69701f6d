#include "runtime/block_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::runtime {
namespace {

using structure::Block;
using structure::VariableId;
using System = std::function<void(const double* x, double* f)>;

// A block of n dense equations in x[0..n): the residuals and, column by column, their derivatives.
class Solver {
 public:
  Solver(std::size_t n, bool linear, System residuals, System jacobian) {
    block.linear = linear;
    for (std::uint32_t column = 0; column < n; ++column) {
      block.tearing.emplace_back(column);
      for (std::uint32_t row = 0; row < n; ++row) block.entries.push_back({row, column});
    }
    functions.residuals = [residuals = std::move(residuals)](double* at, double* f) {
      residuals(at, f);
    };
    functions.jacobian = [jacobian = std::move(jacobian)](double* at, double* f) {
      jacobian(at, f);
    };
    attributes.resize(n);
    memory = std::make_unique<BlockMemory>(block);
  }

  BlockStatus operator()(std::vector<double> start) {
    x = std::move(start);
    return again();
  }
  BlockStatus again() { return solve_block(block, functions, attributes, x.data(), *memory); }

  Block block;
  BlockFunctions functions;
  std::vector<structure::Attributes> attributes;
  std::unique_ptr<BlockMemory> memory;
  std::vector<double> x;
};

Solver matrix(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t n = b.size();
  return Solver(
      n, true,
      [a, b, n](const double* x, double* f) {
        for (std::size_t i = 0; i < n; ++i) {
          f[i] = -b[i];
          for (std::size_t j = 0; j < n; ++j) f[i] += a[i * n + j] * x[j];
        }
      },
      [a, n](const double*, double* f) {
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t i = 0; i < n; ++i) f[j * n + i] = a[i * n + j];
        }
      });
}

Solver scalar(std::function<double(double)> f, std::function<double(double)> slope) {
  return Solver(
      1, false, [f = std::move(f)](const double* x, double* r) { r[0] = f(x[0]); },
      [slope = std::move(slope)](const double* x, double* r) { r[0] = slope(x[0]); });
}

TEST(BlockSolver, SolvesALinearSystemToTheLastDigits) {
  Solver solver = matrix({4, 1, 2, 1, 5, 3, 2, 3, 6}, {12, 20, 26});
  ASSERT_EQ(solver({0, 0, 0}), BlockStatus::Solved);
  EXPECT_NEAR(solver.x[0], 1.0, 1e-15);
  EXPECT_NEAR(solver.x[1], 2.0, 1e-15);
  EXPECT_NEAR(solver.x[2], 3.0, 2e-15);
}

TEST(BlockSolver, SolvesALinearSystemToTheSameBitsFromAnyGuess) {
  Solver solver = matrix({1e-5, 1, 0.3, 1, 1e5, 0.7, 0.3, 0.7, 221.3}, {22.27, 0.1, 1.0 / 3.0});
  ASSERT_EQ(solver({0, 0, 0}), BlockStatus::Solved);
  const std::vector<double> first = solver.x;
  for (const double guess : {1.0, -0.1, 1e5, 1.0 / 3.0}) {
    ASSERT_EQ(solver({guess, -guess, 7 * guess}), BlockStatus::Solved);
    EXPECT_EQ(solver.x, first) << guess;
  }
}

TEST(BlockSolver, SolvesALinearSystemOfAnyScale) {
  Solver solver = matrix({1e-12, 2e8, 3e-12, -1e8}, {1e-4 + 2e4, 3e-4 - 1e4});  // x = 1e8, 1e-4
  ASSERT_EQ(solver({0, 0}), BlockStatus::Solved);
  EXPECT_NEAR(solver.x[0] / 1e8, 1.0, 1e-7);  // rounding of b alone
  EXPECT_NEAR(solver.x[1] / 1e-4, 1.0, 1e-14);
}

TEST(BlockSolver, PivotsWhereTheDiagonalIsZero) {
  Solver solver = matrix({0, 1, 1, 0}, {2, 3});
  ASSERT_EQ(solver({7, 7}), BlockStatus::Solved);
  EXPECT_EQ(solver.x, (std::vector<double>{3, 2}));
}

TEST(BlockSolver, CallsALinearSystemWithoutFullRankSingular) {
  EXPECT_EQ(matrix({1, 2, 2, 4}, {1, 2})({0, 0}), BlockStatus::Singular);
  EXPECT_EQ(matrix({1, 2, 2, 4}, {1, 3})({0, 0}), BlockStatus::Singular);
  EXPECT_EQ(matrix({0, 0, 1, 1}, {0, 1})({0, 0}), BlockStatus::Singular);
  EXPECT_EQ(matrix({0.1, 0.3, 0.1 * 3, 0.3 * 3}, {1, 2})({0, 0}), BlockStatus::Singular);
}

TEST(BlockSolver, SolvesANearlySingularSystemOrSaysSo) {
  for (const double gap : {1e-3, 1e-6, 1e-8}) {
    Solver solver = matrix({1, 1, 1, 1 + gap}, {2, 2 + gap});
    ASSERT_EQ(solver({0, 0}), BlockStatus::Solved) << gap;
    EXPECT_NEAR(solver.x[0], 1.0, 1e-15 / gap) << gap;
    EXPECT_NEAR(solver.x[1], 1.0, 1e-15 / gap) << gap;
  }
  EXPECT_EQ(matrix({1, 1, 1, 1 + 1e-16}, {2, 2})({0, 0}), BlockStatus::Singular);
}

TEST(BlockSolver, FindsARootToTheLastDigits) {
  Solver solver = scalar([](double x) { return x * x - 2; }, [](double x) { return 2 * x; });
  ASSERT_EQ(solver({1}), BlockStatus::Solved);
  EXPECT_NEAR(solver.x[0], std::sqrt(2.0), 1e-15);
  ASSERT_EQ(solver({-30}), BlockStatus::Solved);
  EXPECT_NEAR(solver.x[0], -std::sqrt(2.0), 1e-15);
}

TEST(BlockSolver, DampsWhereFullStepsDiverge) {
  Solver atan =
      scalar([](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); });
  ASSERT_EQ(atan({20}), BlockStatus::Solved);
  EXPECT_NEAR(atan.x[0], 0.0, 1e-15);
  // A diode in series with a resistor: 10 = 1000 i + u, i = 1e-12 (exp(40 u) - 1)
  const auto current = [](double u) { return 1e-12 * std::expm1(40 * u); };
  Solver diode = scalar([=](double u) { return 1000 * current(u) + u - 10; },
                        [](double u) { return 1000 * 40e-12 * std::exp(40 * u) + 1; });
  for (const double start : {0.0, 0.7, -5.0, 5.0}) {
    ASSERT_EQ(diode({start}), BlockStatus::Solved) << start;
    EXPECT_NEAR(diode.x[0], 0.5741679960692395, 1e-14) << start;
  }
}

TEST(BlockSolver, ComesBackFromWhereTheResidualIsNotDefined) {
  Solver solver = scalar([](double x) { return std::log(x) + 1; }, [](double x) { return 1 / x; });
  ASSERT_EQ(solver({5}), BlockStatus::Solved);
  EXPECT_NEAR(solver.x[0], std::exp(-1.0), 1e-15);
}

TEST(BlockSolver, SaysThatThereIsNoSolution) {
  Solver square = scalar([](double x) { return x * x + 1; }, [](double x) { return 2 * x; });
  EXPECT_NE(square({1}), BlockStatus::Solved);
  EXPECT_NE(square({0.3}), BlockStatus::Solved);
  Solver exponential =
      scalar([](double x) { return std::exp(x); }, [](double x) { return std::exp(x); });
  EXPECT_NE(exponential({0}), BlockStatus::Solved);
  Solver undefined = scalar([](double) { return std::nan(""); }, [](double) { return 1.0; });
  EXPECT_EQ(undefined({0}), BlockStatus::NotFinite);
}

TEST(BlockSolver, CallsAFlatJacobianSingular) {
  Solver flat = scalar([](double x) { return x * x * x - 1; }, [](double x) { return 3 * x * x; });
  EXPECT_EQ(flat({0}), BlockStatus::Singular);
}

TEST(BlockSolver, BeginsAgainWhereItBeganAfterAFailure) {
  const auto level = std::make_shared<double>(-1.0);
  Solver solver =
      scalar([level](double x) { return x * x - *level; }, [](double x) { return 2 * x; });
  ASSERT_NE(solver({-3}), BlockStatus::Solved);
  *level = 4;
  ASSERT_EQ(solver.again(), BlockStatus::Solved);
  EXPECT_NEAR(solver.x[0], -2.0, 1e-15);  // still the branch of the start value
}

TEST(BlockSolver, SolvesACoupledNonlinearSystem) {
  Solver solver(
      2, false,
      [](const double* x, double* f) {
        f[0] = x[0] * x[0] + x[1] * x[1] - 5;
        f[1] = x[0] * x[1] - 2;
      },
      [](const double* x, double* f) {
        f[0] = 2 * x[0];
        f[1] = x[1];
        f[2] = 2 * x[1];
        f[3] = x[0];
      });
  ASSERT_EQ(solver({3, 0.5}), BlockStatus::Solved);
  EXPECT_NEAR(solver.x[0], 2.0, 1e-14);
  EXPECT_NEAR(solver.x[1], 1.0, 1e-14);
}

}  // namespace
}  // namespace daedalus::runtime
