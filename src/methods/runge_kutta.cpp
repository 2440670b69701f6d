#include "daedalus/methods/runge_kutta.hpp"

#include "methods/catalogue/catalogue.hpp"

namespace daedalus::methods {

const std::vector<RungeKutta>& runge_kutta_methods() {
  static const std::vector<RungeKutta> all = [] {
    std::vector<RungeKutta> methods = fully_implicit_methods();
    for (const auto* more : {&diagonally_implicit_methods(), &explicit_methods()})
      methods.insert(methods.end(), more->begin(), more->end());
    return methods;
  }();
  return all;
}

const RungeKutta* find_method(std::string_view name) {
  for (const RungeKutta& method : runge_kutta_methods()) {
    if (method.name == name || (!name.empty() && method.also == name)) return &method;
  }
  return nullptr;
}

}  // namespace daedalus::methods
