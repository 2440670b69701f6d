// Converts data to bytes and back.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "daedalus/base/few.hpp"

namespace daedalus {

class Archive;

// A type that is more than plain bytes lists its parts, once for both directions: in a member
//   void archive(Archive& a) { a(name_, parts_); }
// or next to the type
//   template <class Archive> void archive(Archive& a, T& value) { a(value.name, value.parts); }
// The bytes depend on this build of the program; nothing else can read them.
template <class T>
concept ArchivesItself = requires(T& value, Archive& a) { value.archive(a); };

template <class T>
constexpr bool is_span = false;
template <class T>
constexpr bool is_span<std::span<T>> = true;

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

template <class T>
concept PlainBytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !is_span<T> &&
                     !is_optional<T> && !ArchivesItself<T>;

// Writes bytes, or reads those that another archive wrote. Reading throws std::runtime_error if the
// bytes end too early, or cannot be what is being read.
class Archive {
 public:
  Archive() = default;
  explicit Archive(std::string_view bytes) : is_reading_(true), rest_(bytes) {}

  bool is_reading() const { return is_reading_; }
  const std::string& bytes() const { return bytes_; }  // that were written
  bool is_at_end() const { return rest_.empty(); }     // all have been read

  template <class... T>
  void operator()(T&... values) {
    (exchange(values), ...);
  }
  // For values that can only be written.
  template <class... T>
  void write(const T&... values) {
    if (is_reading_) throw std::logic_error("this archive is being read");
    (exchange(const_cast<T&>(values)), ...);  // writing changes nothing
  }

  [[noreturn]] static void fail() { throw std::runtime_error("the archive ends too early"); }
  // Fails if something that was read cannot be right.
  static void require(bool condition) {
    if (!condition) throw std::runtime_error("the archive is of something else");
  }

 private:
  void bytes_of(void* data, std::size_t size) {
    if (!is_reading_) {
      bytes_.append(static_cast<const char*>(data), size);
      return;
    }
    if (size > rest_.size()) fail();
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  // The size of a list, which has `written` entries when it is written.
  std::size_t size_of_list(std::size_t written, std::size_t least_bytes_of_an_entry) {
    std::size_t size = written;
    bytes_of(&size, sizeof size);
    if (is_reading_ && size > rest_.size() / least_bytes_of_an_entry) fail();
    return size;
  }

  template <PlainBytes T>
  void exchange(T& value) {
    bytes_of(&value, sizeof value);
  }
  void exchange(std::string& text) {
    text.resize(size_of_list(text.size(), 1));
    bytes_of(text.data(), text.size());
  }
  // A list that is as long as the one that was written keeps its memory.
  template <class T, class Allocator>
  void exchange(std::vector<T, Allocator>& list) {
    if constexpr (std::is_same_v<T, bool>) {
      list.resize(size_of_list(list.size(), 1));
      for (auto bit : list) {
        bool value = bit;
        exchange(value);
        bit = value;
      }
    } else if constexpr (PlainBytes<T>) {
      list.resize(size_of_list(list.size(), sizeof(T)));
      bytes_of(list.data(), list.size() * sizeof(T));
    } else {
      list.resize(size_of_list(list.size(), 1));
      for (T& entry : list) exchange(entry);
    }
  }
  // The values that the span refers to: as many as were written.
  template <PlainBytes T>
  void exchange(std::span<T>& values) {
    require(size_of_list(values.size(), sizeof(T)) == values.size());
    bytes_of(values.data(), values.size_bytes());
  }
  template <class T>
  void exchange(Few<T>& list) {
    const std::size_t size = size_of_list(list.size(), sizeof(T));
    if (!is_reading_) {
      bytes_.append(reinterpret_cast<const char*>(list.data()), size * sizeof(T));
    } else if (size == 1) {  // nearly always
      T entry;
      exchange(entry);
      list = {entry};
    } else {
      std::vector<T> entries(size);
      bytes_of(entries.data(), size * sizeof(T));
      list = entries;
    }
  }
  template <class T>
  void exchange(std::optional<T>& value) {
    bool has_value = value.has_value();
    exchange(has_value);
    if (is_reading_) value.reset();
    if (!has_value) return;
    exchange(is_reading_ ? value.emplace() : *value);
  }
  template <class T>
  void exchange(std::shared_ptr<const T>& value) {
    bool has_value = value != nullptr;
    exchange(has_value);
    if (!is_reading_) {
      if (value) exchange(const_cast<T&>(*value));  // writing changes nothing
      return;
    }
    value.reset();
    if (!has_value) return;
    auto made = std::make_shared<T>();
    exchange(*made);
    value = std::move(made);
  }
  template <ArchivesItself T>
  void exchange(T& value) {
    value.archive(*this);
  }
  template <class T>
    requires(!PlainBytes<T> && !ArchivesItself<T>)
  void exchange(T& value) {
    archive(*this, value);
  }

  bool is_reading_ = false;
  std::string bytes_;
  std::string_view rest_;
};

}  // namespace daedalus
