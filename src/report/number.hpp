// Numbers as text: the shortest that reads back as the same number, whatever the locale.
#pragma once

#include <string>

#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// Appends the value; negative zero is written as 0. Needs a finite value.
void append_number(std::string& text, double value);

// Appends the value in the form of its kind: an Integer or Boolean without point and exponent.
void append_number(std::string& text, double value, solution::Kind kind);

// Appends the value rounded to nine significant digits, which is more than a plot can show.
void append_rounded(std::string& text, double value);

}  // namespace daedalus::report
