// Splits long expressions into pieces that fit in a function of bounded size.
#pragma once

#include "daedalus/structure/structured.hpp"

namespace daedalus::codegen {

// Compile time grows with the square of a function's size, and functions are cut between
// assignments only: an expression of more nodes than this becomes several assignments to
// temporaries, numbered from `symbol_count`. Linear in the size of the kernel's expressions.
constexpr std::size_t longest_expression = 1000;

void split_long_expressions(structure::Kernel& kernel, expr::Arena& arena, expr::Walker& walker,
                            std::size_t& symbol_count);

}  // namespace daedalus::codegen
