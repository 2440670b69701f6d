// A list that usually has one entry.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace daedalus {

// Takes 16 bytes, and no other memory while its entries fit into 8 of them.
template <class T>
class Few {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  Few() = default;
  Few(std::initializer_list<T> entries) { assign(entries.begin(), entries.size()); }
  Few(const std::vector<T>& entries) { assign(entries.data(), entries.size()); }
  Few(const Few& other) { assign(other.data(), other.size_); }
  Few(Few&& other) noexcept { swap(other); }
  Few& operator=(Few other) noexcept {
    swap(other);
    return *this;
  }
  ~Few() {
    if (is_outside()) delete[] outside();
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return is_outside() ? outside() : reinterpret_cast<T*>(inside_.data()); }
  const T* data() const {
    return is_outside() ? outside() : reinterpret_cast<const T*>(inside_.data());
  }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& front() { return *begin(); }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

  void push_back(const T& entry) {
    const T copy = entry;  // it may be an element of this list
    if (size_ == capacity_) grow(2 * capacity_);
    data()[size_++] = copy;
  }
  template <class... Arguments>
  void emplace_back(Arguments&&... arguments) {
    push_back(T(std::forward<Arguments>(arguments)...));
  }

  operator std::vector<T>() const { return {begin(), end()}; }

 private:
  using Inside = std::array<std::byte, sizeof(T*)>;
  static constexpr std::uint32_t fitting = sizeof(Inside) / sizeof(T);

  bool is_outside() const { return capacity_ > fitting; }
  T* outside() const { return std::bit_cast<T*>(inside_); }

  void grow(std::uint32_t capacity) {
    T* larger = new T[capacity];
    std::copy(begin(), end(), larger);
    if (is_outside()) delete[] outside();
    inside_ = std::bit_cast<Inside>(larger);
    capacity_ = capacity;
  }

  void assign(const T* entries, std::size_t count) {
    if (count > capacity_) grow(static_cast<std::uint32_t>(count));
    std::copy(entries, entries + count, data());
    size_ = static_cast<std::uint32_t>(count);
  }

  void swap(Few& other) noexcept {
    std::swap(inside_, other.inside_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  alignas(8) Inside inside_ = {};  // the entries, or where they are
  std::uint32_t size_ = 0, capacity_ = fitting;
};

}  // namespace daedalus
