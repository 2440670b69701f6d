// Procedures to machine code: each becomes one function.
#pragma once

#include <memory>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/structure/procedure.hpp"

namespace daedalus::codegen {

class CodeCache;
class Jit;

// Gets the values of the symbols, and assigns some of them.
using ProcedureFunction = void (*)(double* symbols);

// Code lives as long as this object.
class ProcedureCode {
 public:
  // What others read of the symbols when a procedure has run is `kept`, by symbol; all else need
  // not be stored.
  static Result<ProcedureCode> compile(const expr::Arena& arena,
                                       const std::vector<const structure::Procedure*>& procedures,
                                       const std::vector<bool>& kept,
                                       const CodeCache* cache = nullptr);

  ProcedureCode(ProcedureCode&&) noexcept;
  ProcedureCode& operator=(ProcedureCode&&) noexcept;
  ~ProcedureCode();

  ProcedureFunction function(std::size_t i) const { return functions_[i]; }

 private:
  ProcedureCode(std::unique_ptr<Jit> jit, std::vector<ProcedureFunction> functions);

  std::unique_ptr<Jit> jit_;
  std::vector<ProcedureFunction> functions_;
};

}  // namespace daedalus::codegen
