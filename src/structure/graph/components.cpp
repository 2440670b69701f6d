#include "structure/graph/components.hpp"

#include <algorithm>

namespace daedalus::structure {

Lists strong_components(const Graph& graph) {
  struct Visit {
    std::uint32_t node;
    std::uint32_t next;
  };
  constexpr std::uint32_t unseen = ~std::uint32_t{0};
  std::vector<std::uint32_t> order(graph.size(), unseen), low(graph.size(), 0), open;
  std::vector<bool> is_open(graph.size(), false);
  std::vector<Visit> visits;
  Lists components;
  std::uint32_t count = 0;

  const auto enter = [&](std::uint32_t node) {
    order[node] = low[node] = count++;
    open.push_back(node);
    is_open[node] = true;
    visits.push_back({node, 0});
  };
  const auto close = [&](std::uint32_t root) {
    std::size_t first = open.size();
    do is_open[open[--first]] = false;
    while (open[first] != root);
    const std::span<std::uint32_t> component = std::span(open).subspan(first);
    std::ranges::sort(component);
    components.append(component);
    open.resize(first);
  };

  for (std::uint32_t start = 0; start < graph.size(); ++start) {
    if (order[start] != unseen) continue;
    enter(start);
    while (!visits.empty()) {
      auto& [node, next] = visits.back();
      if (next < graph[node].size()) {
        const std::uint32_t other = graph[node][next++];
        if (order[other] == unseen) {
          enter(other);
        } else if (is_open[other]) {
          low[node] = std::min(low[node], order[other]);
        }
        continue;
      }
      const std::uint32_t done = node;
      visits.pop_back();
      if (low[done] == order[done]) close(done);
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[done]);
    }
  }
  return components;
}

}  // namespace daedalus::structure
