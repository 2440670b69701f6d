#include "daedalus/methods/runge_kutta.hpp"

#include "daedalus/base/names.hpp"
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

Result<const RungeKutta*> require_method(std::string_view name) {
  if (const RungeKutta* method = find_method(name)) return method;
  std::vector<std::string> known;
  std::string listed;
  for (const RungeKutta& method : runge_kutta_methods()) {
    known.push_back(method.name);
    if (!method.also.empty()) known.push_back(method.also);
    listed += (listed.empty() ? "" : ", ") + method.name;
  }
  const std::string near = did_you_mean(name, known);
  return Error{"usage.unknown-method", "there is no method `" + std::string(name) + "`",
               near + (near.empty() ? "" : " ") + "the methods are " + listed};
}

}  // namespace daedalus::methods
