// Multistep methods that solve their linear systems by iteration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "daedalus/base/archive.hpp"
#include "integrate/newton/solver_choice.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// u_t = u_xx + across u_yy - u^3 + sources that make sin(pi x) sin(pi y) cos(t) the solution of the
// equations on the grid, with u = 0 at the edge.
struct Plate {
  std::size_t side;
  double across = 1.0;
  double scale() const { return static_cast<double>((side + 1) * (side + 1)); }
  double shape(std::size_t k) const {
    const double h = std::numbers::pi / static_cast<double>(side + 1);
    const std::size_t column = k % side + 1, row = k / side + 1;
    return std::sin(static_cast<double>(column) * h) * std::sin(static_cast<double>(row) * h);
  }
  // Of the Laplace operator on the grid, for that shape.
  double eigenvalue() const {
    const double h = std::numbers::pi / static_cast<double>(side + 1);
    return scale() * (1.0 + across) * (2.0 * std::cos(h) - 2.0);
  }
  std::vector<double> at(double t) const {
    std::vector<double> u(side * side);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = shape(k) * std::cos(t);
    return u;
  }
  void slopes(double t, Vector u, Output dudt) const {
    for (std::size_t k = 0; k < u.size(); ++k) {
      const double along = (k % side > 0 ? u[k - 1] : 0.0) + (k % side + 1 < side ? u[k + 1] : 0.0);
      const double beside =
          (k >= side ? u[k - side] : 0.0) + (k + side < u.size() ? u[k + side] : 0.0);
      const double exact = shape(k) * std::cos(t);
      dudt[k] = scale() * (along + across * beside - 2.0 * (1.0 + across) * u[k]) -
                u[k] * u[k] * u[k] - eigenvalue() * exact + exact * exact * exact -
                shape(k) * std::sin(t);
    }
  }
};

Functions plate(std::size_t side) {
  const Plate shape{side};
  linalg::Sparsity pattern{.size = side * side};
  for (std::size_t k = 0; k < pattern.size; ++k) {
    const auto add = [&](std::size_t i) { pattern.rows.push_back(static_cast<int>(i)); };
    if (k >= side) add(k - side);
    if (k % side > 0) add(k - 1);
    add(k);
    if (k % side + 1 < side) add(k + 1);
    if (k + side < pattern.size) add(k + side);
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return {.size = pattern.size,
          .f = [=](double t, Vector u, Output dudt) { shape.slopes(t, u, dudt); },
          .jacobian =
              [=](double, Vector u, Output values) {
                for (std::size_t j = 0; j < pattern.size; ++j) {
                  for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
                    const bool is_diagonal = pattern.rows[k] == static_cast<int>(j);
                    values[k] =
                        is_diagonal ? -4.0 * shape.scale() - 3.0 * u[j] * u[j] : shape.scale();
                  }
                }
              },
          .pattern = pattern};
}

double error_of(const Solved& solved, const Plate& shape, double t) {
  const std::vector<double> exact = shape.at(t);
  double worst = 0.0;
  for (std::size_t k = 0; k < exact.size(); ++k)
    worst = std::max(worst, std::abs(solved.y[k] - exact[k]));
  return worst;
}

Options until_two(LinearSolver solver, double rtol = 1e-7) {
  return {.stop = 2.0, .rtol = rtol, .atol = {rtol}, .linear_solver = solver};
}

TEST(Krylov, TakesTheStepsOfElimination) {
  const Plate shape{20};
  for (const char* method : {"bdf", "ndf", "gear"}) {
    const Solved direct = solve(method, plate(20), shape.at(0.0), until_two(LinearSolver::Direct));
    const Solved krylov = solve(method, plate(20), shape.at(0.0), until_two(LinearSolver::Krylov));
    ASSERT_TRUE(krylov.outcome.finished()) << krylov.outcome.message;
    EXPECT_LT(error_of(krylov, shape, 2.0), 3e-6) << method;
    EXPECT_EQ(direct.statistics.linear_iterations, 0U);
    EXPECT_GT(krylov.statistics.linear_iterations, krylov.statistics.linear_solves);
    EXPECT_LT(krylov.statistics.linear_iterations, 8 * krylov.statistics.linear_solves) << method;
    EXPECT_LT(krylov.statistics.steps, 1.2 * static_cast<double>(direct.statistics.steps));
  }
}

TEST(Krylov, NeedsNoMatrix) {
  const Plate shape{12};
  Functions functions = plate(12);
  functions.jacobian = nullptr;
  functions.pattern.reset();
  const Solved solved =
      solve("ndf", functions, shape.at(0.0), until_two(LinearSolver::Krylov, 1e-5));
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(error_of(solved, shape, 2.0), 3e-4);
  EXPECT_EQ(solved.statistics.jac_evals, 0U);
  EXPECT_GT(solved.statistics.linear_iterations, 0U);
}

// The same equations, multiplied by 2 as a mass matrix and as a residual.
TEST(Krylov, SolvesEquationsOfEveryForm) {
  const Plate shape{8};
  const std::size_t n = 64;
  Functions with_mass = plate(8);
  with_mass.mass = linalg::SparseMatrix{.pattern = {.size = n}, .values = std::vector(n, 2.0)};
  for (std::size_t k = 0; k < n; ++k) {
    with_mass.mass->pattern.rows.push_back(static_cast<int>(k));
    with_mass.mass->pattern.starts.push_back(static_cast<int>(k + 1));
  }
  with_mass.f = [shape](double t, Vector u, Output dudt) {
    shape.slopes(t, u, dudt);
    for (double& value : dudt) value *= 2.0;
  };
  with_mass.jacobian = [inner = plate(8).jacobian](double t, Vector u, Output values) {
    inner(t, u, values);
    for (double& value : values) value *= 2.0;
  };
  const Functions residual = {.size = n,
                              .residual = [shape](double t, Vector u, Vector slope, Output left) {
                                shape.slopes(t, u, left);
                                for (std::size_t k = 0; k < left.size(); ++k)
                                  left[k] = slope[k] - left[k];
                              }};
  for (const Functions& functions : {with_mass, residual}) {
    const Solved solved =
        solve("bdf", functions, shape.at(0.0), until_two(LinearSolver::Krylov, 1e-5));
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_LT(error_of(solved, shape, 2.0), 3e-4);
    EXPECT_GT(solved.statistics.linear_iterations, 0U);
  }
}

// Lines of the grid, solved exactly; what couples them is left to the iteration.
struct Lines {
  Plate shape;
  std::size_t prepared = 0;
  double alpha = 0.0;
  std::vector<double> diagonal = {};  // of the factors

  void prepare(Vector u, double of_alpha) {
    ++prepared;
    alpha = of_alpha;
    diagonal.resize(u.size());
    for (std::size_t k = 0; k < u.size(); ++k) {
      diagonal[k] = alpha + 2.0 * (1.0 + shape.across) * shape.scale() + 3.0 * u[k] * u[k];
      if (k % shape.side > 0) diagonal[k] -= shape.scale() * shape.scale() / diagonal[k - 1];
    }
  }
  void solve(Output x) const {
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (k % shape.side > 0) x[k] += shape.scale() * x[k - 1] / diagonal[k - 1];
    }
    for (std::size_t k = x.size(); k-- > 0;) {
      if (k % shape.side + 1 < shape.side) x[k] += shape.scale() * x[k + 1];
      x[k] /= diagonal[k];
    }
  }
};

TEST(Krylov, TakesAPreconditionerOfTheUser) {
  const Plate shape{.side = 30, .across = 1e-3};
  Functions without = {.size = 900,
                       .f = [=](double t, Vector u, Output dudt) { shape.slopes(t, u, dudt); }};
  Lines lines{shape};
  Functions with = without;
  with.prepare_preconditioner = [&](double, Vector u, double alpha) { lines.prepare(u, alpha); };
  with.precondition = [&](double, Vector, double, Output x) { lines.solve(x); };
  // Nothing else needs to be said.
  const Solved helped = solve("ndf", with, shape.at(0.0), until_two(LinearSolver::Suitable, 1e-5));
  const Solved alone = solve("ndf", without, shape.at(0.0), until_two(LinearSolver::Krylov, 1e-5));
  ASSERT_TRUE(helped.outcome.finished()) << helped.outcome.message;
  EXPECT_LT(error_of(helped, shape, 2.0), 3e-4);
  EXPECT_GT(lines.prepared, 3U);
  EXPECT_EQ(lines.prepared, helped.statistics.factorizations);
  EXPECT_LT(helped.statistics.linear_iterations, 3 * helped.statistics.linear_solves);
  EXPECT_LT(2 * helped.statistics.linear_iterations, alone.statistics.linear_iterations);
}

// As restored: the preconditioner is prepared again where it was.
TEST(Krylov, GoesOnToTheSameBits) {
  const Plate shape{10};
  for (const bool has_matrix : {true, false}) {
    Lines lines{shape};
    Functions functions = plate(10);
    if (!has_matrix) {
      functions.jacobian = nullptr;
      functions.pattern.reset();
      functions.prepare_preconditioner = [&](double, Vector u, double alpha) {
        lines.prepare(u, alpha);
      };
      functions.precondition = [&](double, Vector, double, Output x) { lines.solve(x); };
    }
    const FunctionSystem system(functions);
    const auto make = [&] {
      return make_integrator("ndf", system, until_two(LinearSolver::Krylov, 1e-5)).value();
    };
    const auto whole = make(), other = make();
    ASSERT_FALSE(whole->start(shape.at(0.0)));
    for (int i = 0; i < 15; ++i) ASSERT_FALSE(whole->advance());
    Archive written;
    whole->archive(written);
    while (!whole->advance()) {
    }
    lines.diagonal.clear();
    ASSERT_FALSE(other->start(shape.at(0.0)));
    Archive read(written.bytes());
    other->archive(read);
    while (!other->advance()) {
    }
    EXPECT_TRUE(std::ranges::equal(whole->state(), other->state()));
    EXPECT_EQ(whole->statistics().linear_iterations, other->statistics().linear_iterations);
  }
}

// Rotation, far faster than the motion: incomplete factors are of no use.
TEST(Krylov, LeavesToEliminationWhatItCannotSolve) {
  constexpr std::size_t side = 40;
  Functions functions = plate(side);
  const linalg::Sparsity pattern = *functions.pattern;
  const auto rotation = [](int row, std::size_t column) {
    const int j = static_cast<int>(column);
    return row == j ? -1.0 : row < j ? 1e5 : -1e5;
  };
  functions.jacobian = [=](double, Vector, Output values) {
    for (std::size_t j = 0; j < pattern.size; ++j) {
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k)
        values[k] = rotation(pattern.rows[k], j);
    }
  };
  functions.f = [=](double t, Vector u, Output dudt) {
    std::ranges::fill(dudt, std::cos(t));
    for (std::size_t j = 0; j < pattern.size; ++j) {
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k)
        dudt[pattern.rows[k]] += rotation(pattern.rows[k], j) * u[j];
    }
  };
  ASSERT_EQ(choose_newton_solver(FunctionSystem(functions), LinearSolver::Suitable).solver,
            NewtonSolver::Krylov);
  const std::vector<double> start(functions.size, 0.0);
  // Of order 2, since higher ones are unstable there.
  Options options{.stop = 2.0, .rtol = 1e-3, .atol = {1e-3}, .max_attempts = 3000};
  const Solved left = solve("bdf2", functions, start, options);
  options.linear_solver = LinearSolver::Direct;
  const Solved direct = solve("bdf2", functions, start, options);
  ASSERT_TRUE(direct.outcome.finished()) << direct.outcome.message;
  ASSERT_TRUE(left.outcome.finished()) << left.outcome.message;
  EXPECT_GE(left.statistics.rejected_newton, 3U);
  EXPECT_LT(left.statistics.linear_iterations, 300U);
  // Another run begins as the first one did.
  options.linear_solver = LinearSolver::Suitable;
  const FunctionSystem system(functions);
  const auto integrator = make_integrator("bdf2", system, options).value();
  std::vector<double> first = start, second = start;
  Keeper kept;
  integrator->run(first, kept);
  const std::size_t iterations = integrator->statistics().linear_iterations;
  integrator->run(second, kept);
  EXPECT_EQ(integrator->statistics().linear_iterations, iterations);
  EXPECT_EQ(first, second);
}

TEST(Krylov, IsRefusedByMethodsThatEliminate) {
  const FunctionSystem system(plate(4));
  for (const char* method : {"radau5", "dopri5", "adams", "rodas5p", "rbdf61"}) {
    const auto refused = make_integrator(method, system, {.linear_solver = LinearSolver::Krylov});
    ASSERT_FALSE(refused.has_value()) << method;
    EXPECT_THAT(refused.error().message, testing::HasSubstr("by iteration"));
  }
}

TEST(ChooseNewtonSolver, CountsOperations) {
  const auto choose = [](Functions functions) {
    return choose_newton_solver(FunctionSystem(std::move(functions)), LinearSolver::Suitable)
        .solver;
  };
  EXPECT_EQ(choose(plate(10)), NewtonSolver::Direct);
  EXPECT_EQ(choose(plate(60)), NewtonSolver::Krylov);
  EXPECT_EQ(choose(heat(5000)), NewtonSolver::Direct);  // a band
  Functions unknown = {.size = 3000, .f = [](double, Vector, Output) {}};
  EXPECT_EQ(choose(unknown), NewtonSolver::MatrixFree);
  unknown.size = 1000;
  EXPECT_EQ(choose(unknown), NewtonSolver::Direct);
}

}  // namespace
}  // namespace daedalus::integrate
