// Families of methods of several orders, among which an integrator switches.
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

// All of them, in the order shown to users.
const std::vector<VariableOrder>& variable_order_methods();

}  // namespace daedalus::methods
