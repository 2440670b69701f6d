#include "integrate/family.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "daedalus/methods/properties.hpp"

namespace daedalus::integrate {
namespace {

template <class Coefficients>
Result<Family> shared(Result<Coefficients> coefficients) {
  if (!coefficients) return coefficients.error();
  return Family(std::make_shared<const Coefficients>(std::move(*coefficients)));
}

Error no_one_step_method(std::string_view name) {
  return {
      "usage.method-unsuited",
      fmt::format("`{}` is no one-step method, and no step is generated for it", name),
      "steps are generated for `fbdf1` to `fbdf6`, which are BDF of one order, and for one-step "
      "methods, for instance `radau5`"};
}

}  // namespace

Result<Family> derive_family(const methods::RungeKutta& method) {
  switch (methods::structure(method)) {
    case methods::Structure::Explicit:
      return shared(explicit_coefficients(method));
    case methods::Structure::DiagonallyImplicit:
      return shared(diagonal_coefficients(method));
    case methods::Structure::FullyImplicit:
      break;
  }
  return shared(implicit_coefficients(method));
}

Result<Family> derive_family(const methods::Rosenbrock& method) {
  return shared(rosenbrock_coefficients(method));
}

Result<Family> derive_family(const methods::VariableOrder& method) {
  std::vector<std::shared_ptr<const ImplicitCoefficients>> levels;
  for (const methods::RungeKutta* level : method.methods) {
    Result<ImplicitCoefficients> coefficients = implicit_coefficients(*level);
    if (!coefficients) return coefficients.error();
    levels.push_back(std::make_shared<const ImplicitCoefficients>(std::move(*coefficients)));
  }
  return Family(std::move(levels));
}

Result<Family> derive_family(const methods::Multistep& method) {
  return no_one_step_method(method.name);
}

Result<Family> derive_family(const methods::Regression&) {
  return derive_family(*methods::find_method("implicit-euler"));
}

// The last two terms are of the sizes h^(p-1) and h^p.
Result<Family> derive_family(const methods::Taylor& method) {
  const Formula formula{
      .order = method.order, .estimate_power = method.order - 1, .sets_scale = true};
  return Family(std::make_shared<const TaylorCoefficients>(TaylorCoefficients{
      .formula = formula,
      .order = static_cast<std::size_t>(method.order),
      .stability_boundary = static_cast<double>(methods::real_stability_boundary(method))}));
}

Result<Family> derive_family(const methods::Switching& method) {
  return Error{
      "usage.method-unsuited",
      fmt::format("`{}` changes between two methods, and no step is generated for it", method.name),
      fmt::format("leave out --inline, or take `{}` or `{}`", method.nonstiff->name,
                  method.stiff->name)};
}

Result<Family> derive_family(const methods::Automatic& method) {
  return Error{
      "usage.method-unsuited",
      fmt::format("`{}` takes the steps of other methods, and has none of its own", method.name),
      "name a method"};
}

Result<Family> family_of(const methods::Method& method) {
  static std::mutex mutex;
  static std::map<methods::Method, Family> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(method);
  if (found != known.end()) return found->second;
  Result<Family> family = std::visit([](const auto* one) { return derive_family(*one); }, method);
  if (family) known.emplace(method, *family);
  return family;
}

}  // namespace daedalus::integrate
