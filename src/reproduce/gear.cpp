#include "daedalus/reproduce/gear.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/integrate/integrator.hpp"

namespace daedalus::reproduce {
namespace {

using Vector = std::span<const double>;
using Output = std::span<double>;

constexpr std::array<std::array<double, 4>, 4> b = {{{447.50025, -452.49975, -47.49975, -52.50025},
                                                     {-452.49975, 447.50025, 52.50025, 47.49975},
                                                     {-47.49975, 52.50025, 447.50025, 452.49975},
                                                     {-52.50025, 47.49975, 452.49975, 447.50025}}};

struct Time {
  double t;
  std::array<double, 4> solution;  // y1 to y4, from the closed form
};

constexpr std::array<Time, 2> times = {
    {{0.01, {-1.042023775635157, -1.041734086248960, 0.05159957369716856, -0.05197997223785451}},
     {1000.0, {-5.000290528743729, -5.000290528743729, 4.999709471256271, -4.999709471256271}}}};

constexpr std::array<std::array<GearFigures, 5>, 2> published = {
    {{{{3.8e-5, 1.2e-7, 2.2e-9, 5.4e-10, 3.2e-13, 41, 197, 12},
       {4.8e-7, 1.8e-6, 7.5e-10, 4.4e-11, 2.5e-10, 55, 235, 13},
       {2.7e-7, 3.3e-7, 3.4e-11, 7.8e-12, 6.7e-15, 70, 270, 13},
       {6.2e-8, 2.7e-7, 7.3e-13, 0.0, 2.2e-16, 85, 377, 18},
       {1.7e-9, 2.8e-8, 2.0e-12, 5.0e-13, 2.2e-16, 137, 608, 27}}},
     {{{1.0e-5, 3.3e-3, 4.9e-10, 4.5e-12, 4.2e-11, 168, 937, 54},
       {1.1e-5, 4.7e-4, 1.6e-11, 2.1e-12, 2.0e-11, 214, 1059, 53},
       {1.1e-6, 2.0e-5, 3.8e-13, 1.2e-13, 2.1e-13, 305, 1389, 61},
       {4.7e-7, 1.4e-6, 3.6e-15, 0.0, 3.6e-15, 379, 1779, 75},
       {3.8e-8, 5.3e-5, 0.0, 3.6e-15, 7.1e-15, 530, 2894, 138}}}}};

// The left sides of the first four equations, which contain only y1 to y4.
void first_four(Vector y, Vector slope, Output F) {
  const double r = 0.5 * (y[0] + y[1] + y[2] + y[3]);
  double s = 0.0;
  for (std::size_t i = 0; i < 4; ++i) s += 0.5 * (r - y[i]) * (r - y[i]);
  for (std::size_t i = 0; i < 4; ++i) {
    F[i] = slope[i] - s + (r - y[i]) * (r - y[i]);
    for (std::size_t j = 0; j < 4; ++j) F[i] += b[i][j] * y[j];
  }
}

void derivatives(double, Vector y, Output dydt) {
  constexpr std::array<double, 4> no_slope = {};
  first_four(y, no_slope, dydt);
  for (double& derivative : dydt) derivative = -derivative;
}

void residual(double t, Vector y, Vector slope, Output F) {
  first_four(y, slope, F);
  F[4] = slope[4] + y[0] * slope[5] + slope[0] * y[5];
  F[5] = 2.0 * y[5] + y[5] * y[5] * y[5] - y[0] + y[6] - 1.0 - std::exp(-t);
  F[6] = y[6] - y[7] + y[0] * y[5];
  F[7] = y[6] + y[7] + 5.0 * y[0] * y[1];
}

// Column by column.
void residual_jacobian(double, Vector y, Vector slope, double a, Output values) {
  const auto entry = [&](std::size_t i, std::size_t j) -> double& { return values[8 * j + i]; };
  const double r = 0.5 * (y[0] + y[1] + y[2] + y[3]);
  const double sum = 4.0 * r - 2.0 * r;  // of r - y[i]
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const double is_same = i == j ? 1.0 : 0.0;
      const double of_s = 0.5 * sum - (r - y[j]);
      entry(i, j) = a * is_same - of_s + 2.0 * (r - y[i]) * (0.5 - is_same) + b[i][j];
    }
  }
  entry(4, 0) = slope[5] + a * y[5];
  entry(4, 4) = a;
  entry(4, 5) = a * y[0] + slope[0];
  entry(5, 0) = -1.0;
  entry(5, 5) = 2.0 + 3.0 * y[5] * y[5];
  entry(5, 6) = 1.0;
  entry(6, 0) = y[5];
  entry(6, 5) = y[0];
  entry(6, 6) = 1.0;
  entry(6, 7) = -1.0;
  entry(7, 0) = 5.0 * y[1];
  entry(7, 1) = 5.0 * y[0];
  entry(7, 6) = 1.0;
  entry(7, 7) = 1.0;
}

struct Silent final : solution::Recorder {
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

double largest_error(Vector y, const Time& time) {
  double largest = 0.0;
  for (std::size_t i = 0; i < 4; ++i)
    largest = std::max(largest, std::abs(y[i] - time.solution[i]));
  return largest;
}

GearFigures run(const char* method, const Time& time, double tolerance) {
  const system::FunctionSystem system(gear_equations());
  const auto integrator =
      integrate::make_integrator(method, system,
                                 {.stop = time.t, .rtol = tolerance, .atol = {tolerance}})
          .value();
  std::vector<double> y = gear_start();
  Silent silent;
  const solution::Outcome outcome = integrator->run(y, silent);
  DAEDALUS_CHECK(outcome.finished());
  GearFigures figures;
  figures.error = largest_error(y, time);
  const std::vector<double> no_slope(8);
  std::vector<double> left(8);
  residual(time.t, y, no_slope, left);
  figures.f5 = std::abs(y[4] + y[0] * y[5]);
  figures.f6 = std::abs(left[5]);
  figures.f7 = std::abs(left[6]);
  figures.f8 = std::abs(left[7]);
  figures.steps = integrator->statistics().steps;
  figures.evaluations = integrator->statistics().f_evals;
  figures.jacobians = integrator->statistics().jac_evals;
  return figures;
}

}  // namespace

system::Functions gear_equations() {
  system::Functions functions{.size = 8};
  functions.residual = residual;
  functions.residual_jacobian = residual_jacobian;
  functions.names = {"y1", "y2", "y3", "y4", "y5", "y6", "v1", "v2"};
  functions.linear_variables = {6, 7};
  return functions;
}

std::vector<double> gear_start() { return {-1, -1, -1, -1, 1, 1, -2, -3}; }

std::vector<GearRow> gear_1() {
  std::vector<GearRow> rows;
  for (std::size_t k = 0; k < times.size(); ++k) {
    double epsilon = 1e-4;
    for (const GearFigures& figures : published[k]) {
      rows.push_back({times[k].t, epsilon, figures, run("gear", times[k], epsilon),
                      run("bdf", times[k], gear_tolerance_factor * epsilon)});
      epsilon /= 10.0;
    }
  }
  return rows;
}

std::vector<GearAdams> gear_adams() {
  system::Functions functions{.size = 4, .f = derivatives};
  functions.names = {"y1", "y2", "y3", "y4"};
  const system::FunctionSystem system(functions);
  std::vector<GearAdams> runs;
  for (const double epsilon : {1e-4, 1e-8}) {
    const auto integrator =
        integrate::make_integrator(
            "adams", system,
            {.stop = times[1].t, .rtol = epsilon, .atol = {epsilon}, .max_attempts = 100'000'000})
            .value();
    std::vector<double> y = gear_start();
    y.resize(4);
    Silent silent;
    const solution::Outcome outcome = integrator->run(y, silent);
    DAEDALUS_CHECK(outcome.finished());
    runs.push_back({epsilon, largest_error(y, times[1]), integrator->statistics().steps,
                    integrator->statistics().f_evals});
  }
  return runs;
}

}  // namespace daedalus::reproduce
