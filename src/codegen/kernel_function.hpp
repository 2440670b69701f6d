// Something that runs a kernel.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "codegen/native_function.hpp"

namespace daedalus::codegen {

// Called with symbols and outputs. Kernels of one native function, the most of them, are called
// straight: there are many calls for each event, and small kernels.
class KernelFunction {
 public:
  KernelFunction() = default;
  explicit KernelFunction(const NativeCall* call) : call_(call) {}
  template <std::invocable<double*, double*> F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, KernelFunction>)
  KernelFunction(F&& function) : other_(std::forward<F>(function)) {}

  void operator()(double* symbols, double* outputs) const {
    if (call_ != nullptr) {
      call_->function(symbols, outputs, &call_->arguments);
    } else {
      other_(symbols, outputs);
    }
  }

 private:
  const NativeCall* call_ = nullptr;
  std::function<void(double*, double*)> other_;
};

}  // namespace daedalus::codegen
