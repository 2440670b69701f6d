#include "daedalus/integrate/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::integrate {
namespace {

template <class Choice>
using Named = std::pair<std::string_view, Choice>;

constexpr std::array<Named<Controller>, 4> controllers = {{{"auto", Controller::Family},
                                                           {"predictive", Controller::Predictive},
                                                           {"pi", Controller::Pi},
                                                           {"thesis", Controller::Thesis}}};

constexpr std::array<Named<Norm>, 3> norms = {
    {{"rms", Norm::Rms}, {"max", Norm::Maximum}, {"euclidean", Norm::Euclidean}}};

constexpr std::array<Named<LinearSolver>, 3> linear_solvers = {{{"auto", LinearSolver::Suitable},
                                                                {"direct", LinearSolver::Direct},
                                                                {"krylov", LinearSolver::Krylov}}};

template <class Choice, std::size_t size>
std::string_view name_in(const std::array<Named<Choice>, size>& table, Choice choice) {
  const auto found = std::ranges::find(table, choice, &Named<Choice>::second);
  DAEDALUS_CHECK(found != table.end());
  return found->first;
}

template <class Choice, std::size_t size>
Result<Choice> require_in(const std::array<Named<Choice>, size>& table, std::string_view what,
                          std::string_view name) {
  const auto found = std::ranges::find(table, name, &Named<Choice>::first);
  if (found != table.end()) return found->second;
  std::string listed;
  for (const auto& [known, choice] : table) {
    listed += fmt::format("{}{}", listed.empty() ? "" : ", ", known);
  }
  return Error{"usage.option", fmt::format("there is no {} `{}`", what, name),
               fmt::format("the choices are {}", listed)};
}

}  // namespace

std::string_view controller_name(Controller controller) { return name_in(controllers, controller); }

std::string_view norm_name(Norm norm) { return name_in(norms, norm); }

std::string_view linear_solver_name(LinearSolver solver) { return name_in(linear_solvers, solver); }

Result<Controller> require_controller(std::string_view name) {
  return require_in(controllers, "controller", name);
}

Result<Norm> require_norm(std::string_view name) { return require_in(norms, "norm", name); }

Result<LinearSolver> require_linear_solver(std::string_view name) {
  return require_in(linear_solvers, "linear solver", name);
}

}  // namespace daedalus::integrate
