// A model compiled for several choices of its states, each when it is first needed.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "daedalus/base/result.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/runtime/model_system.hpp"

namespace daedalus::engine {

class StateSets {
 public:
  explicit StateSets(codegen::CodeCache cache) : cache_(std::move(cache)) {}

  // The system of that choice, compiled from the model whose states it changes. Safe to call from
  // several threads; the system lives as long as this object.
  Result<const runtime::ModelSystem*> find(const structure::StructuredModel& model,
                                           const structure::StateChoice& choice);

 private:
  codegen::CodeCache cache_;
  std::mutex mutex_;
  std::map<structure::StateChoice, std::unique_ptr<runtime::ModelSystem>> systems_;
};

}  // namespace daedalus::engine
