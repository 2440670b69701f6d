#include "integrate/switching/stability_watch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace daedalus::integrate {
namespace {

constexpr std::size_t most_states = 50;  // eigenvalues take the cube of that, 0.3 ms
// What an eigenvalue that is zero may look like: by differences, relative to the norm of J, which
// rounding in f is multiplied by; otherwise relative to the largest eigenvalue.
constexpr double error_of_differences = 1e-6;
constexpr double error_of_given = 1e-10;
// When a stretch is told.
constexpr double least_growth = 2.0 * std::numbers::ln10;
constexpr double least_share = 0.05;  // of the run so far

using solution::UnstableStretch;

}  // namespace

StabilityWatch::StabilityWatch(std::size_t n)
    : n_(n), abscissa_(n <= most_states ? n : 0), matrix_(n <= most_states ? n * n : 0) {}

void StabilityWatch::start(double t) {
  start_ = passed_ = t;
  forget();
}

void StabilityWatch::forget() {
  rate_ = growth_ = 0.0;
  is_told_ = false;
}

void StabilityWatch::look(const Jacobian& jacobian, double spectral_radius) {
  if (matrix_.empty()) return;
  jacobian.write_dense(matrix_);
  const double rate = abscissa_.of(matrix_).value_or(0.0);
  const double error = jacobian.is_by_differences()
                           ? error_of_differences * jacobian.infinity_norm()
                           : error_of_given * spectral_radius;
  if (rate > error) {
    rate_ = rate;
  } else {
    forget();
  }
}

void StabilityWatch::step(double t, double h, solution::Statistics& statistics) {
  const double begin = std::max(t - h, passed_);  // a step may be taken again, to end at an event
  passed_ = std::max(t, passed_);
  if (!(rate_ > 0.0) || !(begin < t)) return;
  if (growth_ == 0.0) since_ = begin;
  growth_ += rate_ * (t - begin);
  if (!is_told_ && growth_ >= least_growth && t - since_ >= least_share * (t - start_))
    tell(t, statistics);
  if (!is_told_) return;
  UnstableStretch& stretch = statistics.unstable.back();
  stretch.until = t;
  stretch.rate = std::max(stretch.rate, rate_);
  stretch.growth = growth_;
}

// The states that take part most, which needs all eigenvectors: once for each stretch.
void StabilityWatch::tell(double t, solution::Statistics& statistics) {
  is_told_ = true;
  UnstableStretch stretch{.since = since_, .seen = t};
  const std::optional<linalg::Modes> modes = linalg::modes(n_, matrix_);
  const auto real = [](const std::complex<double>& value) { return value.real(); };
  std::vector<UnstableStretch::State> states;
  if (modes) {
    const auto fastest = std::ranges::max_element(modes->values, {}, real);
    const std::vector<double>& shares =
        modes->shares[static_cast<std::size_t>(fastest - modes->values.begin())];
    for (std::size_t i = 0; i < shares.size(); ++i) states.push_back({i, shares[i]});
  }
  std::ranges::stable_sort(states, std::ranges::greater(), &UnstableStretch::State::share);
  states.resize(stretch.states.size());
  std::ranges::copy(states, stretch.states.begin());
  statistics.unstable.push_back(stretch);
}

}  // namespace daedalus::integrate
