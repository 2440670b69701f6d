// A body that is thrown back where it falls never passes that point, however little of its speed is
// left. The run rests there, or ends there and says why.
#include <algorithm>
#include <cmath>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using hybrid::Zeno;
using solution::Reason;
using solution::Solution;
using testing::HasSubstr;

constexpr const char* methods[] = {"dopri5", "radau5", "bdf", "rodas4", "taylor12"};

double lowest(const Solution& solution, const std::string& name) {
  const std::vector<double> values = solution[name].values;
  return *std::ranges::min_element(values);
}

// It rests on its floor to the end of the run, or the run ends where the bounces do: where these
// cannot be distinguished from errors of the solution, they chatter.
void expect_held(const Solution& solution, Zeno zeno, double floor, const std::string& what) {
  EXPECT_GE(lowest(solution, "h"), floor - 1e-6 * std::max(1.0, std::abs(floor))) << what;
  if (zeno == Zeno::Stop) {
    EXPECT_THAT(solution.outcome.reason,
                testing::AnyOf(Reason::EventAccumulation, Reason::EventChattering))
        << what;
    EXPECT_TRUE(solution.outcome.span.has_value()) << what;
  } else {
    EXPECT_TRUE(solution.outcome.finished()) << what << ": " << solution.outcome.message;
    EXPECT_GE(solution.statistics.events.rests, 1u) << what;
    EXPECT_NEAR(solution.final_value("h"), floor, 1e-5 * std::max(1.0, std::abs(floor))) << what;
  }
}

void expect_all_held(const Model& model, double floor, double start, const std::string& names) {
  for (const double e : {0.001, 0.003, 0.01, 0.02, 0.03, 0.045, 0.05, 0.1, 0.2, 0.5, 0.7, 0.9}) {
    const Model set = with_settings(model, {{"e", fmt::format("{}", e)},
                                            {"h0", fmt::format("{}", floor + start)},
                                            {"floor", fmt::format("{}", floor)}})
                          .value();
    for (const char* method : methods) {
      for (const Zeno zeno : {Zeno::Stop, Zeno::Regularize}) {
        const Solution solution =
            simulate(set, {.stop = 25.0 * std::sqrt(start) + 1.0, .method = method, .zeno = zeno})
                .value();
        expect_held(solution, zeno, floor,
                    fmt::format("{} e = {} from {} m over {} m, {}, zeno {}", names, e, start,
                                floor, method, hybrid::zeno_name(zeno)));
      }
    }
  }
}

const char* const ball =
    "model A parameter Real e = 0.5, floor = 0, h0 = 1; Real h(start = h0, fixed = true),\n"
    "v(start = 0, fixed = true); equation der(h) = v; der(v) = -9.81;\n";

TEST(Floors, HoldABallOfAnyRestitution) {
  const Model model =
      model_of(std::string(ball) + "when h < floor then reinit(v, -e*pre(v)); end when; end A;");
  for (const double start : {0.01, 1.0, 10.0, 100.0}) expect_all_held(model, 0.0, start, "ball");
}

// Margins are rounded there.
TEST(Floors, HoldABallAtAnyHeight) {
  const Model model =
      model_of(std::string(ball) + "when h < floor then reinit(v, -e*pre(v)); end when; end A;");
  for (const double floor : {1.0, -30.0, 1000.0}) expect_all_held(model, floor, 2.0, "ball");
}

// The speed is not a state, and yet an event gives it another value.
TEST(Floors, HoldABallWhoseSpeedFollowsFromTheLastBounce) {
  const Model model = model_of(
      "model A parameter Real e = 0.02, floor = 0, h0 = 1; Real h(start = h0, fixed = true), v;\n"
      "discrete Real v0(start = 0, fixed = true), t0(start = 0, fixed = true); equation\n"
      "der(h) = v; v = v0 - 9.81*(time - t0);\n"
      "when h < floor then v0 = -e*(pre(v0) - 9.81*(time - pre(t0))); t0 = time; end when; end A;");
  for (const char* method : methods) {
    const Solution solution = simulate(model, {.stop = 3.0, .method = method}).value();
    EXPECT_GE(lowest(solution, "h"), -1e-6) << method;
    EXPECT_EQ(solution.outcome.reason, Reason::EventAccumulation) << method;
  }
}

// A body that an event slows down, but does not throw back, goes on to the other side.
TEST(Floors, LetThroughWhatIsNotThrownBack) {
  for (const char* method : methods) {
    for (const double e : {-0.5, -0.001, 0.0}) {
      const Solution solution =
          finished(std::string(ball) +
                       fmt::format("when h < 0 then reinit(v, {}*pre(v)); end when; end A;", -e),
                   {.method = method});
      const double t = std::sqrt(2.0 / 9.81), left = 1.0 - t;
      EXPECT_NEAR(solution.final_value("h"), e * 9.81 * t * left - 0.5 * 9.81 * left * left, 1e-6)
          << method << " " << e;
    }
  }
}

TEST(Floors, TheRunSaysWhereItEnds) {
  const Solution solution =
      ran(std::string(ball) + "when h < 0 then reinit(v, -0.001*pre(v)); end when; end A;",
          {.stop = 3.0});
  EXPECT_EQ(solution.outcome.reason, Reason::EventAccumulation);
  EXPECT_THAT(solution.outcome.message, HasSubstr("events of `h < 0` accumulate at t = 0.452"));
  EXPECT_THAT(solution.outcome.hint, HasSubstr("--zeno regularize"));
}

}  // namespace
}  // namespace daedalus::engine
