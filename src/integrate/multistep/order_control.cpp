#include "integrate/multistep/order_control.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace daedalus::integrate {
namespace {

constexpr double bias = 6.0;          // on the error of the same order and of one less
constexpr double bias_higher = 10.0;  // and of one more
constexpr double tiny = 1e-6;
constexpr double worthwhile = 1.5;             // growth of the step
constexpr double worthwhile_in_the_end = 1.2;  // if nothing has changed
constexpr int patience = 30;                   // for this many steps
constexpr double usual_growth = 10.0;          // at most
constexpr double least_factor = 0.1;           // after an error
constexpr double most_factor_again = 0.2;      // after the second one
constexpr int errors_at_one_order = 3;
// The smallest and the largest growth, of methods that only have order 4, 5 or 6.
constexpr std::array<double, 3> sensitive_growth = {1.5, 1.4, 1.2};
constexpr double unresolved = 0.6;  // ratio of scaled derivatives
constexpr double lasting = 0.98;    // ratio of errors from one comparison to the next
constexpr int convincing = 3;       // comparisons
constexpr int probation = 50;       // steps

// The factor by which the error allows a longer step.
double growth(double error, double weight, int order) {
  return 1.0 / (std::pow(weight * error, 1.0 / (order + 1)) + tiny);
}

}  // namespace

void OrderControl::start(int order, double largest_first_growth) {
  order_ = order;
  wait_ = order + 1;
  unchanged_ = 0;
  largest_growth_ = largest_first_growth;
  errors_in_a_row_ = 0;
  unstable_in_a_row_ = 0;
  probation_ = 0;
  has_failed_ = false;
}

void OrderControl::count_step() {
  --wait_;
  ++unchanged_;
  if (probation_ > 0) --probation_;
}

bool OrderControl::compares_orders() const { return wait_ <= 0 && !has_failed_; }

OrderChoice OrderControl::after_accepted(const MultistepErrors& errors) {
  const double most = std::exchange(largest_growth_, usual_growth);
  errors_in_a_row_ = 0;
  if (std::exchange(has_failed_, false)) {
    wait_ = std::max(wait_, 2);
    return {};
  }
  const double least = worthwhile_growth();
  const auto limited = [least, most](double factor) {
    return factor < least ? 1.0 : std::min(factor, most);
  };
  const double here = growth(errors.here, bias, order_);
  if (wait_ > 0) return kept(is_sensitive() ? 1.0 : limited(here));
  wait_ = 2;
  if (order_ < lowest_ && errors.higher)
    return changed(1, limited(growth(*errors.higher, bias_higher, order_ + 1)));
  if (is_unstable(errors) && may_lower()) {
    probation_ = probation;
    return changed(-1, 1.0);
  }
  const double lower = errors.lower ? growth(*errors.lower, bias, order_ - 1) : 0.0;
  const double higher = errors.higher ? growth(*errors.higher, bias_higher, order_ + 1) : 0.0;
  const double best = std::max({lower, here, higher});
  if (best < least) return {};
  if (best == here) {
    if (is_sensitive()) wait_ = order_ + 1;
    return kept(is_sensitive() ? least : limited(here));
  }
  return best == lower ? changed(-1, limited(lower)) : changed(1, limited(higher));
}

bool OrderControl::is_unstable(const MultistepErrors& errors) {
  const bool is_unresolved = errors.derivative_ratio && *errors.derivative_ratio >= unresolved;
  const bool stays = errors.here >= lasting * last_error_;
  unstable_in_a_row_ = is_unresolved && stays ? unstable_in_a_row_ + 1 : 0;
  last_error_ = errors.here;
  return unstable_in_a_row_ >= convincing;
}

double OrderControl::worthwhile_growth() const {
  if (is_sensitive()) return sensitive_growth[static_cast<std::size_t>(std::min(order_, 6) - 4)];
  return unchanged_ < patience ? worthwhile : worthwhile_in_the_end;
}

OrderChoice OrderControl::kept(double factor) {
  if (factor != 1.0) unchanged_ = 0;
  return {.factor = factor};
}

OrderChoice OrderControl::changed(int by, double factor) {
  unchanged_ = 0;
  order_ += by;
  unstable_in_a_row_ = 0;
  wait_ = order_ + 1;
  return {.order_change = by, .factor = factor};
}

OrderChoice OrderControl::after_error(double error) {
  has_failed_ = true;
  unchanged_ = 0;
  unstable_in_a_row_ = 0;
  largest_growth_ = usual_growth;
  if (++errors_in_a_row_ >= errors_at_one_order) {
    if (may_lower()) return changed(-1, least_factor);
    return {.factor = least_factor};
  }
  const double wanted = std::isfinite(error) ? growth(error, bias, order_) : least_factor;
  const double most = errors_in_a_row_ > 1 ? most_factor_again : 0.9;
  return {.factor = std::clamp(wanted, least_factor, most)};
}

}  // namespace daedalus::integrate
