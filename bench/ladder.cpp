// How the time of each phase grows with the model: an RC ladder of 500 to 8,000 equations, and a
// ladder of resistors that is one loop of as many, written out.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "daedalus/daedalus.hpp"

namespace {

// n sections of four equations: resistor, capacitor, and the two laws of Kirchhoff.
std::string ladder(int sections) {
  std::string declarations, equations;
  for (int k = 1; k <= sections; ++k) {
    declarations += fmt::format("  Real v{0}(start = 0, fixed = true), ur{0}, ir{0}, ic{0};\n", k);
    const std::string before = k == 1 ? "1" : fmt::format("v{}", k - 1);
    const std::string next = k == sections ? "0" : fmt::format("ir{}", k + 1);
    equations += fmt::format("  ur{0} = R * ir{0};\n  ic{0} = C * der(v{0});\n", k);
    equations += fmt::format("  ur{0} + v{0} = {1};\n  ir{0} = ic{0} + {2};\n", k, before, next);
  }
  return fmt::format("model Ladder\n  parameter Real R = 1, C = 1;\n{}equation\n{}end Ladder;\n",
                     declarations, equations);
}

// n sections of two equations, all of which depend on all others.
std::string resistors(int sections) {
  std::string declarations, equations;
  for (int k = 1; k <= sections; ++k) {
    declarations += fmt::format("  Real u{0}, i{0};\n", k);
    const std::string before = k == 1 ? "x" : fmt::format("u{}", k - 1);
    const std::string next = k == sections ? "0" : fmt::format("i{}", k + 1);
    equations +=
        fmt::format("  {1} - u{0} = R * i{0};\n  i{0} = G * u{0} + {2};\n", k, before, next);
  }
  return fmt::format(
      "model Resistors\n  parameter Real R = 1, G = 0.5;\n  Real x(start = 1, fixed = true);\n{}"
      "equation\n  der(x) = -i1;\n{}end Resistors;\n",
      declarations, equations);
}

std::map<std::string, double> measure(const std::string& text) {
  constexpr int repetitions = 3;
  std::map<std::string, double> best;
  for (int i = 0; i < repetitions; ++i) {
    const daedalus::Model model =
        daedalus::engine::compile(daedalus::engine::analyse_text(text, "ladder.mo", "").value())
            .value();
    const daedalus::Solution solution =
        daedalus::simulate(model, {.stop = 1.0, .intervals = 10}).value();
    if (!solution.outcome.finished()) fmt::print("not finished: {}\n", solution.outcome.message);
    for (const daedalus::Phase& phase : solution.phases) {
      const auto [entry, is_new] = best.emplace(phase.name, phase.seconds);
      if (!is_new) entry->second = std::min(entry->second, phase.seconds);
    }
    double total = 0.0;
    for (const daedalus::Phase& phase : solution.phases) total += phase.seconds;
    const auto [entry, is_new] = best.emplace("total", total);
    if (!is_new) entry->second = std::min(entry->second, total);
  }
  return best;
}

void print_table(const std::string& title, const std::function<std::string(int)>& model) {
  const std::vector<int> equations = {500, 1000, 2000, 4000, 8000};
  std::vector<std::map<std::string, double>> times;
  for (const int n : equations) times.push_back(measure(model(n)));
  fmt::print(
      "{}, written out: milliseconds for each phase (best of 3), and how they grow\n\n{:<16}",
      title, "phase");
  for (const int n : equations) fmt::print("{:>9} eq", n);
  fmt::print("{:>12}\n", "exponent");
  for (const auto& [phase, ignored] : times.front()) {
    fmt::print("{:<16}", phase);
    for (const auto& time : times) fmt::print("{:>12.2f}", 1e3 * time.at(phase));
    const double exponent = std::log(times.back().at(phase) / times.front().at(phase)) /
                            std::log(static_cast<double>(equations.back()) / equations.front());
    fmt::print("{:>12.2f}\n", exponent);
  }
}

}  // namespace

int main() {
  print_table("RC ladder", [](int equations) { return ladder(equations / 4); });
  print_table("\nResistors in one loop", [](int equations) { return resistors(equations / 2); });
}
