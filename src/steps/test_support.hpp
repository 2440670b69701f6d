// Shared by the tests of programs: running them natively.
#pragma once

#include "daedalus/codegen/procedure_code.hpp"
#include "steps/writer.hpp"

namespace daedalus::steps {

// The symbols after the procedure has run; `kept` empty: all of them.
inline std::vector<double> run(const expr::Arena& arena, const structure::Procedure& procedure,
                               std::vector<double> symbols, std::vector<bool> kept = {}) {
  if (kept.empty()) kept.assign(symbols.size(), true);
  const Result<codegen::ProcedureCode> code =
      codegen::ProcedureCode::compile(arena, {&procedure}, kept);
  if (!code) throw Failure(code.error());
  code->function(0)(symbols.data());
  return symbols;
}

}  // namespace daedalus::steps
