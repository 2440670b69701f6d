#include "engine/tiered_step.hpp"

#include "daedalus/codegen/code_cache.hpp"

namespace daedalus::engine {
namespace {

// Steps of quick code that take as long as optimising it: both grow with the number of assignments.
constexpr std::uint64_t steps_before_optimising = 100'000;

}  // namespace

TieredStep::TieredStep(codegen::ProcedureCode first, std::string cache_folder)
    : StepFunction(first.function(0), first.is_optimised() ? 0 : steps_before_optimising),
      first_(std::move(first)),
      cache_folder_(std::move(cache_folder)) {}

void TieredStep::is_used_often() {
  work_ = BackgroundWork([this](const std::stop_token& stop) { optimise(stop); });
}

void TieredStep::optimise(const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  if (optimised_) return;
  const codegen::CodeCache cache(cache_folder_);
  optimised_ = first_.optimise(stop, cache_folder_.empty() ? nullptr : &cache);
  if (optimised_) replace(optimised_->function(0));
}

}  // namespace daedalus::engine
