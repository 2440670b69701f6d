#include "hybrid/lookout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "daedalus/system/function_system.hpp"

namespace daedalus::hybrid {
namespace {

// y falls from 1 to 0.9; what is known of it without further evaluations is far off.
struct Falling final : solution::DenseStep {
  Falling() : DenseStep(0.0, 1.0, 0.0) {}
  std::span<const double> end_state() const override { return end_value; }
  void at(double t, std::span<double> y) const override { y[0] = 1.0 - 0.1 * t; }
  void roughly_at(double, std::span<double> y) const override { y[0] = -1.0; }

  std::vector<double> end_value = {0.9};
};

TEST(Lookout, LooksCloserWhereARoughPointIsOutsideOfTheDomain) {
  const system::FunctionSystem system(
      {.size = 1,
       .f = [](double, std::span<const double>, std::span<double> f) { f[0] = -0.1; },
       .events = system::EventFunctions{
           .sources = {{"sqrt(y) < 0.5"}},
           .indicators = [](double, std::span<const double> y,
                            std::span<double> margins) { margins[0] = std::sqrt(y[0]) - 0.5; },
           .settle = [](const system::Instant&, std::span<double>) -> system::Settling {
             return {};
           }}});
  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  solution::EventCounts counts;
  const Options options{};
  Lookout lookout(*system.events(), *scratch, counts, 1, options);
  ASSERT_TRUE(lookout.begin_arc(0.0, std::vector{1.0}));
  EXPECT_EQ(lookout.look(Falling()), Lookout::Sight::Nothing);
}

}  // namespace
}  // namespace daedalus::hybrid
