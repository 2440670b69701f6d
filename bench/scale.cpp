// How time and memory of the compiler's phases grow with the model: arrays with loops up to a
// million equations, and a chain that is written out.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "daedalus/daedalus.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/runtime/model_system.hpp"

namespace {

// n x n nodes, each a capacitor, with resistors between neighbours.
std::string grid(int n) {
  return fmt::format(R"(model Grid
  parameter Integer n = {};
  parameter Real R = 1, C = 1;
  Real v[n, n](each start = 0, each fixed = true), ix[n + 1, n], iy[n, n + 1];
equation
  for i in 1:n, j in 1:n loop
    C * der(v[i, j]) = ix[i, j] - ix[i + 1, j] + iy[i, j] - iy[i, j + 1];
  end for;
  for k in 1:n loop
    R * ix[1, k] = 1 - v[1, k];
    ix[n + 1, k] = 0;
    iy[k, 1] = 0;
    iy[k, n + 1] = 0;
  end for;
  for i in 2:n, j in 1:n loop
    R * ix[i, j] = v[i - 1, j] - v[i, j];
    R * iy[j, i] = v[j, i - 1] - v[j, i];
  end for;
end Grid;
)",
                     n);
}

// n sections, each with an inductance and a capacitance.
std::string line(int n) {
  return fmt::format(R"(model Line
  parameter Integer n = {};
  parameter Real L = 1 / n, C = 1 / n, R = 0.1 / n, G = 0.1 / n;
  Real v[n](each start = 0, each fixed = true), i[n](each start = 0, each fixed = true);
equation
  L * der(i[1]) = sin(time) - v[1] - R * i[1];
  for k in 2:n loop
    L * der(i[k]) = v[k - 1] - v[k] - R * i[k];
  end for;
  for k in 1:n - 1 loop
    C * der(v[k]) = i[k] - i[k + 1] - G * v[k];
  end for;
  C * der(v[n]) = i[n] - v[n];
end Line;
)",
                     n);
}

// n sections of four equations: resistor, capacitor, and the two laws of Kirchhoff.
std::string chain(int n) {
  std::string declarations, equations;
  for (int k = 1; k <= n; ++k) {
    declarations += fmt::format("  Real v{0}(start = 0, fixed = true), ur{0}, ir{0}, ic{0};\n", k);
    const std::string before = k == 1 ? "1" : fmt::format("v{}", k - 1);
    const std::string next = k == n ? "0" : fmt::format("ir{}", k + 1);
    equations += fmt::format("  ur{0} = R * ir{0};\n  ic{0} = C * der(v{0});\n", k);
    equations += fmt::format("  ur{0} + v{0} = {1};\n  ir{0} = ic{0} + {2};\n", k, before, next);
  }
  return fmt::format("model Chain\n  parameter Real R = 1, C = 1;\n{}equation\n{}end Chain;\n",
                     declarations, equations);
}

// n resistors along and n across, all in one loop.
std::string loop(int n) {
  return fmt::format(R"(model Loop
  parameter Integer n = {};
  parameter Real R = 1, G = 0.5;
  Real x(start = 1, fixed = true), u[n], i[n];
equation
  der(x) = -i[1];
  x - u[1] = R * i[1];
  for k in 2:n loop
    u[k - 1] - u[k] = R * i[k];
  end for;
  for k in 1:n - 1 loop
    i[k] = G * u[k] + i[k + 1];
  end for;
  i[n] = G * u[n];
end Loop;
)",
                     n);
}

// The cost of one model, measured in a process of its own, because the peak memory of a process
// never shrinks.
struct Measurement {
  double equations = 0.0;
  double bytes = 0.0;       // beyond those of the program with a small model
  double evaluation = 0.0;  // seconds for the derivatives at one point
  std::vector<std::pair<std::string, double>> phases;
};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void measure(const std::string& text, std::ostream& out) {
  const bool warm =
      daedalus::engine::compile(daedalus::engine::analyse_text(chain(1), "small.mo", "").value())
          .has_value();
  if (!warm) std::abort();
  const std::size_t before = daedalus::peak_memory();  // of the program and LLVM
  daedalus::Result<daedalus::engine::Analysis> analysis =
      daedalus::engine::analyse_text(text, "model.mo", "");
  const std::size_t equations = analysis->structured->equation_count;
  const daedalus::Model model = daedalus::engine::compile(std::move(*analysis)).value();
  const double initialise = seconds_of([&] { model.system->initialise(0.0); });
  auto scratch = model.system->make_scratch();
  const daedalus::system::Held held = model.system->make_held();
  const std::size_t after = daedalus::peak_memory();
  std::vector<double> y(model.system->size(), 0.1), dydt(y.size());
  constexpr int repetitions = 5;
  double evaluation = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    evaluation = std::min(
        evaluation, seconds_of([&] { model.system->derivatives(0.1, y, dydt, {held, *scratch}); }));
  }
  out << equations << ' ' << after - before << ' ' << evaluation << '\n';
  for (const daedalus::Phase& phase : model.phases)
    out << phase.seconds << ' ' << phase.name << '\n';
  out << initialise << " initialise\n";
}

Measurement measured(const std::string& text) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    std::ostringstream out;
    out.precision(17);
    measure(text, out);
    const std::string result = out.str();
    if (write(ends[1], result.data(), result.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    result.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Measurement measurement;
  std::istringstream in(result);
  in >> measurement.equations >> measurement.bytes >> measurement.evaluation;
  double seconds = 0.0;
  for (std::string name; in >> seconds && std::getline(in >> std::ws, name);)
    measurement.phases.emplace_back(name, seconds);
  if (status != 0 || measurement.phases.empty()) {
    fmt::print(stderr, "a measurement failed\n");
    std::exit(1);
  }
  return measurement;
}

Measurement best_of(int repetitions, const std::string& text) {
  Measurement best = measured(text);
  for (int i = 1; i < repetitions; ++i) {
    const Measurement next = measured(text);
    for (std::size_t p = 0; p < best.phases.size(); ++p)
      best.phases[p].second = std::min(best.phases[p].second, next.phases[p].second);
    best.evaluation = std::min(best.evaluation, next.evaluation);
  }
  return best;
}

// The growth of time or memory over the two largest models: 1 is proportional to the equations.
void print_row(const std::string& name, const std::vector<Measurement>& all,
               const std::function<double(const Measurement&)>& quantity, double unit) {
  fmt::print("{:<28}", name);
  for (const Measurement& one : all) fmt::print("{:>14.2f}", quantity(one) / one.equations * unit);
  const Measurement &last = all.back(), &before = all[all.size() - 2];
  fmt::print("{:>10.2f}\n", std::log(quantity(last) / quantity(before)) /
                                std::log(last.equations / before.equations));
}

void print_table(const std::string& title, std::string (*text)(int),
                 const std::vector<int>& sizes) {
  std::vector<Measurement> all;
  constexpr int repetitions = 3;
  for (const int n : sizes) all.push_back(best_of(repetitions, text(n)));
  fmt::print("{}\n{:<28}", title, "equations");
  for (const Measurement& one : all) fmt::print("{:>14.0f}", one.equations);
  fmt::print("{:>10}\n", "exponent");
  constexpr double microseconds = 1e6, nanoseconds = 1e9;
  for (std::size_t p = 0; p < all.front().phases.size(); ++p) {
    print_row(
        all.front().phases[p].first + ", us/equation", all,
        [p](const Measurement& one) { return one.phases[p].second; }, microseconds);
  }
  print_row(
      "all, us/equation", all,
      [](const Measurement& one) {
        double sum = 0.0;
        for (const auto& [name, seconds] : one.phases) sum += seconds;
        return sum;
      },
      microseconds);
  print_row("memory, bytes/equation", all, [](const Measurement& one) { return one.bytes; }, 1.0);
  print_row(
      "evaluation, ns/equation", all, [](const Measurement& one) { return one.evaluation; },
      nanoseconds);
  fmt::print("\n");
}

}  // namespace

int main() {
  print_table("RC grid, with loops", grid, {58, 183, 577});
  print_table("transmission line, with loops", line, {5'000, 50'000, 500'000});
  print_table("RC chain, written out", chain, {90, 900, 9'000});
  print_table("resistors in one loop", loop, {500, 5'000, 50'000});
}
