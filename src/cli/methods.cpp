// daedalus methods: the catalogue.
#include <fmt/format.h>

#include <cmath>

#include "cli/command.hpp"
#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/regression_properties.hpp"

namespace daedalus::cli {
namespace {

std::string family(const methods::RungeKutta& method) {
  switch (methods::structure(method)) {
    case methods::Structure::Explicit:
      return "explicit Runge-Kutta";
    case methods::Structure::DiagonallyImplicit:
      return "diagonally implicit Runge-Kutta";
    case methods::Structure::FullyImplicit:
      return "implicit Runge-Kutta";
  }
  return "";
}

constexpr const char* regression_family = "regression differentiation";

std::string family(const methods::Rosenbrock&) { return "Rosenbrock"; }

std::optional<int> error_order(const methods::Rosenbrock& method) { return method.embedded.order; }

std::optional<int> error_order(const methods::RungeKutta& method) {
  return methods::estimate_order(method);
}

// Of the stages of a Rosenbrock method: 1, as their Jacobian is that at the start.
int order_of_stages(const methods::RungeKutta& method) { return methods::stage_order(method); }
int order_of_stages(const methods::Rosenbrock&) { return 1; }

std::string stability(const auto& method) {
  if (methods::is_l_stable(method)) return "L-stable";
  return methods::is_a_stable(method) ? "A-stable" : "-";
}

Json method_json(const auto& method) {
  Json object = {{"name", method.name},
                 {"title", method.title},
                 {"family", family(method)},
                 {"stages", methods::stages(method)},
                 {"order", method.order},
                 {"stage_order", order_of_stages(method)},
                 {"error_order", nullptr},
                 {"a_stable", methods::is_a_stable(method)},
                 {"l_stable", methods::is_l_stable(method)},
                 {"stiffly_accurate", methods::is_stiffly_accurate(method)},
                 {"source", method.source}};
  if (const std::optional<int> order = error_order(method)) object["error_order"] = *order;
  return object;
}

// With the range of orders.
Json method_json(const methods::VariableOrder& method) {
  Json object = method_json(*method.methods.back());
  object["name"] = method.name;
  object["title"] = method.title;
  object["family"] = "variable-order Runge-Kutta";
  object["orders"] = Json::array();
  for (const methods::RungeKutta* level : method.methods) object["orders"].push_back(level->order);
  object["source"] = method.source;
  return object;
}

std::string_view family(const methods::Multistep& method) {
  switch (method.kind) {
    case methods::MultistepKind::Bdf:
      return "backward differentiation";
    case methods::MultistepKind::Ndf:
      return "numerical differentiation";
    case methods::MultistepKind::Adams:
      return "Adams-Moulton";
  }
  return "";
}

Json method_json(const methods::Multistep& method) {
  Json orders = Json::array();
  for (int order = method.lowest_order; order <= method.highest_order; ++order)
    orders.push_back(order);
  return {{"name", method.name},         {"title", method.title},
          {"family", family(method)},    {"order", method.highest_order},
          {"orders", std::move(orders)}, {"source", method.source}};
}

// JSON has no number for infinity.
Json number_or_infinite(methods::Real value) {
  return std::isinf(value) ? Json("infinite") : Json(static_cast<double>(value));
}

// The data points and their coefficients, in readable form: x[k-3] 0.78.
Json coefficients_json(const methods::RegressionFormula& formula) {
  Json coefficients = {{"hf[k+1]", formula.new_slope.text()}};
  for (std::size_t i = 0; i < formula.steps(); ++i) {
    const std::string when = i == 0 ? "[k]" : fmt::format("[k-{}]", i);
    if (formula.values[i].numerator != 0)
      coefficients[fmt::format("x{}", when)] = formula.values[i].text();
    if (formula.slopes[i].numerator != 0)
      coefficients[fmt::format("hf{}", when)] = formula.slopes[i].text();
  }
  return coefficients;
}

Json method_json(const methods::Regression& method) {
  const methods::RegressionFormula& exact = methods::formula_of(method);
  const methods::LinearFormula formula = methods::linear_formula(exact);
  const methods::StiffStability stiff = methods::stiff_stability(formula);
  Json unstable = Json::array();
  for (const auto& [begin, end] : methods::unstable_stretches(formula))
    unstable.push_back({static_cast<double>(begin), static_cast<double>(end)});
  return {{"name", method.name},
          {"title", method.title},
          {"family", regression_family},
          {"steps", exact.steps()},
          {"order", method.order},
          {"error_order", method.order},
          {"coefficients", coefficients_json(exact)},
          {"error_constant", static_cast<double>(exact.error_constant.value())},
          {"a_stable", methods::is_a_stable(formula)},
          {"l_stable", methods::is_l_stable(formula)},
          {"a0_stable", unstable.empty()},
          {"unstable_on_the_real_axis", unstable},
          {"a_alpha_degrees", static_cast<double>(stiff.angle)},
          {"stiff_stability_a", static_cast<double>(stiff.a)},
          {"stiff_stability_c", number_or_infinite(stiff.c)},
          {"critical_damping", static_cast<double>(methods::critical_damping(formula))},
          {"damping_at_infinity", number_or_infinite(methods::damping_at_infinity(formula))},
          {"source", method.source}};
}

constexpr const char* taylor_family = "Taylor series";

Json method_json(const methods::Taylor& method) {
  return {
      {"name", method.name},
      {"title", method.title},
      {"family", taylor_family},
      {"order", method.order},
      {"error_order", methods::estimate_order(method)},
      {"a_stable", false},
      {"l_stable", false},
      {"real_stability_boundary", static_cast<double>(methods::real_stability_boundary(method))},
      {"imaginary_stability_boundary",
       static_cast<double>(methods::imaginary_stability_boundary(method))},
      {"source", method.source}};
}

constexpr const char* switching_family = "explicit or diagonally implicit Runge-Kutta";

Json method_json(const methods::Switching& method) {
  return {{"name", method.name},
          {"title", method.title},
          {"family", switching_family},
          {"order", method.order},
          {"error_order", *error_order(*method.nonstiff)},
          {"nonstiff", method.nonstiff->name},
          {"stiff", method.stiff->name},
          {"source", method.source}};
}

constexpr const char* automatic_family = "others, as suits";

Json method_json(const methods::Automatic& method) {
  return {{"name", method.name},
          {"title", method.title},
          {"family", automatic_family},
          {"order", method.order},
          {"source", method.source}};
}

Json any_json(const methods::Method& method) {
  return std::visit([](const auto* one) { return method_json(*one); }, method);
}

void print_row(const auto& method) {
  const std::optional<int> order = error_order(method);
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", method.name, family(method),
             methods::stages(method), method.order, order ? std::to_string(*order) : "-",
             stability(method), method.title);
}

void print_row(const methods::VariableOrder& method) {
  const methods::RungeKutta& low = *method.methods.front();
  const methods::RungeKutta& high = *method.methods.back();
  const auto range = [](auto a, auto b) { return fmt::format("{}-{}", a, b); };
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", method.name,
             "variable-order Runge-Kutta", range(methods::stages(low), methods::stages(high)),
             range(low.order, high.order), range(*error_order(low), *error_order(high)),
             stability(high), method.title);
}

void print_row(const methods::Multistep& method) {
  const std::string orders = method.lowest_order == method.highest_order
                                 ? fmt::format("{}", method.highest_order)
                                 : fmt::format("{}-{}", method.lowest_order, method.highest_order);
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", method.name, family(method), "-",
             orders, orders, "-", method.title);
}

// A(alpha) in degrees, rounded down, or a weaker property.
std::string stability(const methods::Regression& method) {
  const methods::LinearFormula formula = methods::linear_formula(methods::formula_of(method));
  if (!methods::is_a0_stable(formula)) return "unstable";
  if (methods::is_l_stable(formula)) return "L-stable";
  return fmt::format("A({:.0f})", std::floor(methods::stiff_stability(formula).angle));
}

void print_row(const methods::Regression& method) {
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", method.name, regression_family, "-",
             method.order, method.order, stability(method), method.title);
}

void print_row(const methods::Taylor& method) {
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", method.name, taylor_family, "-",
             method.order, methods::estimate_order(method), "-", method.title);
}

void print_row(const methods::Switching& method) {
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", method.name,
             "explicit or diagonally implicit", methods::stages(*method.stiff), method.order,
             *error_order(*method.nonstiff), "switches", method.title);
}

void print_row(const methods::Automatic& method) {
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", method.name, automatic_family, "-", "-",
             "-", "switches", method.title);
}

void print_table() {
  fmt::print("{:<19} {:<31} {:>6} {:>5} {:>11} {:<9} {}\n", "name", "family", "stages", "order",
             "error order", "stability", "title");
  for (const methods::Method& method : methods::all_methods()) {
    std::visit([](const auto* one) { print_row(*one); }, method);
  }
}

void print_one(const Json& object) {
  for (const auto& [key, value] : object.items()) {
    fmt::print("{:<17} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

int run(const std::string& name, bool json) {
  if (!name.empty()) {
    const Result<methods::Method> found = methods::require_method(name);
    if (!found) return report_error(found.error(), json);
    const Json object = any_json(*found);
    if (json) {
      print_json(object);
    } else {
      print_one(object);
    }
    return success;
  }
  if (!json) {
    print_table();
    return success;
  }
  Json list = Json::array();
  for (const methods::Method& method : methods::all_methods()) list.push_back(any_json(method));
  print_json({{"methods", list}});
  return success;
}

}  // namespace

void add_methods(CLI::App& program, int& exit_code) {
  struct Arguments {
    std::string name;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand("methods", "list the integration methods");
  command->add_option("NAME", arguments->name, "show one method in full");
  command->add_flag("--json", arguments->json, "print one JSON object on stdout and nothing else");
  command->callback([arguments, &exit_code] { exit_code = run(arguments->name, arguments->json); });
}

}  // namespace daedalus::cli
