// The smallest set of tearing unknowns, by a search over sets of known unknowns.
#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

#include "structure/graph/tearing_graph.hpp"

namespace daedalus::structure {
namespace {

using Set = std::uint64_t;  // of unknowns

// Beyond this, the search hardly ever finishes in a reasonable time.
constexpr std::size_t most_equations = 32;

constexpr std::size_t cost_of_keeping = 1'000;  // more than any number of unknowns that can be torn

// Whatever set is torn, the first equation that is solved for an unknown has all of its other open
// unknowns torn. So from a set of known unknowns from which nothing more follows, there are two
// kinds of next moves: to tear an equation's open unknowns except one that it may be solved for
// (whichever that is, the same unknowns are then known), or all open unknowns. The minimum is the
// cheapest path to the set of all unknowns (Dijkstra 1959).
class Search {
 public:
  explicit Search(const TearingGraph& graph) : graph_(graph), all_(set_of_first(graph.size())) {
    for (const auto& uses : graph.uses) {
      Set& unknowns = unknowns_.emplace_back(0);
      Set& solvable = solvable_.emplace_back(0);
      for (const TearingGraph::Use& use : uses) {
        unknowns |= Set{1} << use.unknown;
        if (use.solvable) solvable |= Set{1} << use.unknown;
      }
    }
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (!graph.can_be_torn(v)) keep_ |= Set{1} << v;
    }
  }

  // Looks for something cheaper than the order, in at most this many sets.
  TearingOrder improve(TearingOrder found, std::size_t most_sets) {
    Set torn = 0;
    for (const std::uint32_t v : found.tearing) torn |= Set{1} << v;
    most_cost_ = cost_of(torn);
    const Set first = closure(0);
    reach(first, {0, first, unfinished});
    while (!open_.empty()) {
      const std::size_t cost = open_.begin()->first;
      std::vector<Set>& sets = open_.begin()->second;
      const Set known = sets.back();
      sets.pop_back();
      if (sets.empty()) open_.erase(open_.begin());
      if (ways_[known].cost < cost) continue;  // found on a cheaper path since
      if (known == all_) return order();
      if (most_sets-- == 0) return found;
      expand(known, cost);
    }
    found.is_minimum = true;
    return found;
  }

 private:
  static constexpr std::uint32_t unfinished = ~std::uint32_t{0};
  struct Way {
    std::size_t cost = 0;
    Set from = 0;
    std::uint32_t equation = unfinished;  // none: all open unknowns were torn
  };

  static Set first_of(Set set) { return set & (~set + 1); }
  static Set set_of_first(std::size_t n) { return (Set{1} << n) - 1; }

  Set closure(Set known) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t e = 0; e < unknowns_.size(); ++e) {
        const Set open = unknowns_[e] & ~known;
        if (!std::has_single_bit(open) || (open & solvable_[e]) == 0) continue;
        known |= open;
        changed = true;
      }
    }
    return known;
  }

  std::size_t cost_of(Set torn) const {
    return static_cast<std::size_t>(std::popcount(torn & ~keep_)) +
           cost_of_keeping * static_cast<std::size_t>(std::popcount(torn & keep_));
  }

  // The unknown that the equation gives.
  Set pivot(std::size_t e, Set open) const {
    const Set candidates = solvable_[e] & open;
    if ((candidates & keep_) != 0) return first_of(candidates & keep_);
    Set least = first_of(candidates);
    for (Set rest = candidates & ~least; rest != 0; rest &= rest - 1) {
      const auto preference = [&](Set one) {
        return graph_.preference_of(static_cast<std::size_t>(std::countr_zero(one)));
      };
      if (preference(first_of(rest)) < preference(least)) least = first_of(rest);
    }
    return least;
  }

  void expand(Set known, std::size_t cost) {
    for (std::uint32_t e = 0; e < unknowns_.size(); ++e) {
      const Set open = unknowns_[e] & ~known;
      if ((open & solvable_[e]) == 0) continue;
      reach(closure(known | open), {cost + cost_of(open & ~pivot(e, open)), known, e});
    }
    reach(all_, {cost + cost_of(all_ & ~known), known, unfinished});
  }

  // Each equation gives at most one unknown; the other open ones have to be torn, at least one.
  std::size_t least_further_cost(Set known) const {
    const Set open = all_ & ~known;
    if (open == 0) return 0;
    const auto givers = static_cast<int>(
        std::ranges::count_if(solvable_, [&](Set solvable) { return (solvable & open) != 0; }));
    return static_cast<std::size_t>(std::max(1, std::popcount(open) - givers));
  }

  void reach(Set known, Way way) {
    if (way.cost + least_further_cost(known) >= most_cost_) return;
    const auto [place, is_new] = ways_.try_emplace(known, way);
    if (!is_new && place->second.cost <= way.cost) return;
    place->second = way;
    open_[way.cost].push_back(known);
  }

  TearingOrder order() const {
    Set torn = 0;
    const Set first = closure(0);
    for (Set known = all_; known != first;) {
      const Way& way = ways_.at(known);
      const Set open = (way.equation == unfinished ? all_ : unknowns_[way.equation]) & ~way.from;
      torn |= way.equation == unfinished ? open : open & ~pivot(way.equation, open);
      known = way.from;
    }
    std::vector<std::uint32_t> tearing;
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      if ((torn >> v & 1U) != 0) tearing.push_back(v);
    }
    TearingOrder order = order_for(graph_, tearing);
    order.is_minimum = true;
    return order;
  }

  const TearingGraph& graph_;
  Set all_;
  Set keep_ = 0;
  std::size_t most_cost_ = 0;
  std::vector<Set> unknowns_, solvable_;          // by equation
  std::unordered_map<Set, Way> ways_;             // never iterated over
  std::map<std::size_t, std::vector<Set>> open_;  // by cost
};

}  // namespace

TearingOrder improve_to_minimum(const TearingGraph& graph, TearingOrder found,
                                std::size_t most_sets) {
  if (graph.size() > most_equations) return found;
  return Search(graph).improve(std::move(found), most_sets);
}

}  // namespace daedalus::structure
