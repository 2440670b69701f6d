#include "integrate/initial_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::integrate {
namespace {

// Of the start time: the shortest trial step whose end differs from it.
constexpr double resolvable = 16 * std::numeric_limits<double>::epsilon();

}  // namespace

double initial_step(const InitialStep& task, Evaluator& evaluator, const ErrorNorm& norm,
                    std::span<const double> y, std::span<const double> f, std::span<double> work) {
  const std::size_t n = y.size();
  const double size_y = norm(y);
  const double size_f = norm(f);
  const double cautious = 1e-6 * std::min(1.0, task.longest);
  // A state whose distance from 0 is below its tolerance may move as far as one just above it.
  double h = size_y <= 1e-5 || size_f <= 1e-5 ? cautious : 0.01 * std::max(size_y, 1.0) / size_f;
  h = std::min(std::max(h, resolvable * std::abs(task.start)), task.longest);

  const std::span<double> euler = work.first(n);
  const std::span<double> f1 = work.subspan(n, n);
  for (int attempt = 0; attempt < 20; ++attempt) {
    for (std::size_t i = 0; i < n; ++i) euler[i] = y[i] + h * f[i];
    if (evaluator.derivatives(task.start + h, euler, f1) == Evaluation::Defined) break;
    if (attempt == 19) return h;
    h *= 0.1;
  }
  for (std::size_t i = 0; i < n; ++i) f1[i] -= f[i];
  const double curvature = norm(f1) / h;
  const double change = std::max(curvature, size_f);
  const double wanted =
      change <= 1e-15 ? std::max(cautious, 1e-3 * h) : std::pow(0.01 / change, 1.0 / task.order);
  const double chosen = std::min({100.0 * h, wanted, task.longest});
  return chosen > 0.0 ? chosen : cautious;  // NaN and underflow too
}

double cautious_step(const InitialStep& task, const ErrorNorm& norm, std::span<const double> y,
                     std::span<const double> slope) {
  const double ratio = norm(y) / norm(slope);  // NaN or infinite where nothing moves
  const double h = 1e-3 * (ratio < task.longest ? ratio : task.longest);
  return h > 0.0 ? h : 1e-6 * task.longest;
}

}  // namespace daedalus::integrate
