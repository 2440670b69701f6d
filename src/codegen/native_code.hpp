// Kernels to machine code in memory, by LLVM.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::codegen {

// Runs a kernel on the symbols' values; outputs go to the second argument.
using NativeFunction = void (*)(double* symbols, double* outputs);

// Code lives as long as this object.
class NativeCode {
 public:
  // Each kernel becomes a list of functions of bounded size, to be called in order: compile time
  // grows more than linearly with the size of a function.
  static Result<NativeCode> compile(const expr::Arena& arena,
                                    std::span<const structure::Kernel> kernels);

  NativeCode(NativeCode&&) noexcept;
  NativeCode& operator=(NativeCode&&) noexcept;
  ~NativeCode();

  const std::vector<NativeFunction>& functions(std::size_t kernel) const {
    return functions_[kernel];
  }

 private:
  struct Jit;
  NativeCode(std::unique_ptr<Jit> jit, std::vector<std::vector<NativeFunction>> functions);

  std::unique_ptr<Jit> jit_;
  std::vector<std::vector<NativeFunction>> functions_;
};

}  // namespace daedalus::codegen
