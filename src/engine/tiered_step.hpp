// A generated step in two tiers of code.
#pragma once

#include <mutex>
#include <optional>

#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/codegen/procedure_code.hpp"
#include "daedalus/integrate/step_code.hpp"
#include "engine/background.hpp"

namespace daedalus::engine {

// Runs quickly compiled code, and has it optimised in the background once steps have taken about as
// long as optimising will. Both give the same bits, so it does not matter when the better code is
// ready. Optimised code goes into the cache.
class TieredStep final : public integrate::StepFunction {
 public:
  TieredStep(codegen::ProcedureCode first, codegen::CodeCache cache);

  void optimise() override { optimise({}); }

 private:
  void is_used_often() override;
  void optimise(const std::stop_token& stop);

  codegen::ProcedureCode first_;
  codegen::CodeCache cache_;
  std::mutex mutex_;
  std::optional<codegen::ProcedureCode> optimised_;
  BackgroundWork work_;  // ends before the code does
};

}  // namespace daedalus::engine
