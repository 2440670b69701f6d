#include "reproduce/rad5_listing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace daedalus::reproduce {
namespace {

constexpr std::size_t stages = 3;
using Vector = std::vector<double>;

using Matrix = std::array<std::array<double, stages>, stages>;

Matrix radau_matrix() {
  const double s6 = std::sqrt(6.0);
  return {{{(88 - 7 * s6) / 360, (296 - 169 * s6) / 1800, (-2 + 3 * s6) / 225},
           {(296 + 169 * s6) / 1800, (88 + 7 * s6) / 360, (-2 - 3 * s6) / 225},
           {(16 - s6) / 36, (16 + s6) / 36, 1.0 / 9.0}}};
}

// The first two stages of a step, which the error formula uses later, and its end.
struct Step {
  std::array<Vector, stages> X;
  std::array<Vector, 2> f;
};

class Rad5Listing {
 public:
  Rad5Listing(const system::Functions& functions, std::span<const double> y0,
              const ListingOptions& options)
      : functions_(functions),
        tolerance_(options.tolerance),
        h_(options.first_step),
        old_(start(y0)),
        older_(old_),
        X_(old_.X) {
    f_.fill(Vector(y0.size(), 0.0));
  }

  double h() const { return h_; }
  const Vector& y() const { return old_.X[stages - 1]; }

  void step() {
    for (std::size_t i = 0; i < stages; ++i) functions_.f(0.0, X_[i], f_[i]);
    const Vector& x = y();
    for (std::size_t i = 0; i < stages; ++i) {
      for (std::size_t m = 0; m < x.size(); ++m) {
        X_[i][m] = x[m] + h_ * (A_[i][0] * f_[0][m] + A_[i][1] * f_[1][m] + A_[i][2] * f_[2][m]);
      }
    }
    choose_step(error());
    std::swap(older_, old_);
    old_.X = X_;
    old_.f = {f_[0], f_[1]};
  }

 private:
  static Step start(std::span<const double> y0) {
    Step step;
    step.X.fill(Vector(y0.begin(), y0.end()));
    step.f.fill(Vector(y0.size(), 0.0));
    return step;
  }

  // (2.162) needs the stages of this step and of the one before. When the listing evaluates it, it
  // has shifted neither `old` nor `old2` yet, so it takes those of the last two steps before this
  // one.
  double error() const {
    double sum = 0.0;
    for (std::size_t m = 0; m < y().size(); ++m) {
      const double estimate =
          -0.00517140382204 * older_.X[2][m] + -0.00094714677404 * h_ * older_.f[0][m] +
          -0.04060469717694 * older_.X[1][m] + -0.01364429384901 * h_ * older_.f[1][m] +
          1.41786808325433 * old_.X[2][m] + -0.17475783086782 * old_.X[0][m] +
          0.48299282769491 * h_ * old_.f[0][m] + -0.19733415138754 * old_.X[1][m] +
          0.55942205973218 * h_ * old_.f[1][m] + 0.10695524944855 * h_ * f_[2][m];
      const double difference = estimate - X_[2][m];
      sum += difference * difference;
    }
    return std::sqrt(sum);
  }

  void choose_step(double error) {
    if (count_ < 2) {
      ++count_;
      return;
    }
    const double bounded = error > tolerance_ / 10 ? error : tolerance_ / 10;
    const double wanted = std::pow(tolerance_ / bounded, 1.0 / 6.0) * h_;
    h_ = std::max(h_ / 2, std::min(2 * h_, wanted));
    count_ = 1;
  }

  const system::Functions& functions_;
  Matrix A_ = radau_matrix();
  double tolerance_;
  double h_;
  int count_ = 0;  // equal steps
  Step old_;
  Step older_;
  std::array<Vector, stages> X_;
  std::array<Vector, stages> f_;
};

}  // namespace

system::Functions listed_set_a() {
  return {.size = 9, .f = [](double, std::span<const double> y, std::span<double> dydt) {
            dydt[0] = -1800 * y[0] + 900 * y[1];
            for (std::size_t i = 1; i < 8; ++i) dydt[i] = y[i - 1] - 2 * y[i] + y[i + 1];
            dydt[8] = 1000 * y[7] - 2000 * y[8] + 1000;
          }};
}

ListingRun replay_rad5_listing(const system::Functions& functions, std::span<const double> y0,
                               const ListingOptions& options) {
  Rad5Listing listing(functions, y0, options);
  ListingRun run;
  double t = 0.0;
  while (t + listing.h() <= options.stop) {
    t += listing.h();
    listing.step();
    ++run.steps;
  }
  run.next_step = listing.h();
  run.y = listing.y();
  const double share = (options.stop - t) / listing.h();
  listing.step();
  for (std::size_t m = 0; m < run.y.size(); ++m) {
    run.y[m] += share * (listing.y()[m] - run.y[m]);
  }
  return run;
}

}  // namespace daedalus::reproduce
