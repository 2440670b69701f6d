#include "engine/tiered_step.hpp"

namespace daedalus::engine {
namespace {

// Steps of quick code that take as long as optimising it: both grow with the number of assignments.
constexpr std::uint64_t steps_before_optimising = 100'000;

}  // namespace

TieredStep::TieredStep(codegen::ProcedureCode first, codegen::CodeCache cache)
    : StepFunction(first.function(0), first.is_optimised() ? 0 : steps_before_optimising),
      first_(std::move(first)),
      cache_(std::move(cache)) {}

void TieredStep::is_used_often() {
  work_ = BackgroundWork([this](const std::stop_token& stop) { optimise(stop); });
}

void TieredStep::optimise(const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  if (optimised_) return;
  optimised_ = first_.optimise(stop, cache_);
  if (optimised_) replace(optimised_->function(0));
}

}  // namespace daedalus::engine
