#include "integrate/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/linalg/norm.hpp"

namespace daedalus::integrate {

Evaluation Evaluator::derivatives(double t, std::span<const double> y, std::span<double> dydt) {
  ++statistics.f_evals;
  const Evaluation said = system_.derivatives(t, y, dydt, *scratch_);
  if (linalg::all_finite(dydt) && said == Evaluation::Defined) return Evaluation::Defined;
  const auto bad = std::ranges::find_if(dydt, [](double value) { return !std::isfinite(value); });
  faulty_ = bad == dydt.end() ? none : static_cast<std::size_t>(bad - dydt.begin());
  return Evaluation::Undefined;
}

Evaluation Evaluator::jacobian(double t, std::span<const double> y, std::span<double> values) {
  const Evaluation said = system_.jacobian(t, y, values, *scratch_);
  return linalg::all_finite(values) ? said : Evaluation::Undefined;
}

std::string Evaluator::why_undefined() const {
  const std::string said = system_.why_undefined(*scratch_);
  if (!said.empty()) return said;
  if (faulty_ == none) return "the model is not defined there";
  return fmt::format("the derivative of `{}` is not finite", variable_name(faulty_));
}

}  // namespace daedalus::integrate
