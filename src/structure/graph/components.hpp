// Strong components of a directed graph.
#pragma once

#include <cstdint>
#include <vector>

namespace daedalus::structure {

using Graph = std::vector<std::vector<std::uint32_t>>;  // what each node needs

// Tarjan 1972, with a stack of its own. A component comes after every component that it needs; the
// nodes of each are in increasing order. Linear.
std::vector<std::vector<std::uint32_t>> strong_components(const Graph& graph);

}  // namespace daedalus::structure
