// Ideal switches beside ideal diodes: modes without a solution on the way from one to the next.
#include "support.hpp"

namespace daedalus::engine {
namespace {

// A buck converter whose current freewheels through some diodes in parallel: when its switch opens,
// all of them have to conduct at once, as nothing else takes the current.
solution::Solution buck(int diodes, const std::string& on_resistance, const std::string& off) {
  return finished(fmt::format(R"(
model Buck
  parameter Real V = 10, L = 1e-3, R = 5, T = 1e-4, share = 0.4, Ron = {1}, Goff = {2};
  parameter Integer n = {0};
  Boolean is_on(start = true, fixed = true), off[n](each start = true);
  Real i(start = 0, fixed = true), q(start = 0, fixed = true), u, s[n], v[n], c[n], z, w, is;
equation
  when {{sample(T, T), sample(share * T, T)}} then
    is_on = not pre(is_on);
  end when;
  for k in 1:n loop
    off[k] = s[k] < 0;
    v[k] = s[k] * (if off[k] then 1 else Ron);
    c[k] = s[k] * (if off[k] then Goff else 1);
    u = -v[k];
  end for;
  w = z * (if is_on then 0 else 1);
  is = z * (if is_on then 1 else 0);
  is + sum(c) = i;
  V - w = u;
  L * der(i) = u - R * i;
  der(q) = u;
end Buck;
)",
                              diodes, on_resistance, off),
                  {.stop = 1e-3, .rtol = 1e-8});
}

TEST(IdealSwitches, HandTheirCurrentToADiode) {
  const solution::Solution solution = buck(1, "0", "0");
  EXPECT_NEAR(solution.final_value("q"), 4e-3, 1e-12);  // 0.4 of 10 V for 1 ms
  EXPECT_EQ(solution.statistics.events.time_events, 20U);
}

TEST(IdealSwitches, HandTheirCurrentToSeveralDiodesAtOnce) {
  for (const char* off : {"0", "1e-9"}) {
    const solution::Solution solution = buck(3, "1e-3", off);
    EXPECT_NEAR(solution.final_value("q"), 4e-3, 2e-7);
    const solution::Series whole = solution["i"], is_on = solution["is_on"];
    for (const char* name : {"c[1]", "c[2]", "c[3]"}) {
      const solution::Series part = solution[name];
      for (std::size_t row = 0; row < part.time.size(); ++row) {
        const double expected = is_on.values[row] != 0.0 ? 0.0 : whole.values[row] / 3.0;
        EXPECT_NEAR(part.values[row], expected, 1e-7) << name << " at " << part.time[row];
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::engine
