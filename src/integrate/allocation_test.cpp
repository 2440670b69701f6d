// Counts allocations: a run makes none between its first and its last step.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "integrate/test_support.hpp"
#include "integrate/test_tableaux.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

// Not inlined: GCC would warn that `free` is called on memory from `operator new`.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// Reads the counter at the first and at the last step.
struct Counter final : solution::Recorder {
  std::size_t at_start = 0;
  std::size_t at_last_step = 0;
  std::size_t steps = 0;
  std::vector<double> y = std::vector<double>(100);

  solution::Recording start(double, Vector) override {
    at_start = allocations;
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep& step) override {
    step.at(step.begin(), std::span(y).first(step.end_state().size()));
    at_last_step = allocations;
    ++steps;
    return solution::Recording::Continue;
  }
};

std::size_t allocations_in_the_loop(const auto& method, Functions functions, std::vector<double> y,
                                    Options options) {
  const FunctionSystem system(std::move(functions));
  const auto integrator = make_integrator(method, system, std::move(options)).value();
  Counter counter;
  EXPECT_TRUE(integrator->run(y, counter).finished());
  EXPECT_GT(counter.steps, 10u);
  return counter.at_last_step - counter.at_start;
}

TEST(Allocation, HappensNowhereInTheStepLoopOfRadau5) {
  EXPECT_EQ(allocations_in_the_loop("radau5", van_der_pol(100), {2, 0}, {.stop = 200}), 0u);
}

TEST(Allocation, HappensNowhereInTheStepLoopOfRadau5WithASparseMatrix) {
  EXPECT_EQ(
      allocations_in_the_loop("radau5", heat(100), std::vector<double>(100, 1.0), {.stop = 0.1}),
      0u);
}

TEST(Allocation, HappensNowhereInTheStepLoopOfRodas4) {
  EXPECT_EQ(allocations_in_the_loop("rodas4", van_der_pol(100), {2, 0}, {.stop = 200}), 0u);
}

TEST(Allocation, HappensNowhereInTheStepLoopOfDiagonallyImplicitMethods) {
  EXPECT_EQ(allocations_in_the_loop(sdirk4(), van_der_pol(100), {2, 0}, {.stop = 200}), 0u);
  EXPECT_EQ(allocations_in_the_loop(tr_bdf2(), van_der_pol(100), {2, 0}, {.stop = 200}), 0u);
}

TEST(Allocation, HappensNowhereInTheStepLoopWithATwoStepEstimate) {
  EXPECT_EQ(allocations_in_the_loop(lobatto4(), van_der_pol(100), {2, 0}, {.stop = 200}), 0u);
}

TEST(Allocation, HappensNowhereInTheStepLoopOfRegressionFormulas) {
  EXPECT_EQ(allocations_in_the_loop("rbdf66", van_der_pol(100), {2, 0}, {.stop = 200}), 0u);
  EXPECT_EQ(allocations_in_the_loop("rbdf713", van_der_pol(100), {2, 0}, {.stop = 200}), 0u);
}

TEST(Allocation, HappensNowhereInTheStepLoopOfDopri5) {
  EXPECT_EQ(
      allocations_in_the_loop("dopri5", arenstorf(), arenstorf_start(), {.stop = arenstorf_period}),
      0u);
}

TEST(Allocation, HappensNowhereInTheStepLoopOfMultistepMethods) {
  for (const char* method : {"bdf", "ndf", "bdf4"}) {
    const Options options{.stop = 200};
    EXPECT_EQ(allocations_in_the_loop(method, van_der_pol(100), {2, 0}, options), 0u) << method;
    EXPECT_EQ(
        allocations_in_the_loop(method, heat(100), std::vector<double>(100, 1.0), {.stop = 0.1}),
        0u)
        << method;
  }
  EXPECT_EQ(
      allocations_in_the_loop("adams", arenstorf(), arenstorf_start(), {.stop = arenstorf_period}),
      0u);
}

// Takes steps, repeats each step, stops on the way, and starts again.
std::size_t allocations_around_events(const std::string& method, double fixed_step = 0.0) {
  const FunctionSystem system(van_der_pol(100));
  const auto integrator =
      make_integrator(
          method, system,
          {.stop = 200, .fixed_step = fixed_step, .runge_kutta_start = RungeKuttaStart::Always})
          .value();
  std::vector<double> y = {2, 0};
  EXPECT_FALSE(integrator->start(y));
  EXPECT_FALSE(integrator->advance());
  std::vector<double> dense(2);
  integrator->step().at(integrator->step().begin(), dense);
  const std::size_t before = allocations;
  for (int event = 0; event < 20; ++event) {
    bool has_ended = integrator->advance().has_value();
    const double begin = integrator->step().begin();
    has_ended |= integrator->retake(begin + 0.5 * (integrator->time() - begin)).has_value();
    std::ranges::copy(integrator->state(), y.begin());
    has_ended |= integrator->go_on(integrator->time() + 1e-3).has_value();
    has_ended |= integrator->advance().has_value();
    std::ranges::copy(integrator->state(), y.begin());
    has_ended |= integrator->restart(integrator->time(), y, 200, 1e-3).has_value();
    EXPECT_FALSE(has_ended) << method;
  }
  return allocations - before;
}

TEST(Allocation, HappensNowhereAroundEvents) {
  for (const char* method :
       {"dopri5", "dop853", "hw-sdirk4", "esdirk5", "radau5", "radau", "rodas4", "lobatto4",
        "hw-sdirk4-two-step", "bdf", "adams", "rbdf66", "rbdf713"}) {
    EXPECT_EQ(allocations_around_events(method), 0u) << method;
  }
  EXPECT_EQ(allocations_around_events("radau5", 1e-3), 0u);
}

}  // namespace
}  // namespace daedalus::integrate
