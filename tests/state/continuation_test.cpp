// A run that is stored between two of its steps and continued elsewhere gives the same bits: rows,
// statistics, log of events, history of steps and warnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/model_run.hpp"
#include "daedalus/methods/method.hpp"

namespace daedalus::engine {
namespace {

struct Case {
  const char* name;
  const char* text;
  Options options;
};

const Options usual{.stop = 10.0, .rtol = 1e-4, .intervals = 50};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    Options sliding = usual, rest = usual;
    sliding.chattering = hybrid::Chattering::Sliding;
    rest.zeno = hybrid::Zeno::Regularize;
    rest.stop = 4.0;
    return std::vector<Case>{
        {"smooth", R"(
model Smooth
  Real x(start = 2, fixed = true), v(start = 0, fixed = true), z(start = 0.5);
equation
  der(x) = v;
  der(v) = 3 * (1 - x * x) * v - x + 0.1 * z;
  z + 0.1 * sin(z) = x - v;
end Smooth;
)",
         usual},
        {"events", R"(
model Events
  Real x(start = 0, fixed = true), y(start = 1, fixed = true), d(start = 0.1), q;
  discrete Real u(start = 0);
  Integer n(start = 0);
equation
  der(x) = if y > 0.2 then u - x else -2 * x + sin(3 * time);
  der(y) = -0.3 * y + (if x > 0.4 then -1 else 1) * 0.8;
  d = 0.1 + 0.05 * (if d > 0.12 and x > 0.3 then 1 else -1) * exp(-d);
  q = x + d;
  when sample(0, 0.7) then
    u = 1 - 0.5 * pre(u) + 0.1 * y;
    n = pre(n) + 1;
  end when;
  when y > 0.9 then
    reinit(x, 0.5 * x);
  end when;
end Events;
)",
         usual},
        {"sliding", R"(
model Sliding
  Real x(start = 0.5, fixed = true), v(start = 0, fixed = true);
  Boolean up;
equation
  up = v > 0;
  der(x) = v;
  der(v) = sin(time) - x - (if up then 0.6 else -0.6);
end Sliding;
)",
         sliding},
        {"rest", R"(
model Rest
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.6 * pre(v));
  end when;
end Rest;
)",
         rest},
        {"states", R"(
model States
  Real x(start = 1, fixed = true), y(start = 0), vx(start = 0), vy(start = 0, fixed = true), F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = F * x;
  der(vy) = F * y - 9.81;
  x * x + y * y = 1;
end States;
)",
         usual},
        {"index3", R"(
model Index3
  Real a(start = 0.2, fixed = true), w(start = 0, fixed = true), x, y, u, s, L;
equation
  der(a) = w;
  x = sin(a);
  y = -cos(a);
  der(x) = u;
  der(y) = s;
  der(u) = -L * x;
  der(s) = -L * y - 9.81;
end Index3;
)",
         usual},
    };
  }();
  return all;
}

Model new_model_of(const Case& one) {
  Result<Analysis> analysis = analyse_text(one.text, std::string(one.name) + ".mo", "");
  return compile(std::move(analysis).value()).value();
}

const Model& model_of(const Case& one) {
  static std::map<std::string, Model> models;
  const auto found = models.find(one.name);
  if (found != models.end()) return found->second;
  return models.emplace(one.name, new_model_of(one)).first->second;
}

// All results of a run except wall times.
std::string bytes_of(solution::Solution solution) {
  solution.statistics.events.seconds = 0.0;
  Archive writer;
  writer(solution.table.cells, solution.statistics, solution.states, solution.history,
         solution.events.records, solution.events.dropped, solution.warnings, solution.notes,
         solution.is_inlined, solution.outcome.message);
  writer.write(solution.outcome.status, solution.outcome.reason, solution.outcome.time);
  return writer.bytes();
}

struct Whole {
  std::string bytes;
  std::vector<RunState> states;
  double end = 0.0;
};

// Runs to the end and is stored on the way.
Whole run_whole(const Model& model, const Options& options, const std::vector<double>& pauses) {
  ModelRun run = ModelRun::start(model, options).value();
  Whole whole;
  for (const double t : pauses) {
    if (run.advance({.at = t}).value() != ModelRun::Stop::Paused) break;
    whole.states.push_back(run.state().value());
  }
  run.advance().value();
  const solution::Solution solution = run.finish();
  whole.end = solution.outcome.time;
  whole.bytes = bytes_of(solution);
  return whole;
}

void go_on_from_random_instants(const Case& one, Options options) {
  const Model& model = model_of(one);
  if (!ModelRun::start(model, options)) {  // it needs a fixed step
    options.step = 0.02;
    if (!ModelRun::start(model, options)) return;  // or another kind of model
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<double> instants(0.0, *options.stop);
  std::vector<double> pauses(20);
  for (double& t : pauses) t = instants(random);
  std::ranges::sort(pauses);
  const Whole whole = run_whole(model, options, pauses);
  EXPECT_TRUE(whole.bytes == bytes_of(simulate(model, options).value())) << one.name;
  for (const RunState& state : whole.states) {
    ModelRun rest = ModelRun::restore(model, options, state).value();
    EXPECT_EQ(rest.time(), state.time);
    EXPECT_TRUE(rest.state().value().bytes == state.bytes) << one.name << " at t = " << state.time;
    ASSERT_NE(rest.advance().value(), ModelRun::Stop::Paused);
    EXPECT_TRUE(bytes_of(rest.finish()) == whole.bytes) << one.name << " from t = " << state.time;
  }
}

class RunWithEveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(RunWithEveryMethod, GoesOnElsewhereToTheBit) {
  for (const Case& one : cases()) {
    Options options = one.options;
    options.method = GetParam();
    options.max_steps = 2000;  // some methods take thousands of steps, all of one kind
    options.inlining = Inlining::Auto;
    go_on_from_random_instants(one, options);
    options.inlining = Inlining::On;
    go_on_from_random_instants(one, options);
  }
}

// Code for steps is generated in the background, and used after a fixed number of further steps.
TEST(StoredRun, SwapsItsStepsWhereTheWholeRunDoes) {
  const Case& one = cases().front();
  Options options = one.options;
  options.method = "dopri5";
  options.max_step = 1e-4;
  const Model model = new_model_of(one);
  const Whole whole = run_whole(model, options, {2.0, 6.0, 9.4, 9.7});
  ASSERT_EQ(whole.states.size(), 4U);
  for (const RunState& state : whole.states) {
    const Model elsewhere = new_model_of(one);
    ModelRun rest = ModelRun::restore(elsewhere, options, state).value();
    ASSERT_EQ(rest.advance().value(), ModelRun::Stop::Ended);
    const solution::Solution solution = rest.finish();
    EXPECT_TRUE(solution.is_inlined);
    EXPECT_TRUE(bytes_of(solution) == whole.bytes) << " from t = " << state.time;
  }
}

TEST(StoredRun, GoesOnToALaterStop) {
  for (const Case& one : cases()) {
    const Model& model = model_of(one);
    Options options = one.options;
    ModelRun run = ModelRun::start(model, options).value();
    ASSERT_EQ(run.advance({.at = 2.0}).value(), ModelRun::Stop::Paused);
    const RunState state = run.state().value();
    options.stop = 2.0 * *options.stop;
    options.intervals = 2 * *options.intervals;
    const solution::Solution whole = simulate(model, options).value();
    ModelRun rest = ModelRun::restore(model, options, state).value();
    ASSERT_EQ(rest.advance().value(), ModelRun::Stop::Ended);
    const solution::Solution solution = rest.finish();
    EXPECT_EQ(solution.outcome.time, *options.stop);
    EXPECT_EQ(solution.table.rows(), whole.table.rows()) << one.name;
    for (const solution::Variable& variable : whole.table.variables) {
      EXPECT_NEAR(solution.final_value(variable.name), whole.final_value(variable.name), 0.1)
          << one.name << " " << variable.name;
    }
  }
}

// A run that has ended because of a limit of time or steps can be stored as well.
TEST(StoredRun, GoesOnFromWhereItsStepsWereSpent) {
  for (const Case& one : cases()) {
    const Model& model = model_of(one);
    Options options = one.options;
    const std::string whole = bytes_of(simulate(model, options).value());
    options.max_steps = 17;
    ModelRun run = ModelRun::start(model, options).value();
    ASSERT_EQ(run.advance().value(), ModelRun::Stop::Interrupted);
    const RunState state = run.state().value();
    EXPECT_EQ(run.finish().outcome.reason, solution::Reason::StepLimit);
    ModelRun rest = ModelRun::restore(model, one.options, state).value();
    ASSERT_EQ(rest.advance().value(), ModelRun::Stop::Ended);
    EXPECT_TRUE(bytes_of(rest.finish()) == whole) << one.name;
  }
}

TEST(StoredRun, IsNotFinishedBeforeItsFirstStep) {
  ModelRun run = ModelRun::start(model_of(cases().front()), usual).value();
  EXPECT_FALSE(run.state());  // there is nothing to store yet
  const solution::Solution solution = run.finish();
  EXPECT_EQ(solution.outcome.status, solution::Status::Terminated);
  EXPECT_EQ(solution.outcome.time, 0.0);
  EXPECT_EQ(run.advance().value(), ModelRun::Stop::Ended);
}

// Also along a surface, where the last row is one of the motion on it.
TEST(StoredRun, CanBeGivenUpAnywhere) {
  for (const Case& one : cases()) {
    const Model& model = model_of(one);
    for (const double at : {0.31, 1.13, 2.47, 3.59}) {
      ModelRun run = ModelRun::start(model, one.options).value();
      ASSERT_EQ(run.advance({.at = at}).value(), ModelRun::Stop::Paused);
      const double time = run.time();
      const solution::Solution solution = run.finish();
      EXPECT_EQ(solution.outcome.status, solution::Status::Terminated);
      EXPECT_EQ(solution.table.time(solution.table.rows() - 1), time) << one.name;
      for (const double cell : solution.table.cells) EXPECT_TRUE(std::isfinite(cell)) << one.name;
    }
  }
}

// Of a grid whose last interval was cut off.
TEST(StoredRun, HasTheRowsOfItsGridUpToALaterStop) {
  const Case& smooth = cases().front();
  Options options{.stop = 1.0, .interval = 0.3};
  ModelRun run = ModelRun::start(model_of(smooth), options).value();
  ASSERT_EQ(run.advance({.at = 1.0}).value(), ModelRun::Stop::Paused);
  const RunState state = run.state().value();
  options.stop = 2.0;
  ModelRun rest = ModelRun::restore(model_of(smooth), options, state).value();
  ASSERT_EQ(rest.advance().value(), ModelRun::Stop::Ended);
  const std::vector<double> times = rest.finish()["x"].time;
  const std::vector<double> expected = {0.0, 0.3, 0.6, 0.9, 1.0, 1.2, 1.5, 1.8, 2.0};
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-12);
}

std::string refusal_of(const Result<ModelRun>& run) { return run ? "none" : run.error().message; }

TEST(StoredRun, IsRefusedWhereItDoesNotBelong) {
  using testing::HasSubstr;
  const Case &smooth = cases()[0], &index3 = cases()[5];
  ModelRun run = ModelRun::start(model_of(smooth), usual).value();
  ASSERT_EQ(run.advance({.at = 2.0}).value(), ModelRun::Stop::Paused);
  RunState state = run.state().value();
  EXPECT_THAT(refusal_of(ModelRun::restore(model_of(index3), usual, state)),
              HasSubstr("of another model"));
  Options other = usual;
  other.method = "dopri5";
  EXPECT_THAT(refusal_of(ModelRun::restore(model_of(smooth), other, state)),
              HasSubstr("method = auto, not dopri5"));
  other = usual;
  other.intervals = 60;
  EXPECT_THAT(refusal_of(ModelRun::restore(model_of(smooth), other, state)),
              HasSubstr("output interval"));
  other = usual;
  other.stop = 1.0;
  EXPECT_THAT(refusal_of(ModelRun::restore(model_of(smooth), other, state)),
              HasSubstr("stop = 1 is before t = 2"));
  EXPECT_EQ(ModelRun::restore(model_of(smooth), other, state).error().code, "run-state");
  state.bytes[4] ^= 1;
  EXPECT_THAT(refusal_of(ModelRun::restore(model_of(smooth), usual, state)), HasSubstr("read"));
}

// Wherever the bytes end, there is an error and nothing worse.
TEST(StoredRun, IsRefusedWhereItIsCutOff) {
  for (const Case& one : cases()) {
    const Model& model = model_of(one);
    ModelRun run = ModelRun::start(model, one.options).value();
    ASSERT_EQ(run.advance({.at = 2.0}).value(), ModelRun::Stop::Paused);
    const RunState whole = run.state().value();
    for (std::size_t length = 0; length < whole.bytes.size(); length += 1 + length / 50) {
      const RunState cut{.time = whole.time, .bytes = whole.bytes.substr(0, length)};
      EXPECT_FALSE(ModelRun::restore(model, one.options, cut)) << one.name << " " << length;
    }
  }
}

// y' = -k y with another k, exactly from where the first run was.
TEST(StoredRun, IsTheStartOfRunsWithOtherParameters) {
  const Case decay{"decay",
                   R"(
model Decay
  parameter Real k = 1, level = 0.5;
  Real y(start = 1, fixed = true), z;
  discrete Real n(start = 0, fixed = true);
equation
  der(y) = -k * y;
  z = if y > level then 1 else -1;
  when y < level then
    n = pre(n) + 1;
  end when;
end Decay;
)",
                   {.stop = 3.0, .rtol = 1e-9}};
  const Model model = new_model_of(decay);
  ModelRun run = ModelRun::start(model, decay.options).value();
  ASSERT_EQ(run.advance({.at = 0.25}).value(), ModelRun::Stop::Paused);
  const RunState state = run.state().value();
  EXPECT_FALSE(check_that_can_change(model, {{"k", "-1"}}));
  EXPECT_EQ(check_that_can_change(model, {{"y", "2"}})->code, "usage.setting");
  const Model other = with_settings(model, {{"k", "-1"}, {"level", "0.9"}}).value();
  ModelRun from_there = ModelRun::start_from(other, decay.options, state).value();
  ASSERT_EQ(from_there.advance().value(), ModelRun::Stop::Ended);
  const solution::Solution solution = from_there.finish();
  EXPECT_EQ(solution["y"].time.front(), state.time);
  EXPECT_NEAR(solution["y"].values.front(), std::exp(-state.time), 1e-9);
  EXPECT_NEAR(solution.final_value("y"), std::exp(3.0 - 2.0 * state.time), 1e-7);
  EXPECT_EQ(solution["z"].values.front(), -1.0);  // below the new level
  EXPECT_EQ(solution["n"].values.front(), 1.0);   // this is an event
  EXPECT_EQ(solution.final_value("z"), 1.0);
}

std::vector<std::string> names_of_methods() {
  std::vector<std::string> names;
  for (const methods::Method& method : methods::all_methods())
    names.emplace_back(methods::name(method));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, RunWithEveryMethod, testing::ValuesIn(names_of_methods()),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace daedalus::engine
