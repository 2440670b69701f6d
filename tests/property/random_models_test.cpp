// Simulates random models around known solutions. A failure prints the seed of its model;
// DAEDALUS_SEED=<seed> runs that one first.
#include <gtest/gtest.h>

#include "daedalus/engine/analysis.hpp"
#include "random_model.hpp"

namespace daedalus {
namespace {

using testing_support::ModelMaker;
using testing_support::RandomModel;

engine::Model compiled(const RandomModel& random) {
  return engine::compile(engine::analyse_text(random.text, "random.mo", "").value()).value();
}

// At the end of the run. Between its steps Radau5 interpolates with order 3, which costs further
// digits.
double largest_error(const RandomModel& random, const solution::Solution& solution) {
  double largest = 0.0;
  for (const RandomModel::Known& known : random.solution) {
    const double exact = known.sign * known.wave.at(solution.outcome.time);
    const double error = std::fabs(solution.final_value(known.name) - exact);
    largest = std::isnan(error) ? HUGE_VAL : std::max(largest, error);
  }
  return largest;
}

// The states follow x' = w' - lambda (x - w), on which Radau5 with its transformed tolerance is
// about 100 times less accurate than requested (Prothero and Robinson 1974).
struct Accuracy {
  const char* method;
  double rtol, error;
};

TEST(RandomModels, AreSolvedToTheDigitsOfTheTolerance) {
  const std::uint64_t first = testing_support::seed_of_run();
  for (std::uint64_t seed = first; seed < first + 200; ++seed) {
    SCOPED_TRACE(fmt::format("DAEDALUS_SEED={}", seed));
    const RandomModel random = ModelMaker(seed).make();
    const engine::Model model = compiled(random);
    for (const Accuracy& expected :
         {Accuracy{"dopri5", 1e-10, 1e-8}, Accuracy{"radau5", 1e-11, 1e-8}}) {
      const engine::Options options{.stop = 2.0,
                                    .rtol = expected.rtol,
                                    .atol = expected.rtol,
                                    .intervals = 10,
                                    .method = expected.method};
      const solution::Solution solution = engine::simulate(model, options).value();
      ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message << "\n" << random.text;
      ASSERT_LT(largest_error(random, solution), expected.error) << expected.method << "\n"
                                                                 << random.text;
    }
  }
}

// d f / d y at a point, by central differences.
std::vector<double> differences(const runtime::ModelSystem& system, double t,
                                std::span<const double> at, const system::Held& held) {
  const auto scratch = system.make_scratch();
  std::vector<double> y(at.begin(), at.end());
  const std::size_t n = system.size();
  std::vector<double> dense(n * n), plus(n), minus(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 1e-5 * std::max(1.0, std::fabs(y[j])), keep = y[j];
    y[j] = keep + h;
    EXPECT_EQ(system.derivatives(t, y, plus, {held, *scratch}), system::Evaluation::Defined);
    y[j] = keep - h;
    EXPECT_EQ(system.derivatives(t, y, minus, {held, *scratch}), system::Evaluation::Defined);
    y[j] = keep;
    for (std::size_t i = 0; i < n; ++i) dense[j * n + i] = (plus[i] - minus[i]) / (2 * h);
  }
  return dense;
}

std::vector<double> dense_jacobian(const runtime::ModelSystem& system, double t,
                                   std::span<const double> y, const system::Held& held) {
  const auto scratch = system.make_scratch();
  const linalg::Sparsity& pattern = *system.jacobian_pattern();
  std::vector<double> values(pattern.rows.size()), dense(y.size() * y.size(), 0.0);
  EXPECT_EQ(system.jacobian(t, y, values, {held, *scratch}), system::Evaluation::Defined);
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      dense[j * y.size() + static_cast<std::size_t>(pattern.rows[entry])] = values[entry];
    }
  }
  return dense;
}

// States whose derivatives go through explicit chains, linear loops and nonlinear loops that depend
// on the states.
std::string coupled_model(std::mt19937_64& random) {
  const auto number = [&] { return std::uniform_real_distribution(-1.0, 1.0)(random); };
  const int n = 2 + static_cast<int>(random() % 3);
  std::string text = "model M\n", body;
  for (int i = 0; i < n; ++i) {
    text += fmt::format("  Real x{0}(start = {1}), a{0}, b{0}, c{0}, d{0};\n", i, number());
    const int j = (i + 1) % n;
    body += fmt::format("  der(x{0}) = ({2}) * a{0} + b{1} - c{0} * d{1};\n", i, j, number());
    body += fmt::format("  a{0} - ({2}) * x{1} = sin(x{0}) * ({3});\n", i, j, number(), number());
    body += fmt::format("  4 * b{0} + ({2}) * b{1} + a{0} * ({3}) * b{1} = x{0};\n", i, j,
                        0.5 * number(), 0.2 * number());
    body += fmt::format("  c{0} + 0.3 * tanh(c{1} * ({2})) = x{0} + b{0};\n", i, j, number());
    body += fmt::format("  d{0} = if c{0} > 100 then 0 else c{1}^2 * ({2});\n", i, j, number());
  }
  return fmt::format("{}equation\n{}end M;\n", text, body);
}

TEST(RandomModels, HaveTheJacobianThatDifferencesGive) {
  std::mt19937_64 random(testing_support::seed_of_run());
  for (int trial = 0; trial < 40; ++trial) {
    const std::string text = coupled_model(random);
    const engine::Model model =
        engine::compile(engine::analyse_text(text, "random.mo", "").value()).value();
    const runtime::ModelSystem& system = *model.system;
    const runtime::Start start = system.initialise(0.5);
    ASSERT_FALSE(start.failure) << text;
    ASSERT_TRUE(system.has_jacobian());
    const std::vector<double> y = system.states_in(start.values);
    const std::vector<double> exact = dense_jacobian(system, 0.5, y, start.held);
    const std::vector<double> approximate = differences(system, 0.5, y, start.held);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_NEAR(exact[i], approximate[i], 1e-8) << "trial " << trial << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace daedalus
