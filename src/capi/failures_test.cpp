// What only C++ can bring about: allocations that fail, one after the other, and callbacks that
// throw. Also what C99 cannot: two threads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "daedalus.h"

namespace {

constexpr std::size_t never = ~std::size_t{0};
thread_local std::size_t allocations = 0;
thread_local std::size_t failing_allocation = never;
thread_local long in_use = 0;  // what was allocated and not released

void release(void* memory) noexcept {
  if (memory != nullptr) --in_use;
  std::free(memory);
}

}  // namespace

// Not inlined: GCC warns where it inlines one of a pair and sees std::malloc() or std::free()
// there.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (allocations++ == failing_allocation) throw std::bad_alloc();
  ++in_use;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++in_use;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { release(memory); }

namespace {

constexpr double start_value[2] = {1.0, 0.0};

int oscillate(double, const double* y, double* dydt, void*) {
  dydt[0] = y[1];
  dydt[1] = -y[0];
  return 0;
}

// The whole way with everything that allocates; the first call that fails ends it.
daedalus_status solve(const char* method) {
  const double mass[2] = {1.0, 1.0};
  const char* names[2] = {"a name that is too long for a small string", "b"};
  daedalus_problem* problem = daedalus_problem_create(2, oscillate, nullptr);
  daedalus_integrator* integrator = nullptr;
  daedalus_status status = problem != nullptr ? DAEDALUS_OK : DAEDALUS_OUT_OF_MEMORY;
  const auto then = [&](auto&& call) {
    if (status >= 0) status = call();
  };
  then([&] { return daedalus_problem_set_names(problem, names); });
  then([&] { return daedalus_problem_set_mass_diagonal(problem, mass); });
  then([&] { return daedalus_problem_set_pattern_banded(problem, 1, 1); });
  then([&] {
    integrator = daedalus_integrator_create(problem, method);
    return integrator != nullptr ? DAEDALUS_OK : DAEDALUS_OUT_OF_MEMORY;
  });
  then([&] { return daedalus_integrator_set_tolerance_vector(integrator, 1e-6, mass); });
  then([&] { return daedalus_integrator_start(integrator, 0.0, 1.0, start_value, nullptr); });
  then([&] { return daedalus_integrator_finish(integrator); });
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
  return status;
}

class EveryFamily : public testing::TestWithParam<const char*> {};

TEST_P(EveryFamily, SaysThatThereIsNoMemoryWhicheverAllocationFails) {
  ASSERT_EQ(solve(GetParam()), DAEDALUS_FINISHED);  // also fills what is kept for later runs
  allocations = 0;
  ASSERT_EQ(solve(GetParam()), DAEDALUS_FINISHED);
  const std::size_t all = allocations;
  const long in_use_before = in_use;
  EXPECT_GT(all, 20u);
  for (std::size_t k = 0; k < all; ++k) {
    allocations = 0;
    failing_allocation = k;
    const daedalus_status status = solve(GetParam());
    failing_allocation = never;
    if (allocations <= k) {  // what earlier runs keep in memory decides how many there are
      ASSERT_EQ(status, DAEDALUS_FINISHED);
      EXPECT_GT(k, 20u);
      break;
    }
    ASSERT_EQ(status, DAEDALUS_OUT_OF_MEMORY) << "allocation " << k;
    ASSERT_STREQ(daedalus_error(), "out of memory [memory]");
    ASSERT_EQ(in_use, in_use_before) << "allocation " << k;
  }
  EXPECT_EQ(solve(GetParam()), DAEDALUS_FINISHED);
}

INSTANTIATE_TEST_SUITE_P(Capi, EveryFamily, testing::Values("radau5", "rodas4", "esdirk4"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Capi, TakesFewAllocationsAndNoneToRunAgain) {
  ASSERT_GT(daedalus_method_count(), 0u);  // fills the catalogue
  allocations = 0;
  daedalus_problem* problem = daedalus_problem_create(2, oscillate, nullptr);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "radau5");
  daedalus_integrator_set_tolerances(integrator, 1e-8, 1e-8);
  EXPECT_LE(allocations, 3u);
  ASSERT_EQ(daedalus_integrator_start(integrator, 0.0, 1.0, start_value, nullptr), DAEDALUS_OK);
  allocations = 0;
  ASSERT_EQ(daedalus_integrator_finish(integrator), DAEDALUS_FINISHED);
  ASSERT_EQ(daedalus_integrator_start(integrator, 0.0, 1.0, start_value, nullptr), DAEDALUS_OK);
  double y[2];
  ASSERT_EQ(daedalus_integrator_advance(integrator, 0.5, y), DAEDALUS_OK);
  ASSERT_EQ(daedalus_integrator_finish(integrator), DAEDALUS_FINISHED);
  EXPECT_EQ(allocations, 0u);
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
}

// Throws at its k-th call, where *user is k and counts down.
int throwing(double t, const double* y, double* dydt, void* user) {
  if (--*static_cast<int*>(user) == 0) throw std::runtime_error("the callback does not like this");
  return oscillate(t, y, dydt, user);
}

int throwing_a_number(double, const double*, double*, void*) { throw 7; }

TEST(Capi, LetsNoExceptionOfACallbackThrough) {
  for (const int at : {1, 20}) {
    int calls_left = at;
    daedalus_problem* problem = daedalus_problem_create(2, throwing, &calls_left);
    daedalus_integrator* integrator = daedalus_integrator_create(problem, "dopri5");
    daedalus_status status = daedalus_integrator_start(integrator, 0.0, 10.0, start_value, nullptr);
    if (status == DAEDALUS_OK) status = daedalus_integrator_finish(integrator);
    EXPECT_EQ(status, DAEDALUS_INTERNAL);
    EXPECT_NE(std::string(daedalus_error()).find("does not like this [internal]"),
              std::string::npos);
    EXPECT_EQ(daedalus_integrator_step(integrator), DAEDALUS_INTERNAL);
    EXPECT_NE(std::string(daedalus_error()).find("an exception has ended the run"),
              std::string::npos);
    EXPECT_EQ(daedalus_integrator_start(integrator, 0.0, 10.0, start_value, nullptr), DAEDALUS_OK);
    EXPECT_EQ(daedalus_integrator_finish(integrator), DAEDALUS_FINISHED);
    daedalus_integrator_free(integrator);
    daedalus_problem_free(problem);
  }
  daedalus_problem* problem = daedalus_problem_create(2, throwing_a_number, nullptr);
  daedalus_integrator* integrator = daedalus_integrator_create(problem, "dopri5");
  EXPECT_EQ(daedalus_integrator_start(integrator, 0.0, 1.0, start_value, nullptr),
            DAEDALUS_INTERNAL);
  EXPECT_NE(std::string(daedalus_error()).find("none of the standard library's"),
            std::string::npos);
  daedalus_integrator_free(integrator);
  daedalus_problem_free(problem);
}

TEST(Capi, RunsTwoIntegratorsOfOneProblemInTwoThreads) {
  daedalus_problem* problem = daedalus_problem_create(2, oscillate, nullptr);
  daedalus_integrator* integrators[2] = {daedalus_integrator_create(problem, "radau5"),
                                         daedalus_integrator_create(problem, "radau5")};
  daedalus_problem_free(problem);
  const std::string error_before = daedalus_error();
  std::thread threads[2];
  for (int k = 0; k < 2; ++k) {
    threads[k] = std::thread([integrator = integrators[k]] {
      EXPECT_STREQ(daedalus_error(), "");
      EXPECT_EQ(daedalus_integrator_step(integrator), DAEDALUS_INVALID);
      EXPECT_EQ(daedalus_integrator_start(integrator, 0.0, 100.0, start_value, nullptr),
                DAEDALUS_OK);
      EXPECT_EQ(daedalus_integrator_finish(integrator), DAEDALUS_FINISHED);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(daedalus_error(), error_before);
  EXPECT_EQ(daedalus_integrator_state(integrators[0])[0],
            daedalus_integrator_state(integrators[1])[0]);
  for (daedalus_integrator* integrator : integrators) daedalus_integrator_free(integrator);
}

}  // namespace
