// The program of Treeaporn 2005, appendix B, "ODE set A inlined with Rad5", replayed as it stands.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/system/function_system.hpp"

namespace daedalus::reproduce {

// The right-hand side of set A, with the operations in the order of the listing.
system::Functions listed_set_a();

struct ListingOptions {
  double stop = 1.0;
  double first_step = 1e-3;
  double tolerance = 1e-5;
};

struct ListingRun {
  std::size_t steps = 0;       // that end at or before the stop
  double next_step = 0.0;      // the size that the next one would have
  std::vector<double> y = {};  // at the stop, on the line between the last step and one more
};

// Stage i of step n is X[i] = x + h sum a[i][j] f(X[j] of step n - 1): the derivatives are
// evaluated once, at the stages of the step before, without any iteration. That is an explicit
// scheme of order 1. The error formula (2.162) is applied to data that are one step too old. No
// step is rejected; after two equal ones the step changes by the rule (2.164), without a safety
// factor, inside [h / 2, 2 h]. For problems that do not depend on time. The listing starts all
// stages and their history from the initial values and all derivatives from zero.
//
// On set A the step size hunts along a stability limit and rounding errors grow, so the last two
// digits of the number of steps depend on the order of the operations; the one chosen by the
// compiler of the thesis is not known. This program sums as the formula above is written.
ListingRun replay_rad5_listing(const system::Functions& functions, std::span<const double> y0,
                               const ListingOptions& options);

}  // namespace daedalus::reproduce
