// Memory that passes from one run to the next in the same thread. Each run needs a few blocks of
// more than a kilobyte, and malloc() takes as long for each as a step of a small model.
#pragma once

#include <cstddef>
#include <new>

namespace daedalus::integrate {

void* take_memory(std::size_t bytes);                             // throws std::bad_alloc
void give_memory_back(void* memory, std::size_t bytes) noexcept;  // as many as were taken

template <class Value>
struct RecyclingAllocator {
  using value_type = Value;

  RecyclingAllocator() = default;
  template <class Other>
  explicit RecyclingAllocator(const RecyclingAllocator<Other>&) {}

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(take_memory(count * sizeof(Value)));
  }
  void deallocate(Value* memory, std::size_t count) noexcept {
    give_memory_back(memory, count * sizeof(Value));
  }
  friend bool operator==(const RecyclingAllocator&, const RecyclingAllocator&) { return true; }
};

}  // namespace daedalus::integrate
