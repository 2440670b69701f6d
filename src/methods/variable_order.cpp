#include "daedalus/methods/variable_order.hpp"

namespace daedalus::methods {

const std::vector<VariableOrder>& variable_order_methods() {
  static const std::vector<VariableOrder> all = {
      {.name = "radau",
       .title = "Radau IIA of orders 5, 9 and 13",
       .source = "Hairer and Wanner 1999, Stiff differential equations solved by Radau methods",
       .methods = {find_method("radau5"), find_method("radau9"), find_method("radau13")}}};
  return all;
}

}  // namespace daedalus::methods
