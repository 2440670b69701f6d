#include "engine/swap.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

constexpr std::size_t most_states = 60;
constexpr std::size_t most_equations = 1000;
constexpr std::size_t steps = 100'000;

// The solution of a nonlinear loop that the library follows is not known to the generated steps,
// which would begin with that at the start, and could find another one.
bool has_branches(const structure::StructuredModel& model) {
  return std::ranges::any_of(model.dynamics.blocks, [](const structure::Block& block) {
    return block.feeds_derivatives && !block.is_explicit() && !block.linear;
  });
}

}  // namespace

std::optional<std::size_t> steps_before_generating(const structure::StructuredModel& model) {
  if (model.states.size() > most_states || model.equation_count > most_equations)
    return std::nullopt;
  if (has_branches(model)) return std::nullopt;
  return steps;
}

solution::Recording Swap::step(const solution::DenseStep& step) {
  last_step_ = step.end() - step.begin();
  if (recorder_.step(step) == solution::Recording::Stop) return solution::Recording::Stop;
  return --left_ == 0 ? solution::Recording::Stop : solution::Recording::Continue;
}

}  // namespace daedalus::engine
