// Which unknowns of a block to iterate on, as a question about its graph alone.
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

  std::vector<int> preference = {};  // the higher, the rather iterated on; empty: all are equal

  double step_range = 1.0;  // growth is judged for steps so many times shorter and longer, too

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

// How much an error of size 1 in the tearing unknowns can grow on its way through the steps: the
// largest g(v) = sum of |a_u / a_v| g(u), with g = 1 for tearing unknowns; of all step sizes.
// Linear.
double estimated_growth(const TearingGraph& graph, const TearingOrder& order);

// The steps that follow from the tearing unknowns, those first in which errors grow least. Near-
// linear.
TearingOrder order_for(const TearingGraph& graph, const std::vector<std::uint32_t>& tearing);

// Takes the unknown that appears in most of the remaining equations, again and again (Cellier and
// Kofman 2006, section 7). Steps that grow beyond the limit are not taken. Near-linear.
TearingOrder tear_by_unknowns(const TearingGraph& graph, double most_growth = any_growth);

// Takes the equation with the fewest unknowns left and tears all of them but one, which the
// equation gives; of equal ones that from which most follows, by a look ahead that is bounded in
// breadth and length. Near-linear.
TearingOrder tear_by_equations(const TearingGraph& graph, double most_growth = any_growth);

// The smaller result of both, without tearing unknowns that follow from the others. Small graphs
// are tried from each equation as the first one. Near-linear.
TearingOrder tear_greedily(const TearingGraph& graph, double most_growth = any_growth);

// A smaller set than that of the order, or the order itself, over all sets of tearing unknowns and
// all ways to solve the equations; whether it is the minimum was proven if the graph has no more
// than 32 equations and the search came to its end within so many sets.
TearingOrder improve_to_minimum(const TearingGraph& graph, TearingOrder found,
                                std::size_t most_sets);

// The minimum where it can be found quickly, what the greedy choices give elsewhere. Near-linear.
TearingOrder tear_graph(const TearingGraph& graph);

}  // namespace daedalus::structure
