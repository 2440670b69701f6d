#include "integrate/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {

Evaluation Evaluator::find_fault(std::span<const double> values) {
  const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  faulty_ = bad == values.end() ? none : static_cast<std::size_t>(bad - values.begin());
  return Evaluation::Undefined;
}

Evaluation Evaluator::defect(double t, std::span<const double> y, std::span<const double> slope,
                             std::span<double> left) {
  if (form_ == system::Form::Residual) {
    ++statistics.f_evals;
    const Evaluation said = system_.residual(t, y, slope, left, *context_);
    for (double& value : left) value = -value;
    return check(said, left);
  }
  const Evaluation said = derivatives(t, y, left);
  add_mass_times(-1.0, slope, left);
  return said;
}

void Evaluator::add_mass_times(double factor, std::span<const double> x,
                               std::span<double> sum) const {
  if (form_ == system::Form::Mass) {
    const linalg::SparseMatrix& mass = *system_.mass();
    linalg::add_product(mass.pattern, mass.values, factor, x, sum);
  } else {
    linalg::add_multiple(factor, x, sum);
  }
}

Evaluation Evaluator::residual_jacobian(double t, std::span<const double> y,
                                        std::span<const double> slope, double a,
                                        std::span<double> values) {
  const Evaluation said = system_.residual_jacobian(t, y, slope, a, values, *context_);
  return linalg::all_finite(values) ? said : Evaluation::Undefined;
}

system::Fault Evaluator::why_undefined() const {
  system::Fault said = system_.why_undefined(*scratch_);
  if (!said.text.empty()) return said;
  if (faulty_ == none) return {"the model is not defined there"};
  if (form_ != system::Form::Explicit) {
    return {fmt::format("equation {} is not finite", faulty_)};
  }
  return {fmt::format("the derivative of `{}` is not finite", variable_name(faulty_))};
}

}  // namespace daedalus::integrate
