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

}  // namespace daedalus::bench
