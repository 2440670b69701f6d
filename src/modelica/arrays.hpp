// Sizes of arrays and the names of their elements. Elements lie row by row: the last subscript
// runs fastest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::modelica {

using Shape = std::vector<std::int64_t>;  // empty: a scalar

// The limit on the length of arrays and loops: anything longer counts as a mistake. The environment
// variable DAEDALUS_MAX_ELEMENTS overrides it.
std::int64_t most_elements();

// The error for a model of that many elements, and how to allow it nevertheless.
std::string too_many_text(std::int64_t elements);
std::string too_many_hint();

constexpr std::size_t most_dimensions = 32;

// Anything above 10^18 counts as 10^18, so that nothing overflows.
std::int64_t element_count(const Shape& shape);

// "a scalar", "[3]", "[2, 3]"
std::string describe(const Shape& shape);

// x[3], x[2,1]; the name itself for a scalar.
std::string element_name(std::string_view name, const Shape& shape, std::int64_t element);

}  // namespace daedalus::modelica
