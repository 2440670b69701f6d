// Computes common subexpressions of several assignments only once.
#pragma once

#include "daedalus/structure/structured.hpp"

namespace daedalus::codegen {

// Straight-line functions share what they compute; loops cannot. An expression that costs more than
// a load and that several assignments or outputs of a kernel contain becomes an assignment to a
// temporary, numbered from `symbol_count`. Linear in the size of the kernels' expressions.
void share_expressions(std::vector<structure::Kernel>& kernels, expr::Arena& arena,
                       std::size_t& symbol_count);

}  // namespace daedalus::codegen
