#include "report/page_data.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace daedalus::report {
namespace {

using nlohmann::json;

solution::Solution wide(std::size_t columns, std::size_t rows) {
  solution::Solution run;
  run.table.width = columns + 1;
  run.table.cells.assign(run.table.width * rows, 1.0);
  for (std::size_t i = 0; i < columns; ++i) {
    run.table.variables.push_back({.name = fmt::format("x{}", i), .place = i + 1});
  }
  return run;
}

json data(const solution::Solution& run, const PageLimits& limits = {}) {
  return json::parse(page_data({.model = "M"}, run, "today", limits));
}

TEST(PageData, HoldsNoAngleBracketThatCouldEndItsElement) {
  solution::Solution run = wide(1, 2);
  run.table.variables[0].name = "</script><script>alert(1)</script><!--";
  run.outcome.message = "a < b";
  const std::string text = page_data({.model = "<M>"}, run, "today");
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(json::parse(text)["variables"][0][0], "</script><script>alert(1)</script><!--");
}

TEST(PageData, LetsAliasesShareAColumn) {
  solution::Solution run = wide(1, 2);
  run.table.variables.push_back({.name = "minus", .place = 1, .sign = -1});
  const json result = data(run);
  EXPECT_EQ(result["columns"].size(), 1U);
  EXPECT_EQ(result["variables"][1], json({"minus", "", "", "real", 0, -1}));
}

TEST(PageData, WritesNoNumberAsNull) {
  solution::Solution run = wide(1, 1);
  run.table.cells[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(data(run)["columns"][0][0].is_null());
}

TEST(PageData, TellsWhichMethodTookWhichSteps) {
  solution::Solution run = wide(1, 1);
  EXPECT_EQ(data(run)["switches"], json::array());
  run.statistics.switches = {{.to = "erk32"}, {.t = 0.5, .from = "erk32", .to = "dirk32"}};
  const json expected = {{{"t", 0.0}, {"to", "erk32"}}, {{"t", 0.5}, {"to", "dirk32"}}};
  EXPECT_EQ(data(run)["switches"], expected);
}

TEST(PageData, ThinsLongRunsAndSaysSo) {
  const json result = data(wide(2, 10'000), {.zoomed = 0});
  EXPECT_EQ(result["totals"]["rows"], 10'000);
  EXPECT_LE(result["time"].size(), 4000U);
  EXPECT_EQ(result["totals"]["points"], result["time"].size());
  EXPECT_EQ(result["columns"][1].size(), result["time"].size());
}

TEST(PageData, GivesWideTablesFewerPointsThenFewerColumns) {
  const PageLimits limits{.points = 100, .least_points = 20, .numbers = 400, .zoomed = 0};
  const json ten = data(wide(10, 1000), limits);
  EXPECT_EQ(ten["columns"].size(), 10U);
  EXPECT_EQ(ten["time"].size(), 40U);
  const json thousand = data(wide(1000, 1000), limits);
  EXPECT_EQ(thousand["columns"].size(), 20U);
  EXPECT_EQ(thousand["variables"].size(), 20U);
  EXPECT_EQ(thousand["time"].size(), 20U);
  EXPECT_EQ(thousand["totals"]["columns"], 1000);
}

// A plot shows 4000 points at once; more are available when zooming, if they are cheap.
TEST(PageData, KeepsMorePointsOfFewColumns) {
  EXPECT_EQ(data(wide(2, 10'000))["time"].size(), 10'000U);
  EXPECT_EQ(data(wide(2, 10'000), {.zoomed = 16'000})["time"].size(), 8000U);
  EXPECT_EQ(data(wide(20, 10'000), {.zoomed = 16'000})["time"].size(), 4000U);
}

// Every second element of each array, and whatever is in no array.
TEST(PageData, TakesElementsOfArraysEvenlyWhereNotAllFit) {
  solution::Solution run = wide(201, 10);
  for (std::size_t i = 0; i < 200; ++i)
    run.table.variables[i].name = fmt::format("pipe[{}].{}", i / 2 + 1, i % 2 == 0 ? "T" : "p");
  run.table.variables[200].name = "mean";
  const json result = data(run, {.points = 10, .least_points = 10, .numbers = 1010, .zoomed = 0});
  std::vector<std::string> names;
  for (const json& variable : result["variables"]) names.push_back(variable[0]);
  ASSERT_EQ(names.size(), 101U);
  EXPECT_EQ(names[0], "pipe[1].T");
  EXPECT_EQ(names[1], "pipe[1].p");
  EXPECT_EQ(names[2], "pipe[3].T");
  EXPECT_EQ(names[99], "pipe[99].p");
  EXPECT_EQ(names[100], "mean");
  EXPECT_EQ(result["totals"]["columns"], 201);
}

// The axis is not for steps that end at an event, or for the first ones after it.
TEST(PageData, FindsTheLeastStepThatNoEventCutShort) {
  solution::Solution run = wide(1, 2);
  run.events.records = {{.t = 1.0}};
  run.history = {{.t = 0.5, .h = 0.5},   {.t = 1.0 - 1e-12, .h = 0.5 - 1e-12},
                 {.t = 1.0, .h = 1e-12}, {.t = 1.0 + 1e-7, .h = 1e-7},
                 {.t = 1.05, .h = 0.05}, {.t = 2.0, .h = 0.95}};
  const json history = data(run)["history"];
  EXPECT_EQ(history["least"], 0.05);
  EXPECT_EQ(history["at_events"], 2);
  EXPECT_EQ(history["h"].size(), 6U);
  run.events.records.clear();
  EXPECT_EQ(data(run)["history"]["least"], 1e-12);
  EXPECT_EQ(data(run)["history"]["at_events"], 0);
  EXPECT_EQ(data({})["history"]["least"], 0);
}

TEST(PageData, RoundsOnlyWhatWouldMakeThePageLarge) {
  solution::Solution run = wide(1, 2);
  run.table.cells[1] = 1.0 + 1e-12;
  EXPECT_EQ(data(run)["columns"][0][0], 1.0 + 1e-12);
  EXPECT_EQ(data(run, {.exact = 1})["columns"][0][0], 1);
}

TEST(PageData, CapsNamesAndParameters) {
  solution::Solution run = wide(1, 1);
  for (int i = 0; i < 5; ++i) {
    run.table.variables.push_back({.name = "alias", .place = 1});
    run.table.variables.push_back({.name = "p", .is_constant = true, .place = 0});
  }
  run.table.constants = {1.5};
  const json result = data(run, {.variables = 3, .parameters = 2});
  EXPECT_EQ(result["variables"].size(), 3U);
  EXPECT_EQ(result["totals"]["variables"], 6);
  EXPECT_EQ(result["parameters"].size(), 2U);
  EXPECT_EQ(result["totals"]["parameters"], 5);
}

TEST(PageData, WritesParametersAsTheirKindIsRead) {
  solution::Solution run;
  run.table.variables = {
      {.name = "on", .kind = solution::Kind::Boolean, .is_constant = true, .place = 0},
      {.name = "n", .kind = solution::Kind::Integer, .is_constant = true, .place = 1},
      {.name = "R", .unit = "Ohm", .is_constant = true, .place = 2, .sign = -1}};
  run.table.constants = {1.0, 1e6, 0.1};
  const json rows = data(run)["parameters"];
  EXPECT_EQ(rows[0][1], "true");
  EXPECT_EQ(rows[1][1], "1000000");
  EXPECT_EQ(rows[2], json({"R", "-0.1", "Ohm", ""}));
}

TEST(PageData, NamesEachPhaseOnce) {
  solution::Solution run;
  run.phases = {{"compile", 9.0}, {"integrate", 2.0}};
  const json phases = json::parse(page_data({.phases = {{"compile", 1.0}}}, run, ""))["phases"];
  EXPECT_EQ(phases, json::parse(R"([["compile", 1.0], ["integrate", 2.0]])"));
}

TEST(PageData, RanksStatesAndCapsThem) {
  solution::Solution run;
  run.outcome.time = 3.0;
  for (std::size_t i = 0; i < 40; ++i) {
    run.states.push_back(fmt::format("x{}", i));
    run.statistics.largest_errors.push_back({.attempts = i, .rejected = i / 2});
  }
  const json effort = data(run)["effort"];
  EXPECT_EQ(effort["judged"], 39 * 40 / 2);
  EXPECT_EQ(effort["states"].size(), 12U);
  EXPECT_EQ(effort["states"][0], json({"x39", 39, 19}));
  EXPECT_EQ(effort["more_states"], 27);
  EXPECT_EQ(effort["all_states"], 40);
}

TEST(PageData, NamesCausesAndStretchesOfTime) {
  solution::Solution run;
  run.outcome.time = 3.0;
  run.statistics.jacobians_by[solution::JacobianCause::RejectedNewton] = 4;
  run.statistics.factorizations_by[solution::FactorizationCause::StepChanged] = 5;
  run.statistics.over_time.attempt(1.0);
  run.statistics.over_time.attempt(2.5);
  run.statistics.over_time.reject();
  run.states = {"x", "y"};
  run.statistics.unstable.push_back({.since = 1.0,
                                     .seen = 2.0,
                                     .until = 3.0,
                                     .rate = 4.0,
                                     .growth = 6.0,
                                     .states = {{{1, 0.9}, {0, 0.1}, {}}}});
  const json effort = data(run)["effort"];
  ASSERT_EQ(effort["unstable"].size(), 1U);
  EXPECT_EQ(effort["unstable"][0],
            "unstable from t = 1 to 3 s: small changes grew at up to 4 1/s, by a factor of 4e+02, "
            "most of `y` (90 %), `x` (10 %)");
  EXPECT_EQ(effort["jacobians_by"][4], json({"rejected_newton", 4}));
  EXPECT_EQ(effort["factorizations_by"][1], json({"step_changed", 5}));
  EXPECT_EQ(effort["slices"], json::parse("[[1.0, 2.5, 1, 0], [2.5, 3.0, 1, 1]]"));
  EXPECT_EQ(effort["busiest_half"], json::parse("[2.5, 3.0, 1, 1]"));
}

TEST(PageData, IsWholeForARunThatNeverStarted) {
  const json result = data({});
  EXPECT_EQ(result["time"], json::array());
  EXPECT_EQ(result["columns"], json::array());
  EXPECT_TRUE(result["outcome"]["time"].is_null());
}

TEST(PageData, HasABandForEachColumnOfARunThatWasMadeTwice) {
  const solution::Solution run = wide(2, 10);
  solution::Table second = run.table;
  second.cells[3 * 9 + 2] = 1.5;  // x1 in the last row
  for (std::size_t row = 0; row < 10; ++row) second.cells[3 * row] = 1.0 + static_cast<double>(row);
  solution::Solution timed = run;
  for (std::size_t row = 0; row < 10; ++row)
    timed.table.cells[3 * row] = 1.0 + static_cast<double>(row);
  const RunDescription described{.model = "M", .second = &second, .second_name = "rodas5p"};
  const json result = json::parse(page_data(described, timed, "today"));
  EXPECT_EQ(result["second"], "rodas5p");
  ASSERT_EQ(result["bands"].size(), 2U);
  EXPECT_EQ(result["bands"][0][9], 0);
  EXPECT_EQ(result["bands"][1][9], 0.5);
  EXPECT_FALSE(data(run).contains("bands"));
}

TEST(PageData, TellsOfEvents) {
  solution::Solution run = wide(2, 10);
  run.statistics.events.instants = 3;
  run.statistics.events.state_events = 2;
  run.statistics.events.time_events = 1;
  run.statistics.events.by_indicator = {0, 2};
  run.events.causes = {{.text = "x > 9"}, {.text = "h < 0"}};
  run.events.records.push_back({.t = 0.5, .causes = {1}, .changes = {{"v", -2.0, 1.5}}});
  run.events.records.push_back({.t = 1.0, .is_time_event = true});
  const json events = data(run)["events"];
  EXPECT_EQ(events["instants"], 3);
  EXPECT_EQ(events["sources"], json::array({json::array({"h < 0", 2})}));
  EXPECT_EQ(events["records"][0]["causes"], json::array({"h < 0"}));
  EXPECT_EQ(events["records"][0]["changes"][0], json::array({"v", -2.0, 1.5}));
  EXPECT_EQ(events["records"].size(), 2U);
}

}  // namespace
}  // namespace daedalus::report
