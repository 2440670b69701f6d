// Families of methods between whose orders an integrator moves.
#pragma once

#include <string>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

struct VariableOrder {
  std::string name;
  std::string title;
  std::string source;
  std::vector<const RungeKutta*> methods;  // fully implicit and stiffly accurate, by order
};

// Every one, in the order shown to users.
const std::vector<VariableOrder>& variable_order_methods();

}  // namespace daedalus::methods
