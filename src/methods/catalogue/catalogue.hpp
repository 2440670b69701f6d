// The files of the catalogue, one function for each.
#pragma once

#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

const std::vector<RungeKutta>& explicit_methods();
const std::vector<RungeKutta>& diagonally_implicit_methods();
const std::vector<RungeKutta>& fully_implicit_methods();

// Two methods with so many digits that each fills a file.
RungeKutta verner65();
RungeKutta dop853();

}  // namespace daedalus::methods
