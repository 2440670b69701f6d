// Tables and figures that `daedalus reproduce` knows, besides those in its own file.
#pragma once

#include <fmt/format.h>

#include "cli/command.hpp"

namespace daedalus::cli {

// Prints a row of a table, without the blanks at its end.
inline void print_line(const std::string& line) {
  fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
}

Json gear_json();
void print_gear();

Json hermann_json();
void print_hermann();

Json modrio_json();
void print_modrio();
std::string modrio_drawing();

Json cameron_1_json();
void print_cameron_1();
std::string cameron_1_drawing();
Json cameron_2_json();
void print_cameron_2();
Json cameron_3_json();
void print_cameron_3();
Json cameron_4_json();
void print_cameron_4();
Json cameron_5_json();
void print_cameron_5();
Json cameron_6_json();
void print_cameron_6();
Json cameron_7_json();
void print_cameron_7();

}  // namespace daedalus::cli
