// Strong components of a directed graph.
#pragma once

#include "structure/graph/lists.hpp"

namespace daedalus::structure {

using Graph = Lists;  // the nodes that each node needs

// Tarjan 1972, with a stack of its own. A component comes after every component that it needs; the
// nodes of each are in increasing order. Linear.
Lists strong_components(const Graph& graph);

}  // namespace daedalus::structure
