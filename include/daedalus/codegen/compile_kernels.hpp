// Kernels to machine code in memory.
#pragma once

#include "daedalus/base/result.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/structure/kernel_function.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::codegen {

// Code that the cache has is not compiled again; what it has not, it gets. The model stays as it
// is: expressions that are shared or split are in an arena of their own.
Result<structure::KernelFunctions> compile_kernels(const structure::StructuredModel& model,
                                                   std::vector<structure::Kernel> kernels,
                                                   const CodeCache& cache = {});

}  // namespace daedalus::codegen
