// Multistep methods on test problems with references: the digits for a tolerance.
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/problems/problem.hpp"

namespace daedalus::integrate {
namespace {

struct Silent final : solution::Recorder {
  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

struct Expectation {
  const char* problem;
  const char* method;
  double lost;  // digits lost, of those that rtol asks for
};

class ReachesDigits : public testing::TestWithParam<Expectation> {};

TEST_P(ReachesDigits, AtEveryTolerance) {
  const problems::Problem& problem = *problems::require_problem(GetParam().problem).value();
  const system::FunctionSystem system(problem.functions);
  for (const double asked : {4.0, 6.0, 8.0}) {
    const double rtol = std::pow(10.0, -asked);
    const auto integrator =
        make_integrator(
            GetParam().method, system,
            {.start = problem.t0, .stop = problem.t1, .rtol = rtol, .atol = {rtol * problem.scale}})
            .value();
    std::vector<double> y = problem.y0;
    Silent silent;
    const solution::Outcome outcome = integrator->run(y, silent);
    ASSERT_TRUE(outcome.finished()) << outcome.message;
    EXPECT_GT(problems::accuracy(problem, y, rtol * problem.scale).mescd, asked - GetParam().lost)
        << asked;
  }
}

// The ring modulator multiplies errors by ten thousand; CVODE reaches the same digits.
INSTANTIATE_TEST_SUITE_P(
    Problems, ReachesDigits,
    testing::Values(Expectation{"robertson", "bdf", 2.0}, Expectation{"robertson", "ndf", 2.0},
                    Expectation{"hires", "bdf", 2.0}, Expectation{"hires", "ndf", 2.0},
                    Expectation{"vdp1000", "bdf", 2.0}, Expectation{"vdp1000", "ndf", 2.0},
                    Expectation{"oregonator", "bdf", 2.7}, Expectation{"robertson", "gear", 2.0},
                    Expectation{"hires", "gear", 2.0}, Expectation{"ring-modulator", "bdf", 4.8},
                    Expectation{"heat1d", "bdf", 1.0}, Expectation{"pleiades", "adams", 4.2},
                    Expectation{"lorenz", "adams", 3.2}),
    [](const auto& each) {
      std::string name = std::string(each.param.method) + "_" + each.param.problem;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace daedalus::integrate
