#include "daedalus/steps/step_program.hpp"

#include <algorithm>

#include "daedalus/integrate/coefficients.hpp"
#include "steps/cost.hpp"
#include "steps/elimination.hpp"
#include "steps/families.hpp"
#include "steps/torn_stages.hpp"

namespace daedalus::steps {
namespace {

// Beyond these, compiling takes seconds, and the library's sparse factorisation runs as fast.
constexpr std::size_t most_states = 2000;
constexpr std::size_t most_assignments = 10'000;  // in f
constexpr std::size_t most_products = 20'000;     // in an elimination

bool is_too_large(const structure::StructuredModel& model) {
  if (model.states.size() > most_states) return true;
  std::size_t assignments = 0;
  for (const structure::Block& block : model.dynamics.blocks) {
    assignments += block.assignments.size();
    const std::size_t n = block.tearing.size();
    if (n * n * n / 3 > most_products) return true;
  }
  return assignments > most_assignments ||
         elimination_cost(model.states.size(), model.jacobian->entries, most_products) >=
             most_products;
}

std::optional<Error> refuse(const structure::StructuredModel& model,
                            const methods::Method& method) {
  if (model.states.empty()) {
    return Error{"unsupported.inline", "a model without states has no steps to generate code for",
                 "leave `--inline` out"};
  }
  if (!model.jacobian || is_too_large(model)) {
    if (methods::needs_model(method)) return too_large_for_taylor(methods::highest_order(method));
    return Error{"unsupported.inline", "this model is too large for generated steps",
                 "leave `--inline` out: the library solves large models as sparse systems"};
  }
  return std::nullopt;
}

// In assignments. Compiling takes some 0.05 ms for each, so larger programs than this are chosen
// only where they are not much longer than the alternative.
constexpr std::size_t small_program = 2500;
constexpr double much_longer = 1.5;

using Programs = std::vector<StepProgram>;
using integrate::StepForm;

// What programs are requested.
struct Request {
  const structure::StructuredModel& model;
  std::span<const double> point;
  const methods::Method& method;
  integrate::Norm norm;
  std::optional<StepForm> form;
};

StepProgram write(const StepTask& task, const integrate::RosenbrockCoefficients& method) {
  return rosenbrock_step(task, method);
}
StepProgram write(const StepTask& task, const integrate::ExplicitCoefficients& method) {
  return explicit_step(task, method);
}
StepProgram write(const StepTask& task, const integrate::DiagonalCoefficients& method) {
  return diagonal_step(task, method);
}
StepProgram write(const StepTask& task, const integrate::ImplicitCoefficients& method) {
  return implicit_step(task, method);
}

template <class Coefficients>
StepProgram write_in_states(const Request& request, const Coefficients& method) {
  structure::StructuredModel model = request.model;
  return write({model, request.point, request.norm}, method);
}

template <class Coefficients>
StepProgram write_torn(const Request& request, TornStages& torn, const Coefficients& method) {
  structure::StructuredModel model = request.model;
  model.flat.arena = torn.take_arena();
  StepProgram program = write({model, request.point, request.norm, &torn}, method);
  program.form = StepForm::Torn;
  return program;
}

// Near points where other states become better, f varies so much that estimates show too little of
// the error. An iteration on the states then does not converge, which makes steps shorter; a torn
// one does converge: lobatto6 on a pendulum lost two digits in the step before such a change.
bool states_may_change(const structure::StructuredModel& model) {
  return std::ranges::any_of(model.groups, &structure::StateGroup::may_change);
}

template <class Coefficients>
StepProgram cheaper(const Request& request, const Coefficients& method) {
  const auto* const* tableau = std::get_if<const methods::RungeKutta*>(&request.method);
  StepProgram in_states = write_in_states(request, method);
  const bool is_free = !request.form && !states_may_change(request.model);
  if (!tableau || !(is_free || request.form == StepForm::Torn)) return in_states;
  const std::unique_ptr<TornStages> torn =
      TornStages::make(request.model, **tableau, request.point);
  if (!torn) return in_states;
  if (request.form == StepForm::Torn) return write_torn(request, *torn, method);
  const double cost = predicted_cost(in_states);
  // The eliminations alone reveal large systems before they are written out.
  const double passes = torn->iterates() ? full_iterations : 1.0;
  const double eliminations = passes * static_cast<double>(torn->elimination_size());
  if (nanoseconds_per_product * eliminations >= cost) return in_states;
  StepProgram other = write_torn(request, *torn, method);
  const double size = static_cast<double>(structure::count_assignments(other.step));
  const bool is_small =
      size <= static_cast<double>(small_program) ||
      size <= much_longer * static_cast<double>(structure::count_assignments(in_states.step));
  return is_small && predicted_cost(other) < cost ? std::move(other) : std::move(in_states);
}

template <class Coefficients>
Result<Programs> write_all(const Request& request,
                           const std::shared_ptr<const Coefficients>& method) {
  Programs programs;
  constexpr bool has_two_forms = std::is_same_v<Coefficients, integrate::DiagonalCoefficients> ||
                                 std::is_same_v<Coefficients, integrate::ImplicitCoefficients>;
  if constexpr (has_two_forms) {
    programs.push_back(cheaper(request, *method));
  } else {
    programs.push_back(write_in_states(request, *method));
  }
  return programs;
}

Result<Programs> write_all(const Request& request,
                           const std::shared_ptr<const integrate::TaylorCoefficients>& method) {
  structure::StructuredModel model = request.model;
  Result<StepProgram> program = taylor_step({model, request.point, request.norm}, *method);
  if (!program) return program.error();
  Programs programs;
  programs.push_back(std::move(*program));
  return programs;
}

Result<Programs> write_all(
    const Request& request,
    const std::vector<std::shared_ptr<const integrate::ImplicitCoefficients>>& methods) {
  Programs programs;
  for (const auto& method : methods) programs.push_back(write_in_states(request, *method));
  return programs;
}

}  // namespace

Result<std::vector<StepProgram>> make_steps(const structure::StructuredModel& model,
                                            std::span<const double> point,
                                            const methods::Method& method, integrate::Norm norm,
                                            std::optional<StepForm> form) {
  if (const std::optional<Error> error = refuse(model, method)) return *error;
  const Result<integrate::Family> family = integrate::family_of(method);
  if (!family) return family.error();
  const Request request{model, point, method, norm, form};
  return std::visit([&](const auto& coefficients) { return write_all(request, coefficients); },
                    *family);
}

}  // namespace daedalus::steps
