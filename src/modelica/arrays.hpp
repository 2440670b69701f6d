// Sizes of arrays and the names of their elements. Elements lie row by row: the last subscript
// runs fastest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::modelica {

using Shape = std::vector<std::int64_t>;  // empty: a scalar

// No array and no loop is longer: what is beyond is taken for a slip.
constexpr std::int64_t most_elements = 10'000'000;

constexpr std::size_t most_dimensions = 32;

// At most most_elements + 1, so that it cannot overflow.
std::int64_t element_count(const Shape& shape);

// "a scalar", "[3]", "[2, 3]"
std::string describe(const Shape& shape);

// x[3], x[2,1]; the name itself for a scalar.
std::string element_name(std::string_view name, const Shape& shape, std::int64_t element);

}  // namespace daedalus::modelica
