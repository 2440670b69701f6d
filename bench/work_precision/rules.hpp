// Rules for the runs: no wrong answers, and errors follow the tolerance.
#pragma once

#include <string>
#include <vector>

#include "runs.hpp"

namespace daedalus::bench {

// The finished runs with less than half a digit where, on the same problem at the same rtol, half
// of the methods that finish have a digit and a half, so that a better answer is possible.
std::vector<Run> wrong_runs(const std::vector<Run>& runs);

// The known reason for wrong runs of the method on the problem; empty: none is known.
std::string known_fault(const Run& run);

// The median of the finished runs' digits minus those asked for, where the reference has that many.
double median_surplus(const std::vector<Run>& runs, const std::string& method, double asked);

// A sentence for each broken rule, except for wrong runs with a known fault.
std::vector<std::string> violations(const std::vector<Run>& runs);

// The change of the error when rtol is divided by 100, over the pairs of runs of a method that
// finish, with atol scaled or fixed. An error is fine if it is no larger than the one before, than
// the tolerance (of which the root mean square allows one of n components sqrt(n) times as much),
// or than the reference can resolve. Left out are problems that amplify errors, and `e5-long`,
// where rounding errors decide.
struct Tightening {
  std::string method;
  std::size_t pairs = 0;
  std::size_t worse = 0;
  std::vector<std::string> far_worse = {};  // ten times as large, in words
};
std::vector<Tightening> tightenings(const std::vector<Run>& runs);

// The shares of its pairs that may be worse, and far worse. A multistep method of one order near
// its limit of stability keeps errors that the solution itself would damp, and its distance from
// the limit varies at random.
struct TighteningLimits {
  double worse = 0.05;
  double far_worse = 0.0;
};
TighteningLimits tightening_limits(const std::string& method);

// A sentence for each method that breaks the rule.
std::vector<std::string> tightening_violations(const std::vector<Run>& runs);

}  // namespace daedalus::bench
