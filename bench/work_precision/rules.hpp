// What must hold for the runs: nobody is told a wrong answer, and errors follow the tolerance.
#pragma once

#include <string>
#include <vector>

#include "runs.hpp"

namespace daedalus::bench {

// The finished runs with less than half a digit where, on the same problem at the same rtol, half
// of the methods that finish have a digit and a half: there the problem permits a better answer.
std::vector<Run> wrong_runs(const std::vector<Run>& runs);

// Why wrong runs of the method on the problem are known; empty: they are not.
std::string known_fault(const Run& run);

// The finished runs' digits less those asked for, where the reference has as many; the median.
double median_surplus(const std::vector<Run>& runs, const std::string& method, double asked);

// A sentence for each rule that is broken, wrong runs with a known fault left out.
std::vector<std::string> violations(const std::vector<Run>& runs);

// What becomes of the error when rtol is divided by 100, over the pairs of runs of a method that
// finish, atol being scaled or fixed. Fine is an error that is no larger than the one before, than
// what was asked for (of which the root mean square allows one of n components sqrt(n) times as
// much), or than the reference can tell. Left out are problems that multiply errors, and `e5-long`,
// where rounding errors decide.
struct Tightening {
  std::string method;
  std::size_t pairs = 0;
  std::size_t worse = 0;
  std::vector<std::string> far_worse = {};  // ten times as large, in words
};
std::vector<Tightening> tightenings(const std::vector<Run>& runs);

// The shares of its pairs that may be worse, and far worse. A multistep method of one order near
// its limit of stability keeps errors that the solution itself would damp, and how near it is
// changes at random.
struct TighteningLimits {
  double worse = 0.05;
  double far_worse = 0.0;
};
TighteningLimits tightening_limits(const std::string& method);

// A sentence for each method that breaks the rule.
std::vector<std::string> tightening_violations(const std::vector<Run>& runs);

}  // namespace daedalus::bench
