#include "daedalus/reproduce/modrio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "daedalus/base/check.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::reproduce {
namespace {

using solution::StepRecord;

constexpr double lambda = -1000.0;

system::Functions equation() {
  system::Functions functions{.size = 1};
  functions.f = [](double t, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = lambda * (y[0] - std::cos(t)) - std::sin(t);
  };
  functions.jacobian = [](double, std::span<const double>, std::span<double> J) { J[0] = lambda; };
  functions.names = {"y"};
  return functions;
}

struct Steps final : solution::Recorder {
  std::vector<StepRecord>& all;

  explicit Steps(std::vector<StepRecord>& records) : all(records) {}
  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep& step) override {
    all.push_back({.t = step.end(), .h = step.end() - step.begin(), .error = step.error()});
    return solution::Recording::Continue;
  }
};

double median_of_second_half(const std::vector<StepRecord>& steps) {
  std::vector<double> sizes;
  for (const StepRecord& step : steps) {
    if (step.t > 0.5 * modrio_25_stop) sizes.push_back(step.h);
  }
  DAEDALUS_CHECK(!sizes.empty());
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

// The median and where five steps in a row reach half of it: a single long step of the start,
// followed by shorter ones of the multistep method, does not count.
void find_plateau(StartRun& run) {
  constexpr std::size_t enough = 5;
  run.plateau = median_of_second_half(run.steps);
  std::size_t in_a_row = 0;
  for (std::size_t k = 0; k < run.steps.size(); ++k) {
    in_a_row = run.steps[k].h >= 0.5 * run.plateau ? in_a_row + 1 : 0;
    if (in_a_row < enough) continue;
    run.steps_before = k + 1 - enough;
    break;
  }
  if (run.steps_before > 0) run.time_before = run.steps[run.steps_before - 1].t;
}

StartRun run(std::string words, const methods::RungeKutta* formula, double rtol) {
  const system::FunctionSystem system(equation());
  const auto start =
      formula == nullptr ? integrate::RungeKuttaStart::Never : integrate::RungeKuttaStart::Always;
  const auto integrator = integrate::make_integrator("bdf", system,
                                                     {.stop = modrio_25_stop,
                                                      .rtol = rtol,
                                                      .atol = {rtol},
                                                      .runge_kutta_start = start,
                                                      .starting_formula = formula})
                              .value();
  StartRun made{.start = std::move(words), .rtol = rtol};
  Steps recorder(made.steps);
  std::vector<double> y = {1.0};
  const solution::Outcome outcome = integrator->run(y, recorder);
  DAEDALUS_CHECK(outcome.finished());
  find_plateau(made);
  made.evaluations = integrator->statistics().f_evals;
  made.error = std::abs(y[0] - std::cos(modrio_25_stop)) / rtol;
  return made;
}

// Heun's method, of which it is the first half, estimates its error.
methods::RungeKutta explicit_euler() {
  return {.name = "euler with an estimate",
          .title = "",
          .source = "",
          .order = 1,
          .A = {{}, {1}},
          .b = {1, 0},
          .error = methods::Embedded{2, {methods::frac(1, 2), methods::frac(1, 2)}}};
}

// Decades of both axes, and their positions in the picture.
struct Axes {
  double width = 720.0, height = 450.0, left = 70.0, right = 20.0, top = 80.0, bottom = 50.0;
  int first_t = 0, last_t = 0, first_h = 0, last_h = 0;

  double x(double t) const {
    return left + (std::log10(t) - first_t) / (last_t - first_t) * (width - left - right);
  }
  double y(double h) const {
    return height - bottom -
           (std::log10(h) - first_h) / (last_h - first_h) * (height - top - bottom);
  }
};

Axes axes_for(const std::vector<StartComparison>& comparisons) {
  double least_t = modrio_25_stop, least_h = 1.0, most_h = 0.0;
  for (const StartComparison& one : comparisons) {
    for (const StartRun* run : {&one.euler, &one.implicit}) {
      for (const StepRecord& step : run->steps) {
        least_t = std::min(least_t, step.t);
        least_h = std::min(least_h, step.h);
        most_h = std::max(most_h, step.h);
      }
    }
  }
  const auto below = [](double value) { return static_cast<int>(std::floor(std::log10(value))); };
  return {.first_t = below(0.5 * least_t),
          .last_t = below(modrio_25_stop) + 1,
          .first_h = below(least_h),
          .last_h = below(most_h) + 1};
}

void draw_grid(const Axes& axes, std::string& text) {
  const auto out = std::back_inserter(text);
  const double bottom = axes.height - axes.bottom, right = axes.width - axes.right;
  for (int k = axes.first_t; k <= axes.last_t; ++k) {
    const double x = axes.x(std::pow(10.0, k));
    fmt::format_to(out, "<path class=\"g\" d=\"M{0:.1f} {1}V{2}\"/>\n", x, axes.top, bottom);
    fmt::format_to(out, "<text x=\"{0:.1f}\" y=\"{1}\" text-anchor=\"middle\">1e{2}</text>\n", x,
                   bottom + 18.0, k);
  }
  for (int k = axes.first_h; k <= axes.last_h; ++k) {
    const double y = axes.y(std::pow(10.0, k));
    fmt::format_to(out, "<path class=\"g\" d=\"M{0} {1:.1f}H{2}\"/>\n", axes.left, y, right);
    fmt::format_to(out, "<text x=\"{0}\" y=\"{1:.1f}\" text-anchor=\"end\">1e{2}</text>\n",
                   axes.left - 8.0, y + 4.0, k);
  }
  fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">time</text>\n",
                 0.5 * (axes.left + right), axes.height - 10.0);
}

struct Pen {
  const char* colour;
  const char* dashes;
  double legend;  // position of its line in the legend
};

// Every step as a horizontal line over its time, and its legend.
void draw_curve(const Axes& axes, const StartRun& run, const Pen& pen, std::string& text) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" "
                 "stroke-dasharray=\"{}\" points=\"",
                 pen.colour, pen.dashes);
  double begin = std::pow(10.0, axes.first_t);
  for (const StepRecord& step : run.steps) {
    fmt::format_to(out, "{0:.1f},{2:.1f} {1:.1f},{2:.1f} ", axes.x(begin), axes.x(step.t),
                   axes.y(step.h));
    begin = step.t;
  }
  const double middle = pen.legend - 4.0;
  fmt::format_to(out,
                 "\"/>\n<path d=\"M{} {}h30\" stroke=\"{}\" stroke-dasharray=\"{}\"/>"
                 "<text x=\"{}\" y=\"{}\">rtol {:.0e}, started with {}: {} steps to the "
                 "plateau, t = {:.2g}</text>\n",
                 axes.left, middle, pen.colour, pen.dashes, axes.left + 38.0, pen.legend, run.rtol,
                 run.start, run.steps_before, run.time_before);
}

}  // namespace

std::vector<StartComparison> modrio_25() {
  const methods::RungeKutta euler = explicit_euler();
  std::vector<StartComparison> made;
  for (const double rtol : {1e-3, 1e-6}) {
    made.push_back({.rtol = rtol,
                    .euler = run("explicit Euler", &euler, rtol),
                    .implicit = run("DIRK of order 3", methods::find_method("dirk32"), rtol),
                    .radau = run("Radau IIA of order 5", methods::find_method("radau5"), rtol),
                    .own = run("none: its own order 1", nullptr, rtol)});
  }
  return made;
}

double step_size_at(const StartRun& run, double t) {
  const auto covers = [&](const StepRecord& step) { return step.t >= t; };
  const auto found = std::ranges::find_if(run.steps, covers);
  DAEDALUS_CHECK(found != run.steps.end());
  return found->h;
}

std::string step_size_svg(const std::vector<StartComparison>& comparisons) {
  const Axes axes = axes_for(comparisons);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                 "viewBox=\"0 0 {0} {1}\">\n<style>text{{font:12px sans-serif;fill:#333}}"
                 ".g{{stroke:#ddd;fill:none}}</style>\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                 axes.width, axes.height);
  draw_grid(axes, text);
  double line = 20.0;
  for (std::size_t k = 0; k < comparisons.size(); ++k) {
    const char* const dashes = k % 2 == 0 ? "none" : "6 3";
    draw_curve(axes, comparisons[k].euler, {"#c0392b", dashes, line}, text);
    draw_curve(axes, comparisons[k].implicit, {"#1a1a1a", dashes, line + 16.0}, text);
    line += 32.0;
  }
  return text + "</svg>\n";
}

}  // namespace daedalus::reproduce
