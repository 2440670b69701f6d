// Events in runs of Taylor methods, and the polynomials of their indicators.
#include <algorithm>
#include <cmath>

#include "daedalus/engine/step_codes.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;

constexpr const char* buck = R"(
model Buck "open loop, ideal switch and diode"
  parameter Real E = 24, L = 1e-4, C = 1e-5, R = 10, T = 1e-4, d = 0.3;
  Real i(start = 0, fixed = true), u(start = 0, fixed = true);
  discrete Real t0(start = 0);
  Boolean on, conducts;
equation
  when sample(0, T) then
    t0 = time;
  end when;
  on = time < t0 + d * T;
  conducts = on or i > 0;
  L * der(i) = if on then E - u elseif conducts then -u else 0;
  C * der(u) = i - u / R;
end Buck;
)";

// The closed form of one period of that: on, off with the diode conducting, off.
class BuckByHand {
 public:
  double blocks_at = 0.0;  // in the period
  double i = 0.0, u = 0.0;

  void pass_period() {
    const State at_off = after(24.0, {i, u}, d * T);
    double t = 1e-6;  // where the current ends, by Newton's method, from before the first zero
    while (after(0.0, at_off, t).i > 0.0) t += 1e-6;
    for (int k = 0; k < 20; ++k) {
      const State there = after(0.0, at_off, t);
      t -= there.i / (-there.u / L);
    }
    blocks_at = d * T + t;
    i = 0.0;
    u = after(0.0, at_off, t).u * std::exp(-(T - blocks_at) / (R * C));
  }

 private:
  static constexpr double L = 1e-4, C = 1e-5, R = 10, T = 1e-4, d = 0.3;
  struct State {
    double i, u;
  };

  // u'' + 2 a u' + (a^2 + w^2) (u - E) = 0.
  static State after(double E, State from, double t) {
    const double a = 0.5 / (R * C), w = std::sqrt(1 / (L * C) - a * a);
    const double value = from.u - E, slope = (from.i - from.u / R) / C;
    const double c = value, s = (slope + a * value) / w;
    const double wave = c * std::cos(w * t) + s * std::sin(w * t);
    const double turned = w * (s * std::cos(w * t) - c * std::sin(w * t));
    const double decay = std::exp(-a * t);
    const double u = E + decay * wave;
    return {C * decay * (turned - a * wave) + u / R, u};
  }
};

TEST(TaylorEvents, ABuckConverterBlocksWhenItsClosedFormSays) {
  constexpr int periods = 20;
  const Model model = model_of(buck);
  for (const char* method : {"taylor8", "taylor12", "taylor20"}) {
    for (const double rtol : {1e-6, 1e-9}) {
      Options options{.stop = periods * 1e-4, .rtol = rtol, .method = method};
      options.most_event_records = 1000;
      const Solution solution = finished(model, options);
      std::vector<double> found;
      for (const solution::EventRecord& record : solution.events.records) {
        const bool is_end_of_current = std::ranges::any_of(record.changes, [](const auto& change) {
          return change.name == "conducts" && change.after == 0.0;
        });
        if (is_end_of_current) found.push_back(record.t);
      }
      ASSERT_EQ(found.size(), static_cast<std::size_t>(periods)) << method;
      BuckByHand exact;
      for (int k = 0; k < periods; ++k) {
        exact.pass_period();
        EXPECT_NEAR(found[static_cast<std::size_t>(k)], k * 1e-4 + exact.blocks_at,
                    10 * rtol * 1e-4)
            << method;
      }
      EXPECT_NEAR(solution.final_value("u"), exact.u, 10 * rtol * exact.u) << method;
    }
  }
}

// The first step of a run, with its polynomials and the values of the indicators along it.
void expect_margins(const Model& model, double first_step, std::size_t count) {
  const runtime::ModelSystem& system = *model.system;
  runtime::Start start = system.initialise(0.0);
  ASSERT_FALSE(start.failure.has_value());
  const auto codes = model.step_codes->find(system, start.values, "taylor12", integrate::Norm::Rms);
  ASSERT_TRUE(codes.has_value());
  integrate::Options options{.stop = 100 * first_step};
  options.initial_step = first_step;
  const auto made = integrate::make_integrator("taylor12", system, options, *codes);
  integrate::Integrator& run = **made;
  run.hold(start.held);
  std::vector<double> y = system.states_in(start.values);
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  ASSERT_FALSE(run.start(y).has_value());
  ASSERT_FALSE(run.advance().has_value());
  const solution::DenseStep& step = run.step();
  const solution::Polynomials margins = step.margins();
  ASSERT_EQ(margins.terms, 13u);
  ASSERT_EQ(margins.coefficients.size(), count * margins.terms);
  std::vector<double> exact(count);
  for (const double x : {0.0, 0.3, 0.7, 1.0}) {
    const double t = step.begin() + x * (step.end() - step.begin());
    step.at(t, y);
    ASSERT_EQ(system.events()->indicators(t, y, exact, {start.held, *scratch}),
              system::Evaluation::Defined);
    for (std::size_t i = 0; i < count; ++i) {
      double value = 0.0;
      for (std::size_t k = margins.terms; k-- > 0;)
        value = value * x + margins.coefficients[i * margins.terms + k];
      EXPECT_NEAR(value, exact[i], 1e-12 * std::max(1.0, std::abs(exact[i]))) << "at " << x;
    }
  }
}

TEST(TaylorEvents, IndicatorsArePolynomialsOfTheStep) {
  // Nothing depends on `i > 0` while the switch is on: its margin is 1.
  expect_margins(model_of(buck), 1e-6, 1);
  // Relations of functions, of computed variables, of time; floor has two margins.
  expect_margins(
      model_of(
          "model A Real x(start = 0.3, fixed = true), v(start = 1, fixed = true), w, n;\n"
          "  Boolean a, b; equation\n"
          "der(x) = v; der(v) = if a then -x else -2 * x; w = exp(x) * sin(v) - 0.1 * time;\n"
          "a = w > 0.2; b = x * x + v / 2 < 3 + time; n = floor(3 * x) + (if b then 1 else 0);\n"
          "end A;"),
      0.05, 4);
}

// Where an indicator cannot be expanded, the lookout samples it.
TEST(TaylorEvents, IndicatorsThatNeedALoopAreSampled) {
  const Model model = model_of(
      "model A Real x(start = 0, fixed = true), z(start = 0); Boolean b; equation\n"
      "der(x) = 1; z + exp(z) = x + 1; b = z > 0.5; end A;");
  const Solution solution = finished(model, {.stop = 2.0, .rtol = 1e-9, .method = "taylor12"});
  ASSERT_FALSE(solution.events.records.empty());
  EXPECT_EQ(solution.statistics.events.state_events, 1u);
  EXPECT_NEAR(solution.events.records[0].t, 0.5 + std::exp(0.5) - 1, 1e-8);
}

TEST(TaylorEvents, SlidingIsLeftToAnotherMethod) {
  Options options{.stop = 3.0, .method = "taylor12"};
  options.chattering = hybrid::Chattering::Sliding;
  const Solution solution =
      finished(model_of("model A Real x(start = 1, fixed = true), u; equation\n"
                        "u = if x > 0 then -1 else 1; der(x) = u; end A;"),
               options);
  EXPECT_NEAR(solution.final_value("x"), 0.0, 1e-8);
  EXPECT_EQ(solution.statistics.events.slidings, 1u);
}

}  // namespace
}  // namespace daedalus::engine
