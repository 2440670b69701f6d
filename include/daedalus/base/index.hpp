// Indices into tables, with a type of their own for each table.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace daedalus {

template <class Tag>
struct Index {
  static constexpr std::uint32_t none_value = ~std::uint32_t{0};
  std::uint32_t value = none_value;

  constexpr Index() = default;
  constexpr explicit Index(std::size_t i) : value(static_cast<std::uint32_t>(i)) {}
  constexpr bool is_none() const { return value == none_value; }
  friend constexpr auto operator<=>(Index, Index) = default;
};

template <class Tag>
constexpr std::size_t index(Index<Tag> id) {
  return id.value;
}

}  // namespace daedalus

template <class Tag>
struct std::hash<daedalus::Index<Tag>> {
  std::size_t operator()(daedalus::Index<Tag> id) const noexcept { return id.value; }
};
