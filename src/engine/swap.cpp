#include "engine/swap.hpp"

namespace daedalus::engine {
namespace {

// Up to these sizes generated steps were faster wherever this was measured
// (docs/inline-integration.md).
constexpr std::size_t most_states = 250;
constexpr std::size_t most_equations = 1500;
constexpr std::size_t most_cheap_states = 60;  // where a step is nothing but sums

std::size_t count_iterated(const structure::StructuredModel& model) {
  std::size_t count = 0;
  for (const structure::Block& block : model.dynamics.blocks) {
    if (block.feeds_derivatives) count += block.tearing.size();
  }
  return count;
}

// Measured: both times grow with the size of the model, but small steps do little work, while
// compiling even their code takes some time.
std::size_t steps_as_long_as_generating(std::size_t size, bool is_cheap) {
  return (is_cheap ? 15'000 : 4'000) + 60'000 / size;
}

// Steps of a method of several orders consist of as many programs.
constexpr std::size_t most_at_once = 20;
constexpr std::size_t most_at_once_of_several_orders = 8;
constexpr std::size_t most_expressions_at_once = 5000;  // of the whole model

}  // namespace

bool generates_at_once(const structure::StructuredModel& model, const methods::Method& method) {
  const bool has_several = std::holds_alternative<const methods::VariableOrder*>(method);
  const std::size_t size = model.states.size() + 2 * count_iterated(model);
  return !model.states.empty() && methods::is_one_step(method) && model.jacobian &&
         model.flat.arena.size() <= most_expressions_at_once &&
         size <= (has_several ? most_at_once_of_several_orders : most_at_once);
}

std::optional<SwapPlan> plan_swap(const structure::StructuredModel& model,
                                  const methods::Method& method) {
  const std::size_t states = model.states.size(), iterated = count_iterated(model);
  const bool is_cheap = !methods::is_implicit(method) && iterated == 0;
  if (states == 0 || !methods::is_one_step(method) || !model.jacobian ||
      model.equation_count > most_equations ||
      states > (is_cheap ? most_cheap_states : most_states)) {
    return std::nullopt;
  }
  const std::size_t steps = steps_as_long_as_generating(states + 2 * iterated, is_cheap);
  return SwapPlan{.prepare = steps, .swap = 2 * steps};
}

}  // namespace daedalus::engine
