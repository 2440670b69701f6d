// Compiles kernels to machine code in memory.
#pragma once

#include "daedalus/base/result.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/structure/kernel_function.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::codegen {

// Code in the cache is not compiled again; new code is added to it. The model is not changed:
// expressions that are shared or split go into a separate arena.
Result<structure::KernelFunctions> compile_kernels(const structure::StructuredModel& model,
                                                   std::vector<structure::Kernel> kernels,
                                                   const CodeCache& cache = {});

}  // namespace daedalus::codegen
