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

StartRun run(std::string words, integrate::RungeKuttaStart start) {
  const system::FunctionSystem system(equation());
  const auto integrator = integrate::make_integrator("bdf", system,
                                                     {.stop = modrio_25_stop,
                                                      .rtol = modrio_25_rtol,
                                                      .atol = {modrio_25_rtol},
                                                      .runge_kutta_start = start})
                              .value();
  StartRun made{.start = std::move(words)};
  Steps recorder(made.steps);
  std::vector<double> y = {1.0};
  const solution::Outcome outcome = integrator->run(y, recorder);
  DAEDALUS_CHECK(outcome.finished());
  made.plateau = median_of_second_half(made.steps);
  for (const StepRecord& step : made.steps) {
    if (step.h >= 0.5 * made.plateau) break;
    ++made.steps_before;
    made.time_before = step.t;
  }
  made.evaluations = integrator->statistics().f_evals;
  made.error = std::abs(y[0] - std::cos(modrio_25_stop)) / modrio_25_rtol;
  return made;
}

// Decades of both axes, and where they are drawn.
struct Axes {
  double width = 720.0, height = 420.0, left = 70.0, right = 20.0, top = 50.0, bottom = 50.0;
  int first_t = 0, last_t = 0, first_h = 0, last_h = 0;

  double x(double t) const {
    return left + (std::log10(t) - first_t) / (last_t - first_t) * (width - left - right);
  }
  double y(double h) const {
    return height - bottom -
           (std::log10(h) - first_h) / (last_h - first_h) * (height - top - bottom);
  }
};

Axes axes_for(const std::vector<StartRun>& runs) {
  double least_t = modrio_25_stop, least_h = 1.0, most_h = 0.0;
  for (const StartRun& one : runs) {
    for (const StepRecord& step : one.steps) {
      least_t = std::min(least_t, step.t);
      least_h = std::min(least_h, step.h);
      most_h = std::max(most_h, step.h);
    }
  }
  const auto below = [](double value) { return static_cast<int>(std::floor(std::log10(value))); };
  return {.first_t = below(least_t),
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

}  // namespace

std::vector<StartRun> modrio_25() {
  std::vector<StartRun> runs;
  runs.push_back(run("by itself, with order 1", integrate::RungeKuttaStart::Never));
  runs.push_back(run("with Radau IIA steps", integrate::RungeKuttaStart::Always));
  return runs;
}

std::string step_size_svg(const std::vector<StartRun>& runs) {
  constexpr std::array<const char*, 2> colours = {"#c0392b", "#1a1a1a"};
  const Axes axes = axes_for(runs);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                 "viewBox=\"0 0 {0} {1}\">\n<style>text{{font:12px sans-serif;fill:#333}}"
                 ".g{{stroke:#ddd;fill:none}}</style>\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                 axes.width, axes.height);
  draw_grid(axes, text);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const char* colour = colours[k % colours.size()];
    fmt::format_to(out, "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"",
                   colour);
    for (const StepRecord& step : runs[k].steps)
      fmt::format_to(out, "{:.1f},{:.1f} ", axes.x(step.t), axes.y(step.h));
    fmt::format_to(out,
                   "\"/>\n<text x=\"{}\" y=\"{}\" style=\"fill:{}\">started {}: {} steps to "
                   "the plateau</text>\n",
                   axes.left, 20.0 + 16.0 * static_cast<double>(k), colour, runs[k].start,
                   runs[k].steps_before);
  }
  return text + "</svg>\n";
}

}  // namespace daedalus::reproduce
