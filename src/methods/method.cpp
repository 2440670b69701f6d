#include "daedalus/methods/method.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "daedalus/base/names.hpp"
#include "daedalus/methods/properties.hpp"

namespace daedalus::methods {
namespace {

int order(const auto& method) { return method.order; }
int order(const VariableOrder& method) { return method.methods.back()->order; }
int order(const Multistep& method) { return method.highest_order; }

// What other tools call a method, in lower case, and the one of ours that is most like it.
struct Familiar {
  std::string_view name;
  std::string_view method;
};
constexpr std::array<Familiar, 14> familiar_names = {{{"ode45", "dopri5"},
                                                      {"rk45", "dopri5"},
                                                      {"ode23", "bs32"},
                                                      {"rk23", "bs32"},
                                                      {"ode113", "adams"},
                                                      {"ode15s", "ndf"},
                                                      {"ode23s", "rodas4"},
                                                      {"dassl", "bdf"},
                                                      {"cvode", "bdf"},
                                                      {"ida", "bdf"},
                                                      {"rungekutta", "rk4"},
                                                      {"impeuler", "implicit-euler"},
                                                      {"radauiia5", "radau5"},
                                                      {"lsoda", "auto"}}};

std::string in_lower_case(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Every run looks up its method, and a short run takes hardly longer than comparing all names.
struct Catalogue {
  std::vector<Method> all;
  std::unordered_map<std::string_view, Method> by_name;
};

Catalogue make_catalogue() {
  Catalogue made;
  for (const Automatic& method : automatic_methods()) made.all.emplace_back(&method);
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
  return std::holds_alternative<const Switching*>(method) ||
         std::holds_alternative<const Automatic*>(method);
}

bool needs_model(const Method& method) { return std::holds_alternative<const Taylor*>(method); }

Result<Method> require_method(std::string_view wanted) {
  if (wanted.empty()) wanted = default_method;
  const auto& by_name = catalogue().by_name;
  if (const auto found = by_name.find(wanted); found != by_name.end()) return found->second;
  const std::string lower = in_lower_case(wanted);
  const auto other = std::ranges::find(familiar_names, lower, &Familiar::name);
  const auto found = by_name.find(other == familiar_names.end() ? lower : other->method);
  if (found != by_name.end()) return found->second;
  std::vector<std::string> known;
  for (const Method& method : all_methods()) known.push_back(name(method));
  for (const Familiar& familiar : familiar_names) known.emplace_back(familiar.name);
  constexpr std::size_t few = 5;
  const std::vector<std::string> candidates = near_names(wanted, known, few);
  std::string near;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_last = i + 1 == candidates.size();
    near += i == 0 ? "" : is_last ? " or " : ", ";
    near += '`' + candidates[i] + '`';
  }
  return Error{"usage.unknown-method", "there is no method `" + std::string(wanted) + "`",
               near.empty() ? "leave it out to have one chosen; `daedalus methods` "
                              "lists all"
                            : "did you mean " + near + "? `daedalus methods` lists all"};
}

}  // namespace daedalus::methods
