// Descriptions and annotations: what a model says to its readers and its tools.
#pragma once

#include <string>
#include <vector>

#include "modelica/syntax.hpp"
#include "modelica/token_reader.hpp"

namespace daedalus::modelica {

// "text" {+ "text"}
std::string read_description(TokenReader& in);

// annotation( ... ): only the experiment of a class matters here, the rest is skipped.
void read_annotation(TokenReader& in, SyntaxTree& tree, std::vector<AnnotationValue>* experiment);

}  // namespace daedalus::modelica
