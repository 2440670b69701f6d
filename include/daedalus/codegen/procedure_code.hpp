// Compiles procedures to machine code: each becomes one function.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/structure/procedure.hpp"

namespace daedalus::codegen {

class Jit;

// Gets the values of the symbols, and assigns some of them.
using ProcedureFunction = void (*)(double* symbols);

// Code lives as long as this object. Short procedures are optimised. Long ones are compiled as
// quickly as possible, unless the cache has optimised code for them; optimise() produces that.
class ProcedureCode {
 public:
  // `kept` marks the symbols that are read after a procedure has run; no others need to be stored.
  static Result<ProcedureCode> compile(const expr::Arena& arena,
                                       const std::vector<const structure::Procedure*>& procedures,
                                       const std::vector<bool>& kept, const CodeCache& cache = {});

  ProcedureCode(ProcedureCode&&) noexcept;
  ProcedureCode& operator=(ProcedureCode&&) noexcept;
  ~ProcedureCode();

  ProcedureFunction function(std::size_t i) const { return functions_[i]; }

  bool is_optimised() const { return quick_.empty(); }

  // The same procedures in optimised code, which gives the same results to the last bit and goes
  // into the cache. Takes about ten times as long as compiling them quickly. Empty if it is told to
  // stop meanwhile or the code is optimised already. May be called from any thread.
  std::optional<ProcedureCode> optimise(const std::stop_token& stop,
                                        const CodeCache& cache = {}) const;

 private:
  ProcedureCode(std::unique_ptr<Jit> jit, std::vector<ProcedureFunction> functions,
                std::string quick);
  static Result<ProcedureCode> make(Jit jit, std::size_t count, std::string quick);

  std::unique_ptr<Jit> jit_;
  std::vector<ProcedureFunction> functions_;
  std::string quick_;  // LLVM bitcode of the quickly compiled code
};

}  // namespace daedalus::codegen
