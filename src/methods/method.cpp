#include "daedalus/methods/method.hpp"

#include "daedalus/base/names.hpp"
#include "daedalus/methods/properties.hpp"

namespace daedalus::methods {
namespace {

int order(const auto& method) { return method.order; }
int order(const VariableOrder& method) { return method.methods.back()->order; }

}  // namespace

const std::vector<Method>& all_methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> methods;
    for (const VariableOrder& method : variable_order_methods()) methods.emplace_back(&method);
    for (const RungeKutta& method : runge_kutta_methods()) methods.emplace_back(&method);
    for (const Rosenbrock& method : rosenbrock_methods()) methods.emplace_back(&method);
    return methods;
  }();
  return all;
}

const std::string& name(const Method& method) {
  return std::visit([](const auto* one) -> const std::string& { return one->name; }, method);
}

int highest_order(const Method& method) {
  return std::visit([](const auto* one) { return order(*one); }, method);
}

bool is_implicit(const Method& method) {
  const auto* const* tableau = std::get_if<const RungeKutta*>(&method);
  return tableau == nullptr || structure(**tableau) != Structure::Explicit;
}

bool is_adaptive(const Method& method) {
  const auto* const* tableau = std::get_if<const RungeKutta*>(&method);
  return tableau == nullptr || estimate_order(**tableau).has_value();
}

Result<Method> require_method(std::string_view wanted) {
  if (const RungeKutta* method = find_method(wanted)) return Method(method);
  for (const Method& method : all_methods()) {
    if (name(method) == wanted) return method;
  }
  std::vector<std::string> known;
  std::string listed;
  for (const Method& method : all_methods()) {
    known.push_back(name(method));
    listed += (listed.empty() ? "" : ", ") + name(method);
  }
  const std::string near = did_you_mean(wanted, known);
  return Error{"usage.unknown-method", "there is no method `" + std::string(wanted) + "`",
               near + (near.empty() ? "" : " ") + "the methods are " + listed};
}

}  // namespace daedalus::methods
