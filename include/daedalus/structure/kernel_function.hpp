// A function that runs a kernel.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace daedalus::structure {

// The data of a kernel's loop, which generated machine code gets besides the symbols and outputs.
struct LoopArguments {
  std::int64_t count = 0;
  const std::int64_t* places = nullptr;
  const std::int32_t* place_tables = nullptr;
  const double* constants = nullptr;
  const double* constant_tables = nullptr;
};

using NativeFunction = void (*)(double* symbols, double* outputs, const LoopArguments* loop);

struct NativeCall {
  NativeFunction function = nullptr;
  LoopArguments arguments = {};
};

// Called with symbols and outputs. Kernels with a single native function, which are most of them,
// are called directly: each event makes many calls of small kernels.
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

// The kernels of a model, ready to run.
struct KernelFunctions {
  std::vector<KernelFunction> functions;  // in the order of the kernels
  std::shared_ptr<const void> code;       // the code that they call; lives as long as they do
  std::size_t symbol_count = 0;           // the model's, and further temporaries
  bool is_from_cache = false;             // nothing had to be compiled
};

}  // namespace daedalus::structure
