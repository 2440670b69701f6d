#include "integrate/recycled.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace daedalus::integrate {
namespace {

TEST(Recycled, GivesTheSameMemoryAgainInTheSameThread) {
  constexpr std::size_t bytes = 5000;
  void* const first = take_memory(bytes);
  give_memory_back(first, bytes);
  std::thread([] {
    void* const other = take_memory(bytes);  // not one that another thread has kept
    std::memset(other, 1, bytes);
    give_memory_back(other, bytes);
  }).join();
  void* const second = take_memory(bytes);
  EXPECT_EQ(first, second);
  void* const third = take_memory(bytes);  // in use at the same time
  EXPECT_NE(second, third);
  give_memory_back(second, bytes);
  give_memory_back(third, bytes);
}

TEST(Recycled, HandsOutNoMemoryTwice) {
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (std::size_t k = 0; k < 50; ++k) {
    const std::size_t bytes = k % 5 == 0 ? 100 : 1000 + 500 * k;
    void* const memory = take_memory(bytes);
    std::memset(memory, 1, bytes);
    blocks.emplace_back(memory, bytes);
  }
  std::set<void*> different;
  for (const auto& [memory, bytes] : blocks) different.insert(memory);
  EXPECT_EQ(different.size(), blocks.size());
  for (const auto& [memory, bytes] : blocks) give_memory_back(memory, bytes);
}

}  // namespace
}  // namespace daedalus::integrate
