#include "daedalus/codegen/compile_kernels.hpp"

#include "codegen/native_code.hpp"
#include "codegen/sharing.hpp"
#include "codegen/split.hpp"

namespace daedalus::codegen {
namespace {

structure::KernelFunction function_of(const NativeKernel& kernel) {
  if (const structure::NativeCall* call = kernel.only_call())
    return structure::KernelFunction(call);
  return [&kernel](double* symbols, double* outputs) { kernel.run(symbols, outputs); };
}

}  // namespace

Result<structure::KernelFunctions> compile_kernels(const structure::StructuredModel& model,
                                                   std::vector<structure::Kernel> kernels,
                                                   const CodeCache& cache) {
  expr::Arena arena = model.flat.arena;
  std::size_t symbol_count = model.symbol_count;
  if (is_worth_rolling(kernels, arena)) share_expressions(kernels, arena, symbol_count);
  expr::Walker walker;
  for (structure::Kernel& kernel : kernels)
    split_long_expressions(kernel, arena, walker, symbol_count);
  const std::size_t count = kernels.size();
  Result<NativeCode> compiled = NativeCode::compile(arena, std::move(kernels), cache);
  if (!compiled) return compiled.error();
  const auto native = std::make_shared<const NativeCode>(std::move(*compiled));
  structure::KernelFunctions result{.functions = {},
                                    .code = native,
                                    .symbol_count = symbol_count,
                                    .is_from_cache = native->is_from_cache()};
  for (std::size_t i = 0; i < count; ++i)
    result.functions.push_back(function_of(native->kernel(i)));
  return result;
}

}  // namespace daedalus::codegen
