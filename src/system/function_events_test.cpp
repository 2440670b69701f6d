#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "daedalus/system/function_system.hpp"

namespace daedalus::system {
namespace {

FunctionSystem with(EventFunctions events) {
  return FunctionSystem(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> dydt) { dydt[0] = 1.0; },
       .names = {"x"},
       .events = std::move(events)});
}

TEST(FunctionEvents, SaysWhichComponentsAnEventChanged) {
  const FunctionSystem system = with({.settle = [](const Instant&, std::span<double> y) {
    y[0] += 2.0;
    return Settling{.iterations = 3};
  }});
  const auto scratch = system.make_scratch();
  Held held;
  std::vector<double> y = {1.0};
  Report report;
  EXPECT_EQ(system.events()->settle({.t = 0.5}, y, held, *scratch, &report).iterations, 3);
  const std::vector<Change>& changes = report.changes;
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].name, "x");
  EXPECT_EQ(changes[0].before, 1.0);
  EXPECT_EQ(changes[0].after, 3.0);
}

TEST(FunctionEvents, HasNoTimeEventsAndNoChecksUnlessTheyAreGiven) {
  const FunctionSystem system =
      with({.settle = [](const Instant&, std::span<double>) { return Settling{}; }});
  const auto scratch = system.make_scratch();
  Held held;
  const std::vector<double> y = {1.0};
  EXPECT_EQ(system.events()->next_time_event(0.0, held), std::numeric_limits<double>::infinity());
  EXPECT_EQ(system.events()->check(0.0, y, held, *scratch).end, Settling::End::Settled);
  EXPECT_EQ(system.events()->indicator_count(), 0u);
}

TEST(FunctionEvents, NoticesAnIndicatorThatIsNotFinite) {
  const FunctionSystem system =
      with({.sources = {{"g < 0"}},
            .indicators = [](double, std::span<const double> y,
                             std::span<double> margins) { margins[0] = std::log(y[0]); },
            .settle = [](const Instant&, std::span<double>) { return Settling{}; }});
  const auto scratch = system.make_scratch();
  const Held held;
  std::vector<double> margins(1);
  const std::vector<double> inside = {1.0}, outside = {0.0};
  EXPECT_EQ(system.events()->indicators(0.0, inside, margins, {held, *scratch}),
            Evaluation::Defined);
  EXPECT_EQ(system.events()->indicators(0.0, outside, margins, {held, *scratch}),
            Evaluation::Undefined);
}

TEST(FunctionEvents, AreMissingWhereNoneAreGiven) {
  const FunctionSystem system(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> dydt) { dydt[0] = 1.0; }});
  EXPECT_EQ(system.events(), nullptr);
}

}  // namespace
}  // namespace daedalus::system
