#include "reproduce/hermann_program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "daedalus/base/check.hpp"
#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/spectrum.hpp"

namespace daedalus::reproduce {
namespace {

using State = std::vector<double>;

constexpr double smallest_size = 1e-10;  // of a component, where errors are relative to it
constexpr double stability_limit = 2.6;  // of the Runge-Kutta methods, in h |lambda|
constexpr int most_bisections = 60;
constexpr int most_iterations = 30;  // of Newton
constexpr std::size_t most_attempts = 1'000'000;

class Program {
 public:
  Program(const methods::Regression& method, const system::Functions& functions,
          const HermannOptions& options)
      : exact_(methods::formula_of(method)),
        order_(method.order),
        points_(std::max(exact_.steps(), static_cast<std::size_t>(method.order) + 1)),
        functions_(functions),
        options_(options),
        lu_(functions.size) {}

  HermannRun run(std::span<const double> y0);

 private:
  State f(const State& x);
  State runge_kutta_5(const State& x, double h);
  State runge_kutta_6(const State& x, double h);
  double relative_difference(const State& a, const State& b, double smallest) const;
  double largest_eigenvalue(const State& x);
  double search_first_step(State x);
  void start(const State& x0);
  void take_jacobian(const State& x);
  void linearise();
  std::optional<State> solve_formula();
  double relative_error(const State& x) const;
  double factor_after(double error) const;
  void rescale(double factor);
  State past_at(double s) const;
  State fitted_past_at(double s) const;
  void communicate();

  const methods::RegressionFormula& exact_;
  int order_;
  std::size_t points_;
  const system::Functions& functions_;
  HermannOptions options_;
  HermannRun run_;
  linalg::DenseLu<double> lu_;
  bool is_singular_ = false;
  std::vector<State> J_;     // columns
  std::vector<State> past_;  // newest first, h apart
  double t_ = 0.0;
  double h_ = 0.0;
};

State sum(const State& x, double h, std::initializer_list<std::pair<double, const State*>> terms) {
  State result = x;
  for (const auto& [weight, k] : terms) {
    for (std::size_t i = 0; i < x.size(); ++i) result[i] += h * weight * (*k)[i];
  }
  return result;
}

State Program::f(const State& x) {
  ++run_.f_evals;
  State dxdt(x.size());
  functions_.f(t_, x, dxdt);
  return dxdt;
}

State Program::runge_kutta_5(const State& x, double h) {
  const State k1 = f(x);
  const State k2 = f(sum(x, h, {{0.125, &k1}}));
  const State k3 = f(sum(x, h, {{0.25, &k2}}));
  const State k4 = f(sum(x, h, {{0.5, &k1}, {-1.0, &k2}, {1.0, &k3}}));
  const State k5 = f(sum(x, h, {{0.1875, &k1}, {0.5625, &k4}}));
  const State k6 = f(sum(x, h / 7, {{-5, &k1}, {4, &k2}, {12, &k3}, {-12, &k4}, {8, &k5}}));
  return sum(x, h / 90, {{7, &k1}, {32, &k3}, {12, &k4}, {32, &k5}, {7, &k6}});
}

// Huta's; the listing prints four of the numbers wrong.
State Program::runge_kutta_6(const State& x, double h) {
  const State k1 = f(x);
  const State k2 = f(sum(x, h / 9, {{1, &k1}}));
  const State k3 = f(sum(x, h / 24, {{1, &k1}, {3, &k2}}));
  const State k4 = f(sum(x, h / 6, {{1, &k1}, {-3, &k2}, {4, &k3}}));
  const State k5 = f(sum(x, h, {{-0.625, &k1}, {3.375, &k2}, {-3.0, &k3}, {0.75, &k4}}));
  const State k6 = f(sum(x, h / 9, {{221, &k1}, {-981, &k2}, {867, &k3}, {-102, &k4}, {1, &k5}}));
  const State k7 =
      f(sum(x, h / 48, {{-183, &k1}, {678, &k2}, {-472, &k3}, {-66, &k4}, {80, &k5}, {3, &k6}}));
  const State k8 = f(
      sum(x, h / 82,
          {{716, &k1}, {-2079, &k2}, {1002, &k3}, {834, &k4}, {-454, &k5}, {-9, &k6}, {72, &k7}}));
  return sum(x, h / 840,
             {{41, &k1}, {216, &k3}, {27, &k4}, {272, &k5}, {27, &k6}, {216, &k7}, {41, &k8}});
}

double Program::relative_difference(const State& a, const State& b, double smallest) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double size = std::max({std::abs(a[i]), std::abs(b[i]), smallest});
    largest = std::max(largest, std::abs(a[i] - b[i]) / size);
  }
  return largest;
}

void Program::take_jacobian(const State& x) {
  ++run_.jac_evals;
  const State at = f(x);
  J_.clear();
  for (std::size_t j = 0; j < x.size(); ++j) {
    State shifted = x;
    const double increment = x[j] == 0.0 ? 1e-10 : 1e-7 * x[j];
    shifted[j] += increment;
    State column = f(shifted);
    for (std::size_t i = 0; i < x.size(); ++i) column[i] = (column[i] - at[i]) / increment;
    J_.push_back(std::move(column));
  }
}

double Program::largest_eigenvalue(const State& x) {
  take_jacobian(x);
  linalg::SmallMatrix matrix(x.size(), std::vector<long double>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) matrix[i][j] = J_[j][i];
  }
  double largest = 0.0;
  if (const std::optional<linalg::Spectrum> found = linalg::spectrum(matrix)) {
    for (const auto& value : found->values)
      largest = std::max(largest, static_cast<double>(std::abs(value)));
  }
  return largest;
}

// Procedure BIN_SEARCH_H0.
double Program::search_first_step(State x) {
  const double eigenvalue = largest_eigenvalue(x);
  double longest =
      eigenvalue > 0.0 ? std::min(options_.stop, stability_limit / eigenvalue) : options_.stop;
  double shortest = 0.0;
  double smallest = smallest_size;
  const auto difference = [&](double h) {
    return relative_difference(runge_kutta_5(x, h), runge_kutta_6(x, h), smallest);
  };
  const double at_longest = difference(longest);
  if (at_longest < 1e-6 * options_.start_tolerance) {
    x = runge_kutta_6(x, longest);  // at an equilibrium there is nothing to compare
    smallest *= 1e-10;
    if (difference(longest) <= options_.start_tolerance) return longest;
  } else if (at_longest <= options_.start_tolerance) {
    return longest;
  }
  for (int k = 0; k < most_bisections; ++k) {
    const double h = 0.5 * (shortest + longest);
    const double found = difference(h);
    if (found > options_.start_tolerance) {
      longest = h;
    } else {
      shortest = h;
      if (found >= 0.9 * options_.start_tolerance) return h;
    }
  }
  return shortest;
}

void Program::start(const State& x0) {
  h_ = run_.first_step = search_first_step(x0);
  past_ = {x0};
  while (past_.size() < points_) {
    past_.insert(past_.begin(), runge_kutta_6(past_.front(), h_));
    t_ += h_;
    ++run_.steps;
    ++run_.start_steps;
  }
  communicate();
}

// Modified Newton iteration on (4.43); nothing where it does not converge.
std::optional<State> Program::solve_formula() {
  const double length = h_ * static_cast<double>(exact_.new_slope.value());
  const std::size_t n = past_.front().size();
  State base(n);
  for (std::size_t i = 0; i < exact_.steps(); ++i) {
    const auto value = static_cast<double>(exact_.values[i].value());
    const auto slope = static_cast<double>(exact_.slopes[i].value());
    const State dxdt = slope == 0.0 ? State(n) : f(past_[i]);
    for (std::size_t k = 0; k < n; ++k) base[k] += value * past_[i][k] + slope * h_ * dxdt[k];
  }
  if (is_singular_) return std::nullopt;
  State x = past_.front();
  for (int k = 0; k < most_iterations; ++k) {
    const State last = x;
    State correction = f(x);
    for (std::size_t i = 0; i < n; ++i) correction[i] = base[i] + length * correction[i] - x[i];
    lu_.solve(correction);
    for (std::size_t i = 0; i < n; ++i) x[i] += correction[i];
    if (relative_difference(x, last, smallest_size) <= 0.1 * options_.tolerance) return x;
  }
  return std::nullopt;
}

// C h^(n+1) x^(n+1): from the change of the last element of the Nordsieck vector (4.21), or from
// that element (4.29) where the past is long enough for one more.
double Program::relative_error(const State& x) const {
  const auto C = std::abs(static_cast<double>(exact_.error_constant.value()));
  const std::size_t highest = static_cast<std::size_t>(order_) + 1;
  double largest = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    State row = {x[k]};  // then its backward differences
    for (const State& value : past_) row.push_back(value[k]);
    double derivative = 0.0;
    for (std::size_t order = 1; order < row.size(); ++order) {
      for (std::size_t i = 0; i + order < row.size(); ++i) row[i] -= row[i + 1];
      if (order == highest) derivative = row[0];
      if (order == highest + 1 && points_ > highest) derivative += 0.5 * (order_ + 1) * row[0];
    }
    largest = std::max(largest, C * std::abs(derivative) / std::max(std::abs(x[k]), smallest_size));
  }
  return largest;
}

// The rules after (4.25), as in the program.
double Program::factor_after(double error) const {
  const double factor = std::pow(options_.tolerance / error, 1.0 / (order_ + 1)) / 1.2;
  if (factor >= 1.0) return factor > 1.1 ? std::min(2.0, factor) : 1.0;
  return factor > 0.9 ? 0.9 : std::max(0.5, factor);
}

// The polynomial through the past, at t + s h.
State Program::past_at(double s) const {
  State x(past_.front().size());
  for (std::size_t i = 0; i < past_.size(); ++i) {
    double weight = 1.0;
    for (std::size_t j = 0; j < past_.size(); ++j) {
      if (j != i)
        weight *= (s + static_cast<double>(j)) / (static_cast<double>(j) - static_cast<double>(i));
    }
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += weight * past_[i][k];
  }
  return x;
}

// The same for the polynomial of degree n + 1 that fits the past best. It is a sum of powers of x,
// which is -1 at the oldest value and 1 at the newest one.
State Program::fitted_past_at(double s) const {
  const std::size_t terms = static_cast<std::size_t>(order_) + 2;
  if (past_.size() <= terms) return past_at(s);
  const auto last = static_cast<long double>(past_.size() - 1);
  const auto powers = [&](long double position) {
    std::vector<long double> all = {1};
    while (all.size() < terms) all.push_back(all.back() * (1 + 2 * position / last));
    return all;
  };
  linalg::DenseLu<long double> normal(terms);
  for (std::size_t i = 0; i < past_.size(); ++i) {
    const std::vector<long double> row = powers(-static_cast<long double>(i));
    for (std::size_t j = 0; j < terms; ++j) {
      for (std::size_t k = 0; k < terms; ++k) normal.matrix()[j * terms + k] += row[j] * row[k];
    }
  }
  DAEDALUS_CHECK(normal.factor() == linalg::Factorization::Regular);
  std::vector<long double> shares = powers(s);
  normal.solve(shares);
  State x(past_.front().size());
  for (std::size_t i = 0; i < past_.size(); ++i) {
    const std::vector<long double> row = powers(-static_cast<long double>(i));
    const auto weight =
        static_cast<double>(std::inner_product(row.begin(), row.end(), shares.begin(), 0.0L));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += weight * past_[i][k];
  }
  return x;
}

// I - h b J at the newest point.
void Program::linearise() {
  take_jacobian(past_.front());
  const double length = h_ * static_cast<double>(exact_.new_slope.value());
  const std::size_t n = J_.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i)
      lu_.matrix()[j * n + i] = (i == j ? 1.0 : 0.0) - length * J_[j][i];
  }
  is_singular_ = lu_.factor() == linalg::Factorization::Singular;
  ++run_.factorizations;
}

void Program::rescale(double factor) {
  ++run_.rescalings;
  std::vector<State> scaled;
  for (std::size_t i = 0; i < past_.size(); ++i) {
    const double s = -factor * static_cast<double>(i);
    scaled.push_back(options_.rescaling == Rescaling::Fit ? fitted_past_at(s) : past_at(s));
  }
  past_ = std::move(scaled);
  h_ *= factor;
  linearise();
}

// Every communication point that has been passed.
void Program::communicate() {
  while (true) {
    const double next = static_cast<double>(run_.times.size() + 1) * options_.interval;
    if (next > t_ + 1e-9 * options_.interval || next > options_.stop * (1 + 1e-12)) return;
    run_.times.push_back(next);
    run_.states.push_back(past_at((next - t_) / h_));
  }
}

// Function MULT.
HermannRun Program::run(std::span<const double> y0) {
  start(State(y0.begin(), y0.end()));
  linearise();
  int since_change = 0;
  int failures = 0;
  for (std::size_t attempts = 0; t_ < options_.stop * (1 - 1e-12); ++attempts) {
    if (attempts == most_attempts || t_ + h_ == t_) return run_;
    const std::optional<State> x = solve_formula();
    const double error = x ? relative_error(*x) : 0.0;
    const bool is_accepted = x && error < options_.tolerance;
    double factor = 1.0;
    if (is_accepted) {
      past_.insert(past_.begin(), *x);
      past_.pop_back();
      t_ += h_;
      ++run_.steps;
      failures = 0;
      communicate();
      if (++since_change > order_) factor = factor_after(error);
    } else {
      ++run_.rejected;
      factor = !x || ++failures >= 3 || !std::isfinite(error) ? 0.5 : factor_after(error);
    }
    if (since_change > order_ || !is_accepted) since_change = 0;
    if (factor != 1.0) rescale(factor);
  }
  run_.finished = true;
  return run_;
}

}  // namespace

HermannRun replay_hermann(const methods::Regression& method, const system::Functions& functions,
                          std::span<const double> y0, const HermannOptions& options) {
  DAEDALUS_CHECK(functions.f != nullptr);
  return Program(method, functions, options).run(y0);
}

}  // namespace daedalus::reproduce
