#include "modelica/arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "daedalus/base/number.hpp"

namespace daedalus::modelica {

namespace {

constexpr std::int64_t beyond_count = 1'000'000'000'000'000'000;
constexpr const char* limit_variable = "DAEDALUS_MAX_ELEMENTS";

// Nothing where it is not a positive number.
std::optional<std::int64_t> given_limit() {
  const char* const text = std::getenv(limit_variable);
  const std::string_view digits = text == nullptr ? "" : text;
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = failure == std::errc{} && end == digits.data() + digits.size();
  return is_number && value > 0 ? std::optional(std::min(value, beyond_count - 1)) : std::nullopt;
}

}  // namespace

std::int64_t most_elements() {
  static const std::int64_t limit = given_limit().value_or(10'000'000);
  return limit;
}

std::string too_many_text(std::int64_t elements) {
  return fmt::format("this has {}{} elements; the limit is {}",
                     elements >= beyond_count ? "more than " : "",
                     count_text(std::min(elements, beyond_count)), count_text(most_elements()));
}

std::string too_many_hint() {
  const bool is_misread = std::getenv(limit_variable) != nullptr && !given_limit();
  return fmt::format("is a size or a range wrong? The environment variable {} raises the limit{}",
                     limit_variable, is_misread ? ", but what it says now is no number" : "");
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool is_beyond = false;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
    is_beyond = is_beyond || size > beyond_count / count;
    if (!is_beyond) count *= size;
  }
  return is_beyond ? beyond_count : count;
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
