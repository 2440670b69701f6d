// Problems and a recorder shared by the integrators' tests.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::integrate::testing_support {

using system::Functions;
using system::FunctionSystem;
using Vector = std::span<const double>;
using Output = std::span<double>;

// Keeps the ends of all steps, and the dense output at the middle of each.
struct Keeper final : solution::Recorder {
  std::vector<double> times;
  std::vector<std::vector<double>> states;
  std::vector<double> middle_times;
  std::vector<std::vector<double>> middle_states;
  std::vector<double> begins;
  std::size_t stop_after = ~std::size_t{0};

  solution::Recording start(double t, Vector y) override {
    times.push_back(t);
    states.emplace_back(y.begin(), y.end());
    return stop_after == 0 ? solution::Recording::Stop : solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep& step) override {
    begins.push_back(step.begin());
    times.push_back(step.end());
    states.emplace_back(step.end_state().begin(), step.end_state().end());
    middle_times.push_back(0.5 * (step.begin() + step.end()));
    middle_states.emplace_back(step.end_state().size());
    step.at(middle_times.back(), middle_states.back());
    return times.size() > stop_after ? solution::Recording::Stop : solution::Recording::Continue;
  }
};

struct Solved {
  solution::Outcome outcome;
  solution::Statistics statistics;
  std::vector<double> y;
  Keeper kept;
};

// `method` is a name or a tableau.
inline Solved solve(const auto& method, Functions functions, std::vector<double> y,
                    Options options) {
  const FunctionSystem system(std::move(functions));
  const auto integrator = make_integrator(method, system, std::move(options)).value();
  Solved solved{.outcome = {}, .statistics = {}, .y = std::move(y), .kept = {}};
  solved.outcome = integrator->run(solved.y, solved.kept);
  solved.statistics = integrator->statistics();
  return solved;
}

inline Functions scalar(std::function<double(double, double)> f) {
  return {.size = 1,
          .f = [f = std::move(f)](double t, Vector y, Output dydt) { dydt[0] = f(t, y[0]); },
          .names = {"x"}};
}

// Robertson 1966: chemical kinetics over eleven decades of time.
inline Functions robertson() {
  return {.size = 3,
          .f =
              [](double, Vector y, Output dydt) {
                dydt[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                dydt[2] = 3e7 * y[1] * y[1];
                dydt[1] = -dydt[0] - dydt[2];
              },
          .jacobian =
              [](double, Vector y, Output J) {
                J[0] = -0.04;
                J[1] = 0.04;
                J[3] = 1e4 * y[2];
                J[4] = -1e4 * y[2] - 6e7 * y[1];
                J[5] = 6e7 * y[1];
                J[6] = 1e4 * y[1];
                J[7] = -1e4 * y[1];
              },
          .names = {"A", "B", "C"}};
}

inline Functions van_der_pol(double mu) {
  return {.size = 2,
          .f =
              [mu](double, Vector y, Output dydt) {
                dydt[0] = y[1];
                dydt[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
              },
          .jacobian =
              [mu](double, Vector y, Output J) {
                J[1] = -2 * mu * y[0] * y[1] - 1;
                J[2] = 1;
                J[3] = mu * (1 - y[0] * y[0]);
              }};
}

// The restricted three-body orbit of Arenstorf 1963, closed after one period.
constexpr double arenstorf_period = 17.0652165601579625588917206249;
inline std::vector<double> arenstorf_start() {
  return {0.994, 0.0, 0.0, -2.00158510637908252240537862224};
}
inline Functions arenstorf() {
  return {.size = 4, .f = [](double, Vector y, Output dydt) {
            constexpr double mu = 0.012277471;
            const double d1 = std::pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
            const double d2 = std::pow((y[0] - 1 + mu) * (y[0] - 1 + mu) + y[1] * y[1], 1.5);
            dydt[0] = y[2];
            dydt[1] = y[3];
            dydt[2] = y[0] + 2 * y[3] - (1 - mu) * (y[0] + mu) / d1 - mu * (y[0] - 1 + mu) / d2;
            dydt[3] = y[1] - 2 * y[2] - (1 - mu) * y[1] / d1 - mu * y[1] / d2;
          }};
}

// u_t = u_xx on a grid of n points with u = 0 at both ends; its pattern, and no Jacobian.
inline Functions heat(int n) {
  linalg::Sparsity pattern{.size = static_cast<std::size_t>(n)};
  for (int j = 0; j < n; ++j) {
    for (int i = std::max(0, j - 1); i <= std::min(n - 1, j + 1); ++i) pattern.rows.push_back(i);
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return {.size = static_cast<std::size_t>(n),
          .f =
              [n](double, Vector u, Output dudt) {
                const double c = (n + 1.0) * (n + 1.0);
                for (int i = 0; i < n; ++i) {
                  const double left = i > 0 ? u[i - 1] : 0.0;
                  const double right = i < n - 1 ? u[i + 1] : 0.0;
                  dudt[i] = c * (left - 2 * u[i] + right);
                }
              },
          .pattern = pattern};
}

inline double relative_error(double value, double reference) {
  return std::abs(value / reference - 1.0);
}

}  // namespace daedalus::integrate::testing_support
