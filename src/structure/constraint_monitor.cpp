#include "daedalus/structure/constraint_monitor.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::structure {

ConstraintMonitor::ConstraintMonitor(const StructuredModel& model)
    : constraints_(model.constraints), violations_(model.constraints.size()) {
  for (const Constraint& constraint : constraints_) {
    tape_.output(model.flat.arena, constraint.residual);
    for (const expr::Partial& partial : constraint.partials)
      tape_.output(model.flat.arena, partial.value);
    outputs_.resize(outputs_.size() + 1 + constraint.partials.size());
  }
}

void ConstraintMonitor::look(double t, std::span<const double> values) {
  if (constraints_.empty()) return;
  looked_ = true;
  values_.assign(values.begin(), values.end());
  tape_.run(values_, outputs_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const double violation = std::fabs(outputs_[next++]);
    double size = 0.0;
    for (const expr::Partial& partial : constraints_[i].partials)
      size += std::fabs(outputs_[next++] * values[index(partial.symbol)]);
    violations_[i].size = std::max(violations_[i].size, size);
    if (violation <= violations_[i].largest) continue;
    violations_[i].largest = violation;
    violations_[i].time = t;
  }
}

std::optional<Drift> ConstraintMonitor::worst() const {
  if (!looked_) return std::nullopt;
  Drift worst{.equation = constraints_.front().equation, .times = constraints_.front().times};
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const Violation& violation = violations_[i];
    const double relative =
        violation.size > 0.0 ? violation.largest / violation.size : violation.largest;
    if (relative <= worst.largest) continue;
    worst = {relative, violation.time, constraints_[i].equation, constraints_[i].times};
  }
  return worst;
}

}  // namespace daedalus::structure
