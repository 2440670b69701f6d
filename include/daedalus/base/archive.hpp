// Data as bytes and back.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "daedalus/base/few.hpp"

namespace daedalus {

// A type that is more than bytes says what it consists of, once for both directions:
//   template <class Archive> void archive(Archive& a, T& value) { a(value.name, value.parts); }
// Bytes are those of this program on this machine; nothing else can read them.
template <class T>
concept PlainBytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

class ArchiveWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  template <PlainBytes T>
  void write(const T& value) {
    put(&value, sizeof value);
  }
  void write(const std::string& text) { write_list(text.data(), text.size()); }
  template <class T>
  void write(const std::vector<T>& list) {
    write_list(list.data(), list.size());
  }
  template <class T>
  void write(const Few<T>& list) {
    write_list(list.data(), list.size());
  }
  template <class T>
    requires(!PlainBytes<T>)
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  void write(const std::shared_ptr<const T>& value) {
    write(value != nullptr);
    if (value) write(*value);
  }
  template <class T>
    requires(!PlainBytes<T>)
  void write(const T& value) {
    archive(*this, const_cast<T&>(value));  // writing changes nothing
  }
  template <class T>
  void write_list(const T* entries, std::size_t size) {
    write(size);
    if constexpr (PlainBytes<T>) {
      put(entries, size * sizeof(T));
    } else {
      for (std::size_t i = 0; i < size; ++i) write(entries[i]);
    }
  }

  std::string bytes_;
};

// Throws std::runtime_error where the bytes end too early.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  void take(void* data, std::size_t size) {
    if (size > rest_.size()) throw std::runtime_error("the archive ends too early");
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  template <PlainBytes T>
  void read(T& value) {
    take(&value, sizeof value);
  }
  std::size_t read_size(std::size_t least_bytes_of_an_entry) {
    std::size_t size = 0;
    read(size);
    if (size > rest_.size() / least_bytes_of_an_entry)
      throw std::runtime_error("the archive ends too early");
    return size;
  }
  void read(std::string& text) {
    text.resize(read_size(1));
    take(text.data(), text.size());
  }
  template <class T>
  void read(std::vector<T>& list) {
    if constexpr (PlainBytes<T>) {
      list.resize(read_size(sizeof(T)));
      take(list.data(), list.size() * sizeof(T));
    } else {
      list.resize(read_size(1));
      for (T& entry : list) read(entry);
    }
  }
  template <class T>
  void read(Few<T>& list) {
    std::vector<T> entries;
    const std::size_t size = read_size(sizeof(T));
    if (size == 1) {  // nearly always
      T entry;
      read(entry);
      list = {entry};
      return;
    }
    entries.resize(size);
    take(entries.data(), size * sizeof(T));
    list = entries;
  }
  template <class T>
    requires(!PlainBytes<T>)
  void read(std::optional<T>& value) {
    bool has_value = false;
    read(has_value);
    value.reset();
    if (has_value) read(value.emplace());
  }
  template <class T>
  void read(std::shared_ptr<const T>& value) {
    bool has_value = false;
    read(has_value);
    value.reset();
    if (!has_value) return;
    auto made = std::make_shared<T>();
    read(*made);
    value = std::move(made);
  }
  template <class T>
    requires(!PlainBytes<T>)
  void read(T& value) {
    archive(*this, value);
  }

  std::string_view rest_;
};

}  // namespace daedalus
