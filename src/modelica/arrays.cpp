#include "modelica/arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus::modelica {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool too_many = false;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
    too_many = too_many || size > most_elements / count;
    if (!too_many) count *= size;
  }
  return too_many ? most_elements + 1 : count;
}

std::string describe(const Shape& shape) {
  return shape.empty() ? "a scalar" : fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string element_name(std::string_view name, const Shape& shape, std::int64_t element) {
  if (shape.empty()) return std::string(name);
  if (shape.size() == 1) return fmt::format("{}[{}]", name, element + 1);
  Shape subscripts(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d])
    subscripts[d] = element % shape[d] + 1;
  return fmt::format("{}[{}]", name, fmt::join(subscripts, ","));
}

}  // namespace daedalus::modelica
