// The files of the catalogue, one function for each.
#pragma once

#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

const std::vector<RungeKutta>& explicit_methods();
const std::vector<RungeKutta>& fully_implicit_methods();

}  // namespace daedalus::methods
