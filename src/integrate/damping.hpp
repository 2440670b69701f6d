// Steps that may damp a component.
#pragma once

namespace daedalus::integrate {

// Whether a step of size h may damp a component of y' = f so much that its estimate does not show
// the error inside the step: h times the largest eigenvalue, bounded by the sum of the magnitudes
// of all entries of the Jacobian, is not certainly below 4.
inline bool may_damp(double h, double jacobian_size) { return !(h * jacobian_size < 4.0); }

}  // namespace daedalus::integrate
