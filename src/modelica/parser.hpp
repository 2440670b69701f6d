// Parses Modelica text to a syntax tree.
#pragma once

#include "daedalus/base/diagnostics.hpp"
#include "modelica/syntax.hpp"

namespace daedalus::modelica {

// Reports all errors and returns what could be read. The tree refers to the source's text.
SyntaxTree parse(const Sources& sources, std::uint32_t source, Diagnostics& diagnostics);

}  // namespace daedalus::modelica
