// Counts crossings in random settings: none is lost, none is counted twice. A failure prints its
// seed; DAEDALUS_SEED=<seed> starts with that one.
#include <cmath>
#include <numbers>
#include <random>

#include "../property/random_model.hpp"
#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;
using testing::HasSubstr;

constexpr const char* methods[] = {"auto",  "radau",  "radau5",  "radau9",   "radau13", "rbdf64",
                                   "fbdf5", "dopri5", "dop853",  "verner65", "bdf",     "ndf",
                                   "adams", "rodas4", "rodas5p", "esdirk5",  "taylor8", "taylor12"};

const char* const wave =
    "model A parameter Real a = 1, w = 1, depth = 0.1; Real x(start = 0, fixed = true), v;\n"
    "Boolean b; initial equation v = a*w; equation der(x) = v; der(v) = -w*w*x;\n"
    "b = x > a*(1 - depth); end A;";

struct Random {
  explicit Random(std::uint64_t seed) : engine(seed) {}

  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  }
  // All orders of magnitude are equally likely.
  double order_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  const char* method() { return methods[engine() % std::size(methods)]; }

  std::mt19937_64 engine;
};

Model set(const Model& model, const std::vector<std::pair<std::string, double>>& values) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : values) settings.push_back({name, fmt::format("{}", value)});
  return with_settings(model, settings).value();
}

TEST(Crossings, OfAWaveNearItsAmplitudeAreCountedOnceEach) {
  const Model model = model_of(wave);
  const std::uint64_t first = testing_support::seed_of_run();
  for (std::uint64_t seed = first; seed < first + 300; ++seed) {
    Random random(seed);
    const double a = random.order_between(1e-2, 1e2), w = random.order_between(0.1, 10.0);
    const double rtol = random.order_between(1e-12, 1e-5);
    const double depth = random.order_between(1e4 * rtol, 0.3);  // waves may decay that much
    const auto waves = static_cast<std::size_t>(random.between(1.0, 16.0));
    const Options options{.stop = 2.0 * std::numbers::pi / w * static_cast<double>(waves),
                          .rtol = rtol,
                          .atol = rtol * a,
                          .method = random.method()};
    const Solution solution =
        simulate(set(model, {{"a", a}, {"w", w}, {"depth", depth}}), options).value();
    EXPECT_EQ(event_times(solution).size(), 2 * waves)
        << fmt::format("DAEDALUS_SEED={} {} rtol {} depth {}", seed, options.method, rtol, depth)
        << testing::PrintToString(event_times(solution));
  }
}

// y follows its input at once, so no error estimate limits the step.
TEST(Crossings, OfAStiffVariableAreFoundInEveryPeriod) {
  const Model model = model_of(
      "model A Real y(start = 0, fixed = true); Boolean b; equation\n"
      "der(y) = 1e9*(sin(314*time) - y); b = y > 0.5; end A;");
  for (const char* method : {"radau", "radau5", "radau9", "rodas4", "rodas5p", "hw-sdirk4",
                             "esdirk4", "esdirk5", "bdf", "rbdf64"}) {
    const Solution solution =
        simulate(model, {.stop = 40.0 * std::numbers::pi / 314.0, .method = method}).value();
    EXPECT_EQ(event_times(solution).size(), 40u) << method;
  }
}

// The current of a diode is the difference of larger ones: rounding moves it by far more than the
// rounding of the states, on which it does not even depend, would suggest. In each period each
// diode starts and stops conducting once.
TEST(Crossings, AreNotUndoneByTheRoundingOfLoops) {
  const Model model = model_of(R"(model A
    Real s1, s2, i1, i2, u, q(start = 0, fixed = true); Boolean off1, off2; equation
    off1 = s1 < 0; off2 = s2 < 0;
    35.22*sin(12.566370614359172*time) - 0.001*i1 - u = s1*(if off1 then 1 else 0.001);
    i1 = s1*(if off1 then 0.001 else 1);
    4.3*sin(12.566370614359172*time + 3.15) - 0.001*i2 - u = s2*(if off2 then 1 else 0.001);
    i2 = s2*(if off2 then 0.001 else 1);
    i1 + i2 = 49; der(q) = u; end A;)");
  for (const char* method : {"radau5", "esdirk4", "dopri5", "bdf", "rodas4"}) {
    const Solution solution = simulate(model, {.stop = 4.0, .method = method}).value();
    ASSERT_TRUE(solution.outcome.finished()) << method;
    EXPECT_EQ(event_times(solution).size(), 32u) << method;
  }
}

// The dense outputs of high orders have larger rounding errors than others.
TEST(Crossings, AreNotUndoneByTheRoundingOfTheDenseOutput) {
  const Model model = model_of(wave);
  for (const auto& [depth, rtol] : {std::pair(1e-6, 1e-11), std::pair(1e-8, 1e-12)}) {
    for (const char* method : {"radau", "radau9", "radau13", "rbdf64"}) {
      const Solution solution =
          simulate(set(model, {{"depth", depth}}),
                   {.stop = 100.0, .rtol = rtol, .atol = 1e-12, .method = method})
              .value();
      EXPECT_EQ(event_times(solution).size(), 32u) << method << " " << depth;
    }
  }
}

const char* const ripple =
    "model A parameter Real w = 1000, phase = 0, level = 0; Real x(start = 0, fixed = true);\n"
    "Integer n(start = 0, fixed = true); equation der(x) = 1;\n"
    "when sin(w*x + phase) > level then n = pre(n) + 1; end when; end A;";

// The solution is a straight line, on which methods take steps of any length.
TEST(Crossings, OfAnIndicatorThatIsMuchFasterThanTheSolutionAreAllFound) {
  const Model model = model_of(ripple);
  for (const char* method : methods) {
    const Solution solution = simulate(model, {.method = method}).value();
    EXPECT_EQ(solution.final_value("n"), 160.0) << method;
    EXPECT_TRUE(solution.warnings.empty());
  }
}

TEST(Crossings, OfRandomRipplesAreAllFound) {
  const Model model = model_of(ripple);
  const std::uint64_t first = testing_support::seed_of_run();
  for (std::uint64_t seed = first; seed < first + 100; ++seed) {
    Random random(seed);
    const double w = random.order_between(10.0, 5000.0), phase = random.between(0.1, 6.0);
    const double level = random.between(-0.9, 0.9);
    const char* method = random.method();
    // sin rises through the level at asin(level) + 2 pi k; between 0 and 1 its argument goes from
    // phase to w + phase.
    const double turn = 2.0 * std::numbers::pi, rise = std::asin(level);
    const double expected =
        std::floor((w + phase - rise) / turn) - std::floor((phase - rise) / turn);
    const Solution solution =
        simulate(set(model, {{"w", w}, {"phase", phase}, {"level", level}}), {.method = method})
            .value();
    EXPECT_EQ(solution.final_value("n"), expected)
        << fmt::format("DAEDALUS_SEED={} {} w {} phase {} level {}", seed, method, w, phase, level);
  }
}

// While the diode is off, v decays in steps that are about as long as the periods of the source: at
// their ends the source has the same value as before.
TEST(Crossings, OfASourceThatSwingsThroughWholePeriodsInAStepAreFound) {
  const Solution solution = finished(R"(
model Smoothing
  parameter Real w = 314.1592653589793, C = 0.0019337267909432367, R = 30.354, Rs = 0.0034448;
  Real v(start = 159.37083786658198, fixed = true), q(start = 0, fixed = true), u, i, s, d;
  Boolean off;
equation
  u = 183.1*sin(w*time + 5.637);
  off = s < 0;
  d = s*(if off then 1 else 1e-5);
  i = s*(if off then 0 else 1);
  u - v = Rs*i + d;
  C*der(v) = i - v/R;
  der(q) = v;
end Smoothing;
)",
                                     {.stop = 0.08, .method = "esdirk4"});
  EXPECT_EQ(event_times(solution).size(), 8u);
}

// The capacitor's voltage follows the source with a delay of 7 us: a step across the end of the
// charging moves the difference of both across 0 and back.
TEST(Crossings, OfAVoltageThatFollowsItsSourceAreCountedOnce) {
  for (const char* method : {"radau5", "radau9", "radau", "bdf", "esdirk4", "rodas4"}) {
    const Solution solution = finished(R"(
model Smoothing
  Real v(start = 159.37, fixed = true), u, i;
equation
  u = 183.1*sin(314.1592653589793*time + 2);
  i = if u > v then (u - v)/0.0034548 else 0;
  0.0019337*der(v) = i - v/30.354;
end Smoothing;
)",
                                       {.stop = 0.4, .method = method});
    EXPECT_EQ(event_times(solution).size(), 41u) << method;
  }
}

TEST(Crossings, ARunSaysOnceThatItCannotKnow) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); Boolean b; equation der(x) = 1;\n"
      "b = sin(1e7 * x) > 1.5; end A;",
      {.stop = 10.0});
  ASSERT_EQ(solution.warnings.size(), 1u);
  EXPECT_THAT(solution.warnings[0], HasSubstr("`sin(10000000 * x) > 1.5` varies too fast"));
  EXPECT_THAT(solution.warnings[0], HasSubstr("--max-step"));
}

}  // namespace
}  // namespace daedalus::engine
