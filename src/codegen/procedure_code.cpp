#include "daedalus/codegen/procedure_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/jit.hpp"
#include "codegen/procedure_emitter.hpp"

namespace daedalus::codegen {

ProcedureCode::ProcedureCode(std::unique_ptr<Jit> jit, std::vector<ProcedureFunction> functions)
    : jit_(std::move(jit)), functions_(std::move(functions)) {}
ProcedureCode::ProcedureCode(ProcedureCode&&) noexcept = default;
ProcedureCode& ProcedureCode::operator=(ProcedureCode&&) noexcept = default;
ProcedureCode::~ProcedureCode() = default;

Result<ProcedureCode> ProcedureCode::compile(
    const expr::Arena& arena, const std::vector<const structure::Procedure*>& procedures,
    const std::vector<bool>& kept, const CodeCache* cache) {
  Result<Jit> jit = Jit::make();
  if (!jit) return jit.error();
  llvm::LLVMContext context;
  llvm::Module module("procedures", context);
  ProcedureEmitter emitter(module, arena, kept);
  const auto name = [](std::size_t i) { return fmt::format("procedure{}", i); };
  for (std::size_t i = 0; i < procedures.size(); ++i) emitter.emit(*procedures[i], name(i));
  const bool are_short =
      std::ranges::all_of(procedures, [](const auto* procedure) { return is_short(*procedure); });
  if (const std::optional<Error> error =
          jit->add(module, are_short ? Effort::Much : Effort::Little, cache)) {
    return *error;
  }
  std::vector<ProcedureFunction> functions;
  for (std::size_t i = 0; i < procedures.size(); ++i) {
    const Result<void*> address = jit->find(name(i));
    if (!address) return address.error();
    functions.push_back(reinterpret_cast<ProcedureFunction>(*address));
  }
  return ProcedureCode(std::make_unique<Jit>(std::move(*jit)), std::move(functions));
}

}  // namespace daedalus::codegen
