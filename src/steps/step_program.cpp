#include "daedalus/steps/step_program.hpp"

#include "daedalus/integrate/coefficients.hpp"
#include "steps/elimination.hpp"
#include "steps/families.hpp"

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

std::optional<Error> refuse(const structure::StructuredModel& model) {
  if (model.states.empty()) {
    return Error{"unsupported.inline", "a model without states has no steps to generate code for",
                 "leave `--inline` out"};
  }
  if (!model.jacobian || is_too_large(model)) {
    return Error{"unsupported.inline", "this model is too large for generated steps",
                 "leave `--inline` out: the library solves large models as sparse systems"};
  }
  return std::nullopt;
}

using Programs = std::vector<StepProgram>;

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
Result<Programs> write_all(structure::StructuredModel model, std::span<const double> point,
                           integrate::Norm norm,
                           const std::shared_ptr<const Coefficients>& method) {
  Programs programs;
  programs.push_back(write({model, point, norm}, *method));
  return programs;
}

Result<Programs> write_all(
    const structure::StructuredModel& model, std::span<const double> point, integrate::Norm norm,
    const std::vector<std::shared_ptr<const integrate::ImplicitCoefficients>>& methods) {
  Programs programs;
  for (const auto& method : methods) {
    structure::StructuredModel copy = model;
    programs.push_back(implicit_step({copy, point, norm}, *method));
  }
  return programs;
}

}  // namespace

Result<std::vector<StepProgram>> make_steps(const structure::StructuredModel& model,
                                            std::span<const double> point,
                                            const methods::Method& method, integrate::Norm norm) {
  if (const std::optional<Error> error = refuse(model)) return *error;
  const Result<integrate::Family> family = integrate::family_of(method);
  if (!family) return family.error();
  return std::visit(
      [&](const auto& coefficients) { return write_all(model, point, norm, coefficients); },
      *family);
}

}  // namespace daedalus::steps
