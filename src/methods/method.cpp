#include "daedalus/methods/method.hpp"

#include <unordered_map>

#include "daedalus/base/names.hpp"
#include "daedalus/methods/properties.hpp"

namespace daedalus::methods {
namespace {

int order(const auto& method) { return method.order; }
int order(const VariableOrder& method) { return method.methods.back()->order; }
int order(const Multistep& method) { return method.highest_order; }

// Every run looks up its method, and a short run takes hardly longer than comparing all names.
struct Catalogue {
  std::vector<Method> all;
  std::unordered_map<std::string_view, Method> by_name;
};

Catalogue make_catalogue() {
  Catalogue made;
  for (const VariableOrder& method : variable_order_methods()) made.all.emplace_back(&method);
  for (const RungeKutta& method : runge_kutta_methods()) {
    made.all.emplace_back(&method);
    if (!method.also.empty()) made.by_name.emplace(method.also, &method);
  }
  for (const Rosenbrock& method : rosenbrock_methods()) made.all.emplace_back(&method);
  for (const Multistep& method : multistep_methods()) made.all.emplace_back(&method);
  for (const Regression& method : regression_methods()) made.all.emplace_back(&method);
  for (const Taylor& method : taylor_methods()) made.all.emplace_back(&method);
  for (const Switching& method : switching_methods()) made.all.emplace_back(&method);
  for (const Method& method : made.all) made.by_name.emplace(name(method), method);
  return made;
}

const Catalogue& catalogue() {
  static const Catalogue made = make_catalogue();
  return made;
}

}  // namespace

const std::vector<Method>& all_methods() { return catalogue().all; }

const std::string& name(const Method& method) {
  return std::visit([](const auto* one) -> const std::string& { return one->name; }, method);
}

int highest_order(const Method& method) {
  return std::visit([](const auto* one) { return order(*one); }, method);
}

bool is_implicit(const Method& method) {
  if (needs_model(method)) return false;
  const auto* const* tableau = std::get_if<const RungeKutta*>(&method);
  return tableau == nullptr || structure(**tableau) != Structure::Explicit;
}

bool is_one_step(const Method& method) {
  return !std::holds_alternative<const Multistep*>(method) &&
         !std::holds_alternative<const Regression*>(method);
}

bool is_adaptive(const Method& method) {
  const auto* const* tableau = std::get_if<const RungeKutta*>(&method);
  return tableau == nullptr || estimate_order(**tableau).has_value();
}

bool changes_method(const Method& method) {
  return std::holds_alternative<const Switching*>(method);
}

bool needs_model(const Method& method) { return std::holds_alternative<const Taylor*>(method); }

Result<Method> require_method(std::string_view wanted) {
  const auto& by_name = catalogue().by_name;
  if (const auto found = by_name.find(wanted); found != by_name.end()) return found->second;
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
