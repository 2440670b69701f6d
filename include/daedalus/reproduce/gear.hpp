// Table I of Gear 1970, "The simultaneous numerical solution of differential-algebraic equations":
// what his program costs on eight equations at five tolerances, and how accurate it is at two
// times. The published figures, and ours.
#pragma once

#include <cstddef>
#include <vector>

#include "daedalus/system/function_system.hpp"

namespace daedalus::reproduce {

struct GearFigures {
  double error = 0.0;  // the largest one of y1 to y4
  double f5 = 0.0;     // the residual of (28), which is the integral of the fifth equation,
  double f6 = 0.0;     // and that of the algebraic equations
  double f7 = 0.0;
  double f8 = 0.0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;  // of the equations
  std::size_t jacobians = 0;
};

struct GearRow {
  double time = 0.0;
  double epsilon = 0.0;
  GearFigures published = {};
  GearFigures same = {};   // by `gear`, which has the orders of his program, at epsilon itself
  GearFigures tuned = {};  // by `bdf`, at a tolerance with which its errors are no larger
};

// "Adam's method takes from 3 to 10 million equation evaluations for this problem depending on the
// error control parameter."
struct GearAdams {
  double epsilon = 0.0;
  double error = 0.0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};

// The equations (26) and (27), whose v1 and v2 enter linearly.
system::Functions gear_equations();
std::vector<double> gear_start();

// Our rtol and atol in units of Gear's parameter, which applies to another norm.
constexpr double gear_tolerance_factor = 0.014;

// The rows in the order of the table.
std::vector<GearRow> gear_1();

// `adams` on the equations of y1 to y4, which do not depend on the others and contain the
// stiffness, to t = 1000 at the loosest and the tightest tolerance of the table. Takes a second for
// each.
std::vector<GearAdams> gear_adams();

}  // namespace daedalus::reproduce
