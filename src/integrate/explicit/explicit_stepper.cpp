#include "integrate/explicit/explicit_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/linalg/small.hpp"
#include "daedalus/methods/properties.hpp"
#include "integrate/dense_output.hpp"

namespace daedalus::integrate {
namespace {

using methods::Real;
using methods::Row;

// The last stage at the end of the step that is not the result.
std::optional<std::size_t> earlier_end_stage(const Row& c, bool first_same_as_last) {
  for (std::size_t i = c.size() - (first_same_as_last ? 1 : 0); i-- > 0;) {
    if (std::abs(c[i] - 1) < 1e-14L) return i;
  }
  return std::nullopt;
}

constexpr Attempt undefined{.failure = Rejection::Domain, .step_factor = 0.25};

// b less the embedded weights.
Combination difference(const methods::RungeKutta& method, const methods::Embedded& embedded) {
  Row weights = method.b;
  weights.resize(methods::stages(method));
  for (std::size_t i = 0; i < embedded.b.size(); ++i) weights[i] -= embedded.b[i];
  return combination(weights);
}

// The method's own polynomials, or those on further stages. The first further stage of a method
// without a last stage at the result must be f of the result, which is computed anyway.
void add_dense_output(const methods::RungeKutta& method, ExplicitCoefficients& result) {
  const methods::RungeKutta whole = methods::extended(method);
  const std::size_t stages = methods::stages(whole);
  const Row c = methods::nodes(whole);
  const bool begins_at_result = stages == result.stages || result.first_same_as_last ||
                                std::abs(c[result.stages] - 1) < 1e-14L;
  DAEDALUS_CHECK(begins_at_result);
  result.dense_stages = stages;
  for (std::size_t i = result.stages; i < stages; ++i) {
    result.c.push_back(static_cast<double>(c[i]));
    result.A.push_back(combination(whole.A[i]));
  }
  result.dense = stage_polynomials(whole.dense);
}

}  // namespace

Result<ExplicitCoefficients> explicit_coefficients(const methods::RungeKutta& method) {
  const auto* embedded = std::get_if<methods::Embedded>(&method.error);
  const auto* combined = std::get_if<methods::CombinedEmbedded>(&method.error);
  const bool has_none = std::holds_alternative<methods::NoEstimate>(method.error);
  if (methods::structure(method) != methods::Structure::Explicit ||
      !(embedded || combined || has_none)) {
    return Error{"usage.method-unsupported",
                 fmt::format("`{}` has no integrator yet: its estimate is one for implicit methods",
                             method.name),
                 {}};
  }
  const Row c = methods::nodes(method);
  ExplicitCoefficients result;
  result.stages = methods::stages(method);
  result.formula = {.order = method.order, .controller = Controller::Pi, .sets_scale = true};
  result.first_same_as_last = methods::is_first_same_as_last(method);
  result.c.assign(c.begin(), c.end());
  for (const Row& row : method.A) {
    result.A.push_back(combination(row));
    if (result.A.back().empty()) result.A.back() = {0.0};  // the kernels need a weight
  }
  result.b = combination(method.b);
  if (embedded != nullptr) {
    result.error = difference(method, *embedded);
    result.formula.estimate_power = std::min(method.order, embedded->order) + 1;
  }
  if (combined != nullptr) {  // e^2 / l is of the size h^(2 (p + 1) - (q + 1))
    result.error = difference(method, combined->high);
    result.low_error = difference(method, combined->low);
    result.formula.estimate_power = 2 * (combined->high.order + 1) - (combined->low.order + 1);
  }
  result.end_stage = result.stages - (result.first_same_as_last ? 1 : 0);
  add_dense_output(method, result);
  result.earlier_end_stage = earlier_end_stage(c, result.first_same_as_last);
  result.stability_boundary = static_cast<double>(methods::real_stability_boundary(method));
  return result;
}

ExplicitStepper::ExplicitStepper(std::shared_ptr<const ExplicitCoefficients> coefficients,
                                 std::size_t n, Estimation estimation, const ExplicitRoom& room)
    : shared_(std::move(coefficients)),
      coefficients_(*shared_),
      n_(n),
      k_(std::max(coefficients_.dense_stages, coefficients_.end_stage + 1), n, room.stages),
      dense_output_(coefficients_.dense, n),
      work_(2 * n),
      estimates_(estimation == Estimation::On),
      stiffness_test_(coefficients_.stability_boundary) {
  place_vectors(room);
}

void ExplicitStepper::place_vectors(const ExplicitRoom& room) {
  if (!room.begin.empty()) {
    begin_ = room.begin;
    result_ = room.result;
    error_ = room.error;
    earlier_end_ = room.earlier_end;
    return;
  }
  memory_.resize(4 * n_);
  begin_ = std::span(memory_).first(n_);
  result_ = std::span(memory_).subspan(n_, n_);
  error_ = std::span(memory_).subspan(2 * n_, n_);
  earlier_end_ = std::span(memory_).last(n_);
}

Evaluation ExplicitStepper::start(double t, std::span<const double> y, std::span<const double>,
                                  Evaluator& evaluator) {
  stiffness_test_.start();
  return evaluator.derivatives(t, y, k_[0]);
}

Attempt ExplicitStepper::attempt(double t, double h, std::span<const double> y,
                                 Evaluator& evaluator, ErrorNorm& norm) {
  Attempt attempt =
      linalg::with_size(n_, [&](auto n) { return attempt_sized(n, t, h, y, evaluator, norm); });
  if (attempt.rejection() == Rejection::None) test_stiffness(h, attempt);
  return attempt;
}

// Size is a number or a constant, with which the compiler unrolls the loops.
template <class Size>
Attempt ExplicitStepper::attempt_sized(Size n, double t, double h, std::span<const double> y,
                                       Evaluator& evaluator, ErrorNorm& norm) {
  const std::size_t stages = coefficients_.stages;
  const std::size_t result_stage = coefficients_.first_same_as_last ? stages - 1 : stages;
  const std::size_t earlier_end = coefficients_.earlier_end_stage.value_or(stages);
  const CombineKernel kernel = combine_kernel(n);  // looked up once, not for every stage
  const double* const c = coefficients_.c.data();
  const Combination* const A = coefficients_.A.data();
  const double* const k = k_.data();
  double* f = k_[0].data();
  for (std::size_t i = 1; i < stages; ++i) {
    double* const value = i == result_stage  ? result_.data()
                          : i == earlier_end ? earlier_end_.data()
                                             : work_.data();
    kernel(n, y.data(), h, A[i], k, value);
    f += stride(n);
    if (evaluator.derivatives(t + c[i] * h, {value, n}, {f, n}) == Evaluation::Undefined) {
      return undefined;
    }
  }
  if (!coefficients_.first_same_as_last) combine(y, h, coefficients_.b, k_, result_);
  Attempt attempt;
  if (estimates_) {
    norm.set_scale(y, result_);
    attempt.error = estimate(h, norm);
    attempt.worst = worst_component(norm, error_);
  }
  if (attempt.rejection() != Rejection::None || coefficients_.first_same_as_last) return attempt;
  const Evaluation end = evaluator.derivatives(t + h, result_, k_[coefficients_.end_stage]);
  return end == Evaluation::Undefined ? undefined : attempt;
}

double ExplicitStepper::first_order_error(double h, const ErrorNorm& norm) {
  const std::span<double> error = std::span(work_).first(n_);
  const double half = 0.5 * coefficients_.c[1] * h;
  for (std::size_t i = 0; i < n_; ++i) error[i] = half * (k_[1][i] - k_[0][i]);
  return norm(error);
}

// Hairer, Norsett and Wanner I, II.10, if two embedded formulas are combined.
double ExplicitStepper::estimate(double h, ErrorNorm& norm) {
  const auto vector = [&](const Combination& difference) {
    combine({}, h, difference, k_, error_);
    return std::span<const double>(error_);
  };
  if (coefficients_.low_error.empty()) return norm(vector(coefficients_.error));
  const double low = norm.square(vector(coefficients_.low_error));
  const double high = norm.square(vector(coefficients_.error));
  return high == 0.0 ? 0.0 : high / std::sqrt(high + 0.01 * low);
}

// Computes the stages that only the dense output needs, so that runs that only use the ends of
// steps do not pay for them.
void ExplicitStepper::prepare_interpolation(double t, double h, std::span<const double> y,
                                            Evaluator& evaluator) {
  const std::span<double> value = std::span(work_).first(n_);
  dense_output_.begin_step();
  has_dense_stages_ = true;
  for (std::size_t i = coefficients_.end_stage + 1; i < coefficients_.dense_stages; ++i) {
    combine(y, h, coefficients_.A[i], k_, value);
    if (evaluator.derivatives(t + coefficients_.c[i] * h, value, k_[i]) == Evaluation::Undefined) {
      has_dense_stages_ = false;
      return;
    }
  }
}

void ExplicitStepper::accept(double) {
  linalg::copy_fresh(result_, begin_);
  linalg::copy_fresh(k_[coefficients_.end_stage], k_[0]);
}

// Hairer and Wanner II, IV.2: the difference of f over the difference of y, near the end of the
// step.
double ExplicitStepper::stiffness(double h) const {
  if (!coefficients_.earlier_end_stage) return 0.0;
  const std::span<const double> f_earlier = k_[*coefficients_.earlier_end_stage];
  const std::span<const double> f_last = k_[coefficients_.end_stage];
  double square_f = 0.0;
  double square_y = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    square_f += (f_last[i] - f_earlier[i]) * (f_last[i] - f_earlier[i]);
    square_y += (result_[i] - earlier_end_[i]) * (result_[i] - earlier_end_[i]);
  }
  return square_y > 0.0 ? h * std::sqrt(square_f / square_y) : 0.0;
}

bool ExplicitStepper::interpolate_roughly(std::span<const double> y0, double h, double x,
                                          std::span<double> y) const {
  if (coefficients_.dense_stages <= coefficients_.end_stage + 1) return false;
  cubic({h, y0, result_, k_[0], k_[coefficients_.end_stage]}, x, y);
  return true;
}

void ExplicitStepper::interpolate(std::span<const double> y0, double h, double x,
                                  std::span<double> y) const {
  if (coefficients_.dense.empty() || !has_dense_stages_) {
    return cubic({h, y0, result_, k_[0], k_[coefficients_.end_stage]}, x, y);
  }
  dense_output_.at(y0, h, x, k_, y);
}

void ExplicitStepper::archive(Archive& a) {
  a(k_, memory_, dense_output_, has_dense_stages_, stiffness_test_);
}

}  // namespace daedalus::integrate
