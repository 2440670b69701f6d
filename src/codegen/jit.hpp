// Modules of LLVM IR to machine code in memory.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

#include "daedalus/base/result.hpp"

namespace daedalus::codegen {

class CodeCache;

// How hard the compiler tries.
enum class Effort {
  Little,  // plain code generation: about 2 microseconds for each node
  Much,    // 40 microseconds for each node
};

class Jit {
 public:
  static Result<Jit> make();

  // Compiles the module, or takes its code from the cache; none: no cache.
  std::optional<Error> add(llvm::Module& module, Effort effort, const CodeCache* cache);

  // The function of that name, in a module that was added.
  Result<void*> find(const std::string& name);

  bool has_compiled() const { return compiled_ > 0; }  // something that was not in the cache

 private:
  Jit(llvm::orc::JITTargetMachineBuilder machine, std::unique_ptr<llvm::orc::LLJIT> lljit)
      : machine_(std::move(machine)), lljit_(std::move(lljit)) {}

  llvm::orc::JITTargetMachineBuilder machine_;
  std::unique_ptr<llvm::orc::LLJIT> lljit_;
  std::size_t compiled_ = 0;
};

}  // namespace daedalus::codegen
