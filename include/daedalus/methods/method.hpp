// The catalogue of all families under one roof: what a user's name for a method means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/methods/automatic.hpp"
#include "daedalus/methods/multistep.hpp"
#include "daedalus/methods/regression.hpp"
#include "daedalus/methods/rosenbrock.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "daedalus/methods/switching.hpp"
#include "daedalus/methods/taylor.hpp"
#include "daedalus/methods/variable_order.hpp"

namespace daedalus::methods {

// Never null.
using Method =
    std::variant<const RungeKutta*, const Rosenbrock*, const VariableOrder*, const Multistep*,
                 const Regression*, const Taylor*, const Switching*, const Automatic*>;

// All methods of all families, in the order shown to users.
const std::vector<Method>& all_methods();

const std::string& name(const Method& method);
int highest_order(const Method& method);  // where it varies
bool is_implicit(const Method& method);
bool is_one_step(const Method& method);  // a step needs nothing from earlier ones
bool is_adaptive(const Method& method);  // it estimates its error; otherwise it needs a fixed step
bool needs_model(const Method& method);  // it differentiates a model's text: functions won't do
bool changes_method(const Method& method);  // it takes the steps of others, and has no formula

// The method that users call `name`, in any case, or that other tools call so (`ode45`); no name
// means `auto`. An unknown one is an Error that suggests what was meant.
Result<Method> require_method(std::string_view name);

}  // namespace daedalus::methods
