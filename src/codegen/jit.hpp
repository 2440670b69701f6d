// Compiles modules of LLVM IR to machine code in memory.
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::codegen {

class CodeCache;

// LLVM is compiled without exceptions: where memory runs out inside it, its objects are left half
// built and cannot be destroyed. Their owner then releases them without destruction.
struct UnlessFailing {
  int before = std::uncaught_exceptions();

  template <class T>
  void operator()(T* object) const {
    if (std::uncaught_exceptions() <= before) delete object;
  }
};
template <class T>
using Held = std::unique_ptr<T, UnlessFailing>;

// How much effort the compiler makes.
enum class Effort {
  Little,  // plain code generation: about 2 microseconds for each node
  Much,    // 40 microseconds for each node
  Most,    // with vectorisation of neighbours, which takes more than linear time
};

class Jit {
 public:
  static Result<Jit> make();

  // Compiles the module, or takes its code from the cache.
  std::optional<Error> add(llvm::Module& module, Effort effort, const CodeCache& cache);

  // The same in parts. A prepared module is specific to this machine: its bytes and the effort
  // determine the code.
  void prepare(llvm::Module& module) const;
  std::string key(std::string_view bytes, Effort effort) const;
  Result<std::string> compile(llvm::Module& prepared, Effort effort);  // an object file
  std::optional<Error> link(std::string_view object);

  // The function of that name, in a module that was added.
  Result<void*> find(const std::string& name);

  // Whether the machine computes a b + c as one operation, which rounds once.
  bool has_fused_operations() const;

  bool has_compiled() const { return compiled_ > 0; }  // at least one was not in the cache

 private:
  struct Failure {  // of linking
    std::string message;
    bool is_memory = false;
  };

  Jit(llvm::orc::JITTargetMachineBuilder machine, Held<llvm::orc::LLJIT> lljit);

  llvm::orc::JITTargetMachineBuilder machine_;
  std::unique_ptr<Failure> failure_;  // the reason why a lookup fails
  Held<llvm::orc::LLJIT> lljit_;
  std::size_t compiled_ = 0;
};

std::string bytes_of(const llvm::Module& module);

}  // namespace daedalus::codegen
