// Compiles kernels to machine code in memory, with LLVM.
#pragma once

#include <memory>
#include <vector>

#include "codegen/emitter.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/codegen/code_cache.hpp"

namespace daedalus::codegen {

class Jit;

// A kernel: its functions are called in order. Moving it keeps the data of its loops in place.
class NativeKernel {
 public:
  // Assigns symbols and fills the outputs.
  void run(double* symbols, double* outputs) const {
    for (const NativeCall& call : calls_) call.function(symbols, outputs, &call.arguments);
  }

  void add(NativeFunction function) { calls_.push_back({function, {}}); }
  void add(NativeFunction function, Loop loop);
  std::size_t call_count() const { return calls_.size(); }
  // Its call, which lives as long as this does; null where there is not exactly one.
  const NativeCall* only_call() const { return calls_.size() == 1 ? calls_.data() : nullptr; }

 private:
  std::vector<NativeCall> calls_;
  std::vector<Loop> loops_;  // the arguments point to these
};

// Code lives as long as this object.
class NativeCode {
 public:
  // Code in the cache is not compiled again; new code is added to it. None: no cache.
  static Result<NativeCode> compile(const expr::Arena& arena,
                                    std::vector<structure::Kernel> kernels,
                                    const CodeCache& cache = {});

  NativeCode(NativeCode&&) noexcept;
  NativeCode& operator=(NativeCode&&) noexcept;
  ~NativeCode();

  const NativeKernel& kernel(std::size_t i) const { return kernels_[i]; }
  bool is_from_cache() const { return is_from_cache_; }  // nothing had to be compiled

 private:
  NativeCode(std::unique_ptr<Jit> jit, std::vector<NativeKernel> kernels, bool is_from_cache);

  std::unique_ptr<Jit> jit_;
  std::vector<NativeKernel> kernels_;
  bool is_from_cache_ = false;
};

}  // namespace daedalus::codegen
