#include "integrate/automatic/members.hpp"

#include <gtest/gtest.h>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

Members members(Functions functions, const Options& options) {
  const FunctionSystem system(std::move(functions));
  return choose_members(system, options);
}

TEST(Members, FollowTheTolerance) {
  const Members loose = members(robertson(), {.rtol = 1e-3});
  EXPECT_EQ(loose.nonstiff, "tsit5");
  EXPECT_EQ(loose.stiff, "rodas5p");
  const Members usual = members(robertson(), {.rtol = 1e-5});
  EXPECT_EQ(usual.nonstiff, "dop853");
  EXPECT_EQ(usual.stiff, "rodas5p");
  const Members tight = members(robertson(), {.rtol = 1e-7});
  EXPECT_EQ(tight.nonstiff, "dop853");
  EXPECT_EQ(tight.stiff, "radau");
}

TEST(Members, AreOfLowerOrderWhereEventsCutTheStepsShort) {
  Functions with_events = robertson();
  with_events.events = system::EventFunctions{
      .settle = [](const system::Instant&, std::span<double>) { return system::Settling{}; }};
  EXPECT_EQ(members(with_events, {.rtol = 1e-6}).nonstiff, "tsit5");
  EXPECT_EQ(members(with_events, {.rtol = 1e-8}).nonstiff, "dop853");
  EXPECT_EQ(members(with_events, {.rtol = 1e-6}).stiff, "rodas5p");
}

TEST(Members, FollowTheFormOfTheSystem) {
  Functions with_mass = robertson();
  with_mass.mass = linalg::SparseMatrix{
      .pattern = {.size = 3, .starts = {0, 1, 2, 2}, .rows = {0, 1}}, .values = {1.0, 1.0}};
  EXPECT_EQ(members(with_mass, {.rtol = 1e-3}).nonstiff, "");
  EXPECT_EQ(members(with_mass, {.rtol = 1e-3}).stiff, "rodas5p");
  const Functions residual = {.size = 1, .residual = [](double, Vector y, Vector slope, Output r) {
                                r[0] = slope[0] + y[0];
                              }};
  EXPECT_EQ(members(residual, {.rtol = 1e-3}).nonstiff, "");
  EXPECT_EQ(members(residual, {.rtol = 1e-3}).stiff, "radau");
}

TEST(Members, OfLargeSparseSystemsFactorOneMatrix) {
  EXPECT_EQ(members(heat(1999), {.rtol = 1e-4}).stiff, "rodas5p");
  EXPECT_EQ(members(heat(2000), {.rtol = 1e-4}).stiff, "ndf");
}

TEST(Members, WithAFixedStepAreOneImplicitMethod) {
  const Members fixed = members(robertson(), {.fixed_step = 0.1});
  EXPECT_EQ(fixed.nonstiff, "");
  EXPECT_EQ(fixed.stiff, "radau5");
}

StepCosts costs(Functions functions, const Options& options) {
  const FunctionSystem system(std::move(functions));
  return step_costs(choose_members(system, options), system, options);
}

TEST(StepCosts, OfImplicitMethodsGrowFasterWithTheSize) {
  const auto dense = [](std::size_t n) {
    return Functions{
        .size = n, .f = [](double, Vector, Output) {}, .jacobian = [](double, Vector, Output) {}};
  };
  const StepCosts small = costs(dense(3), {.rtol = 1e-4});
  const StepCosts large = costs(dense(100), {.rtol = 1e-4});
  EXPECT_GT(small.stiff, small.nonstiff);
  EXPECT_LT(small.stiff, 10 * small.nonstiff);
  EXPECT_GT(large.stiff, 15 * large.nonstiff);
}

// n differences of f, or with a pattern as many as a row has entries.
TEST(StepCosts, CountTheDifferencesOfAJacobian) {
  Functions without = robertson();
  without.jacobian = nullptr;
  const Options options = {.rtol = 1e-4};
  const double given = costs(robertson(), options).stiff;
  EXPECT_NEAR(costs(without, options).stiff - given, 2 * (5.0 + 0.5 * 9), 1e-9);
  Functions diffusion = heat(100);
  const double differences = costs(diffusion, options).stiff;
  diffusion.jacobian = [](double, Vector, Output) {};
  EXPECT_NEAR(differences - costs(diffusion, options).stiff, 2 * (5.0 + 0.5 * 298), 1e-9);
}

}  // namespace
}  // namespace daedalus::integrate
