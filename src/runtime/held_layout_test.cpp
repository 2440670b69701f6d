#include "runtime/held_layout.hpp"

#include <gtest/gtest.h>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::runtime {
namespace {

using system::Held;

// The motion depends on the loop of z, not on that of w; a sampled count is held.
constexpr const char* text = R"(
model Loops
  Real x(start = 1, fixed = true), z(start = 2), w(start = 1);
  Integer n(start = 0, fixed = true);
equation
  der(x) = -z;
  z^3 + z = 10 * x;
  w^3 + w = z;
  when sample(0.5, 0.5) then
    n = pre(n) + 1;
  end when;
end Loops;
)";

struct Loops {
  Loops()
      : analysis(engine::analyse_text(text, "loops.mo", "").value()),
        layout(*analysis.structured),
        symbols(analysis.structured->symbol_count, 0.0),
        held(std::vector<double>(layout.size())) {
    for (double& number : held.change()) number = 0.0;
    layout.store(symbols, state, held);
  }
  double guess_at(double t) {
    layout.load_guesses(held, t, symbols);
    return symbols[layout.guesses().front()];
  }

  engine::Analysis analysis;
  HeldLayout layout;
  std::vector<double> symbols, ticks = {1.0};
  EventState state{.next_switch = 7.0,
                   .start = 0.0,
                   .any_is_seen = 1.0,
                   .watches_all = 0.0,
                   .next_ticks = ticks,
                   .is_reported = {}};
  Held held;
};

TEST(HeldLayout, KnowsWhichLoopsTheMotionFollows) {
  const Loops loops;
  EXPECT_TRUE(loops.layout.has_events());
  EXPECT_EQ(loops.layout.guesses().size(), 2u);
  EXPECT_EQ(loops.layout.followed().size(), 1u);
}

TEST(HeldLayout, GuessesGoOnAlongTheLastTwoSteps) {
  Loops loops;
  loops.layout.hold_guesses(1.0, std::vector{2.0}, loops.held);
  loops.layout.hold_guesses(2.0, std::vector{2.25}, loops.held);
  EXPECT_EQ(loops.guess_at(2.0), 2.25);
  EXPECT_EQ(loops.guess_at(3.0), 2.5);
  EXPECT_EQ(loops.guess_at(1.5), 2.25);   // not back
  EXPECT_EQ(loops.guess_at(90.0), 2.75);  // and not farther than two steps
  EXPECT_TRUE(loops.layout.looks_ahead(loops.held, 3.0));
}

TEST(HeldLayout, GuessesStayOnTheirSideOfZero) {
  Loops loops;
  loops.layout.hold_guesses(1.0, std::vector{10.0}, loops.held);
  loops.layout.hold_guesses(2.0, std::vector{1.0}, loops.held);
  EXPECT_EQ(loops.guess_at(3.0), 0.5);
}

TEST(HeldLayout, AnEventForgetsEarlierSolutions) {
  Loops loops;
  loops.layout.hold_guesses(1.0, std::vector{2.0}, loops.held);
  loops.layout.hold_guesses(2.0, std::vector{2.25}, loops.held);
  loops.symbols[loops.layout.guesses().front()] = 5.0;
  loops.symbols[0] = 2.5;
  loops.layout.store(loops.symbols, loops.state, loops.held);
  EXPECT_EQ(loops.guess_at(3.0), 5.0);
  EXPECT_FALSE(loops.layout.looks_ahead(loops.held, 3.0));
}

TEST(HeldLayout, StoresWhatItLoads) {
  Loops loops;
  loops.symbols[loops.layout.symbols().back()] = 3.0;
  loops.state.next_ticks[0] = 42.0;
  loops.layout.store(loops.symbols, loops.state, loops.held);
  EXPECT_EQ(loops.layout.next_switch(loops.held), 7.0);
  EXPECT_EQ(loops.layout.next_tick(0, loops.held), 42.0);
  loops.symbols.assign(loops.symbols.size(), 0.0);
  loops.state.next_ticks[0] = 0.0;
  loops.layout.load(loops.held, loops.symbols, loops.state);
  EXPECT_EQ(loops.symbols[loops.layout.symbols().back()], 3.0);
  EXPECT_EQ(loops.state.next_ticks[0], 42.0);
}

}  // namespace
}  // namespace daedalus::runtime
