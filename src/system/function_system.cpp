#include "daedalus/system/function_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/linalg/norm.hpp"

namespace daedalus::system {
namespace {

// The last value that was not finite; only numbers, so that recording it allocates nothing.
struct LastFault final : Scratch {
  enum class Where { Nowhere, Derivative, Residual, Jacobian };
  Where where = Where::Nowhere;
  std::size_t index = 0;
  double value = 0.0;
  double t = 0.0;
};

// A function of its own, so that the search takes few instructions where all values are finite.
[[gnu::noinline]] Evaluation note_fault(std::span<const double> values, double t,
                                        LastFault::Where where, LastFault& fault) {
  const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  fault.where = where;
  fault.index = static_cast<std::size_t>(bad - values.begin());
  fault.value = *bad;
  fault.t = t;
  return Evaluation::Undefined;
}

inline Evaluation look_for_fault(std::span<const double> values, double t, LastFault::Where where,
                                 Scratch& scratch) {
  if (linalg::all_finite(values)) return Evaluation::Defined;
  return note_fault(values, t, where, static_cast<LastFault&>(scratch));
}

}  // namespace

namespace {

std::string name_of(std::span<const std::string> names, std::size_t i) {
  return names.empty() ? fmt::format("y[{}]", i) : names[i];
}

}  // namespace

FunctionEvents::FunctionEvents(EventFunctions functions, std::vector<std::string> names)
    : functions_(std::move(functions)), names_(std::move(names)) {
  DAEDALUS_CHECK(functions_.settle != nullptr);
  DAEDALUS_CHECK(functions_.indicators != nullptr || functions_.sources.empty());
}

Evaluation FunctionEvents::indicators(double t, std::span<const double> y,
                                      std::span<double> margins, const Context&) const {
  functions_.indicators(t, y, margins);
  return linalg::all_finite(margins) ? Evaluation::Defined : Evaluation::Undefined;
}

double FunctionEvents::next_time_event(double t, const Held&) const {
  return functions_.next_time_event != nullptr ? functions_.next_time_event(t)
                                               : std::numeric_limits<double>::infinity();
}

// Adds each component that has changed.
Settling FunctionEvents::settle(const Instant& at, std::span<double> y, Held&, Scratch&,
                                Report* report) const {
  const auto settled = [&] {
    Settling settling = functions_.settle(at, y);
    // Functions have only y to show at the end of a run.
    settling.is_quiet = settling.is_quiet || (at.is_end && !settling.is_new_motion);
    return settling;
  };
  if (report == nullptr) return settled();
  const std::vector<double> before(y.begin(), y.end());
  Settling settling = settled();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != before[i]) report->changes.push_back({name_of(names_, i), before[i], y[i]});
  }
  return settling;
}

Settling FunctionEvents::check(double t, std::span<const double> y, Held&, Scratch&) const {
  return functions_.check != nullptr ? functions_.check(t, y) : Settling{};
}

FunctionSystem::FunctionSystem(Functions functions) : functions_(std::move(functions)) {
  if (functions_.events) events_.emplace(std::move(*functions_.events), functions_.names);
  DAEDALUS_CHECK((functions_.f != nullptr) != (functions_.residual != nullptr) ||
                 functions_.size == 0);
  DAEDALUS_CHECK(!functions_.mass || functions_.mass->pattern.size == functions_.size);
  DAEDALUS_CHECK(functions_.names.empty() || functions_.names.size() == functions_.size);
  DAEDALUS_CHECK(!functions_.pattern || functions_.pattern->size == functions_.size);
  const std::vector<std::size_t>& constant = functions_.constant_columns;
  DAEDALUS_CHECK(std::ranges::adjacent_find(constant, std::greater_equal<>()) == constant.end());
  DAEDALUS_CHECK(constant.empty() || constant.back() < functions_.size);
}

std::string FunctionSystem::variable_name(std::size_t i) const {
  return name_of(functions_.names, i);
}

std::unique_ptr<Scratch> FunctionSystem::make_scratch() const {
  return std::make_unique<LastFault>();
}

Evaluation FunctionSystem::derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                       const Context& context) const {
  if (functions_.size == 0) return Evaluation::Defined;
  functions_.f(t, y, dydt);
  return look_for_fault(dydt, t, LastFault::Where::Derivative, context.scratch);
}

Form FunctionSystem::form() const {
  if (functions_.residual != nullptr) return Form::Residual;
  return functions_.mass ? Form::Mass : Form::Explicit;
}

const linalg::SparseMatrix* FunctionSystem::mass() const {
  return functions_.mass ? &*functions_.mass : nullptr;
}

Evaluation FunctionSystem::residual(double t, std::span<const double> y,
                                    std::span<const double> dydt, std::span<double> residual,
                                    const Context& context) const {
  functions_.residual(t, y, dydt, residual);
  return look_for_fault(residual, t, LastFault::Where::Residual, context.scratch);
}

bool FunctionSystem::has_jacobian() const {
  return functions_.residual != nullptr ? functions_.residual_jacobian != nullptr
                                        : functions_.jacobian != nullptr;
}

const linalg::Sparsity* FunctionSystem::jacobian_pattern() const {
  return functions_.pattern ? &*functions_.pattern : nullptr;
}

Evaluation FunctionSystem::jacobian(double t, std::span<const double> y, std::span<double> values,
                                    const Context& context) const {
  std::ranges::fill(values, 0.0);
  functions_.jacobian(t, y, values);
  return look_for_fault(values, t, LastFault::Where::Jacobian, context.scratch);
}

Evaluation FunctionSystem::residual_jacobian(double t, std::span<const double> y,
                                             std::span<const double> dydt, double a,
                                             std::span<double> values,
                                             const Context& context) const {
  std::ranges::fill(values, 0.0);
  functions_.residual_jacobian(t, y, dydt, a, values);
  return look_for_fault(values, t, LastFault::Where::Jacobian, context.scratch);
}

Evaluation FunctionSystem::prepare_preconditioner(double t, std::span<const double> y, double alpha,
                                                  const Context&) const {
  if (functions_.prepare_preconditioner != nullptr) functions_.prepare_preconditioner(t, y, alpha);
  return Evaluation::Defined;
}

Evaluation FunctionSystem::precondition(double t, std::span<const double> y, double alpha,
                                        std::span<double> x, const Context&) const {
  functions_.precondition(t, y, alpha, x);
  return linalg::all_finite(x) ? Evaluation::Defined : Evaluation::Undefined;
}

Fault FunctionSystem::why_undefined(const Scratch& scratch) const {
  const LastFault& fault = static_cast<const LastFault&>(scratch);
  if (fault.where == LastFault::Where::Nowhere) return {};
  if (fault.where == LastFault::Where::Derivative) {
    return {fmt::format("the derivative of `{}` is {} at t = {:.10g}", variable_name(fault.index),
                        fault.value, fault.t)};
  }
  if (fault.where == LastFault::Where::Residual) {
    return {fmt::format("the residual of equation {} is {} at t = {:.10g}", fault.index,
                        fault.value, fault.t)};
  }
  return {fmt::format("the Jacobian has an entry that is {} at t = {:.10g}", fault.value, fault.t)};
}

}  // namespace daedalus::system
