// The runs as a page and as a machine-readable table.
#pragma once

#include <string>
#include <vector>

#include "rules.hpp"

namespace daedalus::bench {

// `tightening`: every method with atol scaled and fixed, for the rule about tighter tolerances.
std::string page(const std::vector<Run>& runs, const std::vector<Run>& tightening);
std::string csv(const std::vector<Run>& runs);

}  // namespace daedalus::bench
