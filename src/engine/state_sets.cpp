#include "engine/state_sets.hpp"

#include "daedalus/engine/analysis.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::engine {

Result<const runtime::ModelSystem*> StateSets::find(const structure::StructuredModel& model,
                                                    const structure::StateChoice& choice) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<runtime::ModelSystem>& system = systems_[choice];
  if (!system) {
    Phases phases;
    Result<std::unique_ptr<runtime::ModelSystem>> compiled =
        compile_system(structure::with_states(model, choice, phases), phases, cache_);
    if (!compiled) return compiled.error();
    system = std::move(*compiled);
  }
  return system.get();
}

}  // namespace daedalus::engine
