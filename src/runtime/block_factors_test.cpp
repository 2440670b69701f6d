#include "runtime/block_factors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "runtime/block_solver.hpp"

namespace daedalus::runtime {
namespace {

using structure::Block;
using structure::VariableId;

// lower x_i-1 + diagonal x_i + upper x_i+1 + bend x_i^3 = right_i; symbol n is the diagonal.
class Band {
 public:
  Band(std::size_t n, bool sparse, double bend = 0.0) : right(n, 1.0), x(n + 1, 0.0), n_(n) {
    for (std::uint32_t i = 0; i < n; ++i) {
      block.tearing.emplace_back(i);
      if (i > 0) block.entries.push_back({i, i - 1});
      block.entries.push_back({i, i});
      if (i + 1 < n) block.entries.push_back({i, i + 1});
    }
    block.linear = bend == 0.0;
    block.constant = block.linear;
    block.sparse = sparse;
    block.coefficients = {structure::SymbolId(n)};
    attributes.resize(n);
    x[n] = 4.0;
    functions.residuals = [this, bend](double* at, double* f) {
      for (std::size_t i = 0; i < n_; ++i) {
        f[i] = at[n_] * at[i] + bend * std::pow(at[i], 3) - right[i];
        if (i > 0) f[i] += lower * at[i - 1];
        if (i + 1 < n_) f[i] += upper * at[i + 1];
      }
    };
    functions.jacobian = [this, bend](double* at, double* entry) {
      ++jacobians;
      for (std::size_t i = 0; i < n_; ++i) {
        if (i > 0) *entry++ = lower;
        *entry++ = at[n_] + 3 * bend * at[i] * at[i];
        if (i + 1 < n_) *entry++ = upper;
      }
    };
    memory = std::make_unique<BlockMemory>(block);
  }
  Band(const Band&) = delete;

  BlockStatus solve() { return solve_block(block, functions, attributes, x.data(), *memory); }
  double largest_residual() {
    std::vector<double> f(n_);
    functions.residuals(x.data(), f.data());
    double largest = 0.0;
    for (const double value : f) largest = std::max(largest, std::fabs(value));
    return largest;
  }

  Block block;
  BlockFunctions functions;
  std::vector<structure::Attributes> attributes;
  std::unique_ptr<BlockMemory> memory;
  std::vector<double> right, x;
  double lower = -1.0, upper = -1.5;
  int jacobians = 0;

 private:
  std::size_t n_;
};

TEST(BlockFactors, SparseAndDenseGiveTheSame) {
  Band sparse(300, true), dense(300, false);
  ASSERT_EQ(sparse.solve(), BlockStatus::Solved);
  ASSERT_EQ(dense.solve(), BlockStatus::Solved);
  EXPECT_LT(sparse.largest_residual(), 1e-14);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(sparse.x[i], dense.x[i], 1e-15);
}

TEST(BlockFactors, SparseSystemsOfAnyScale) {
  Band band(100, true);
  band.x.back() = 4e12;
  band.lower = band.upper = -1e12;
  ASSERT_EQ(band.solve(), BlockStatus::Solved);
  EXPECT_LT(band.largest_residual(), 1e-14);
}

TEST(BlockFactors, SparseNonlinearSystemsConverge) {
  Band band(300, true, 0.5);
  for (std::size_t i = 0; i < 300; ++i) band.right[i] = std::sin(static_cast<double>(i));
  ASSERT_EQ(band.solve(), BlockStatus::Solved);
  EXPECT_LT(band.largest_residual(), 1e-14);
}

TEST(BlockFactors, SparseSystemsWithoutFullRankAreSingular) {
  for (const bool sparse : {true, false}) {
    // Eigenvalues 2 cos(k pi / (n + 1)) + diagonal: k = 50 of n = 99 makes one of them 0.
    Band band(99, sparse);
    band.lower = band.upper = 1.0;
    band.x.back() = 0.0;
    EXPECT_EQ(band.solve(), BlockStatus::Singular) << sparse;
  }
}

TEST(BlockFactors, OfConstantCoefficientsAreFoundOnce) {
  for (const bool sparse : {true, false}) {
    Band band(50, sparse);
    for (int time = 0; time < 10; ++time) {
      band.right.assign(50, time);
      ASSERT_EQ(band.solve(), BlockStatus::Solved);
      EXPECT_LT(band.largest_residual(), 2e-14);
    }
    EXPECT_EQ(band.jacobians, 1);
    EXPECT_EQ(band.memory->factors.factorizations(), 1U);
    band.x.back() = 5.0;  // a parameter has another value
    ASSERT_EQ(band.solve(), BlockStatus::Solved);
    EXPECT_LT(band.largest_residual(), 2e-14);
    EXPECT_EQ(band.jacobians, 2);
  }
}

TEST(BlockFactors, AreNotKeptAfterAFailure) {
  Band band(99, true);
  ASSERT_EQ(band.solve(), BlockStatus::Solved);
  band.lower = band.upper = 1.0;
  band.x.back() = 0.0;
  ASSERT_EQ(band.solve(), BlockStatus::Singular);
  ASSERT_EQ(band.solve(), BlockStatus::Singular);
  band.x.back() = 4.0;
  ASSERT_EQ(band.solve(), BlockStatus::Solved);
  EXPECT_LT(band.largest_residual(), 1e-14);
}

}  // namespace
}  // namespace daedalus::runtime
