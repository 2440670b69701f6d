// Modelica text to a syntax tree.
#pragma once

#include "daedalus/base/diagnostics.hpp"
#include "modelica/syntax.hpp"

namespace daedalus::modelica {

// Reports everything that is wrong and gives what could be read. The tree looks into the source's
// text.
SyntaxTree parse(const Sources& sources, std::uint32_t source, Diagnostics& diagnostics);

}  // namespace daedalus::modelica
