// Tables and figures that `daedalus reproduce` knows, apart from those of its own file.
#pragma once

#include "cli/command.hpp"

namespace daedalus::cli {

Json gear_json();
void print_gear();

Json hermann_json();
void print_hermann();

Json modrio_json();
void print_modrio();
std::string modrio_drawing();

}  // namespace daedalus::cli
