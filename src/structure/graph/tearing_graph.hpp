// The choice of the unknowns of a block to iterate on, from its graph alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace daedalus::structure {

// The equations of one block, as many as unknowns.
struct TearingGraph {
  struct Use {
    std::uint32_t unknown = 0;
    bool solvable = false;  // the equation may be solved for it
    double weight = 1.0;    // size of the coefficient, rows and columns scaled to about 1
    // The size of an integration step is a factor of the coefficient, and the weight is that for a
    // step as long as the equation's time constant.
    bool with_step = false;
  };
  std::vector<std::vector<Use>> uses;  // by equation
  std::vector<bool> keep = {};         // unknowns that cannot be iterated on; empty: there are none

  std::vector<int> preference = {};  // the higher, the better to iterate on; empty: all are equal

  double step_range = 1.0;  // growth is also judged for steps shorter and longer by this factor

  std::size_t size() const { return uses.size(); }
  std::size_t entries() const {
    std::size_t count = 0;
    for (const std::vector<Use>& equation : uses) count += equation.size();
    return count;
  }
  bool can_be_torn(std::size_t unknown) const { return keep.empty() || !keep[unknown]; }
  int preference_of(std::size_t unknown) const {
    return preference.empty() ? 0 : preference[unknown];
  }
};

// With the tearing unknowns known, each step's equation contains one unknown that no step before
// gives. Equations in no step are the residuals, as many as tearing unknowns.
struct TearingOrder {
  struct Step {
    std::uint32_t equation = 0;
    std::uint32_t unknown = 0;
  };
  std::vector<std::uint32_t> tearing = {};
  std::vector<Step> steps = {};
  bool is_minimum = false;  // proven: no smaller set of tearing unknowns exists
};

constexpr double any_growth = std::numeric_limits<double>::infinity();

// How much an error of size 1 in the tearing unknowns can grow through the steps: the largest g(v)
// = sum of |a_u / a_v| g(u), with g = 1 for tearing unknowns, over all step sizes. Linear.
double estimated_growth(const TearingGraph& graph, const TearingOrder& order);

// The steps that follow from the tearing unknowns, those first in which errors grow least. Near-
// linear.
TearingOrder order_for(const TearingGraph& graph, const std::vector<std::uint32_t>& tearing);

// Repeatedly tears the unknown that appears in most of the remaining equations (Cellier and Kofman
// 2006, section 7). Steps whose growth exceeds the limit are not taken. Near-linear.
TearingOrder tear_by_unknowns(const TearingGraph& graph, double most_growth = any_growth);

// Takes the equation with the fewest unknowns left and tears all of them but one, which the
// equation gives; of equal ones the one from which most follows, by a look-ahead of bounded breadth
// and length. Near-linear.
TearingOrder tear_by_equations(const TearingGraph& graph, double most_growth = any_growth);

// The smaller result of both, without tearing unknowns that follow from the others. Small graphs
// are tried from each equation as the first one. Near-linear.
TearingOrder tear_greedily(const TearingGraph& graph, double most_growth = any_growth);

// A smaller set than that of the order, or the order itself, over all sets of tearing unknowns and
// all ways to solve the equations. It is proven to be the minimum if the graph has no more than 32
// equations and the search finished after at most this many sets.
TearingOrder improve_to_minimum(const TearingGraph& graph, TearingOrder found,
                                std::size_t most_sets);

// The minimum where it can be found quickly, elsewhere the result of the greedy choices.
// Near-linear.
TearingOrder tear_graph(const TearingGraph& graph);

}  // namespace daedalus::structure
