// The runs as a page and as a table for programs.
#pragma once

#include <string>
#include <vector>

#include "rules.hpp"

namespace daedalus::bench {

std::string page(const std::vector<Run>& runs);
std::string csv(const std::vector<Run>& runs);

}  // namespace daedalus::bench
