#include "integrate/recycled.hpp"

#include <array>
#include <utility>

namespace daedalus::integrate {
namespace {

constexpr std::size_t least = 1024;  // bytes: malloc() is quick with fewer
constexpr std::size_t most = 64 * std::size_t{1024};

struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

// Whether the blocks that this thread has kept are gone: objects may outlive them.
thread_local bool is_gone = false;
struct Kept {
  std::array<Block, 4> blocks = {};

  ~Kept() {
    is_gone = true;
    for (const Block& block : blocks) ::operator delete(block.memory);
  }
};
thread_local Kept kept;

}  // namespace

void* take_memory(std::size_t bytes) {
  if (bytes >= least && bytes <= most && !is_gone) {
    for (Block& block : kept.blocks) {
      if (block.bytes == bytes) return std::exchange(block, {}).memory;
    }
  }
  return ::operator new(bytes);
}

void give_memory_back(void* memory, std::size_t bytes) noexcept {
  if (bytes >= least && bytes <= most && !is_gone) {
    for (Block& block : kept.blocks) {
      if (block.memory != nullptr) continue;
      block = {memory, bytes};
      return;
    }
    std::swap(kept.blocks[bytes / 16 % kept.blocks.size()].memory, memory);  // drops another one
    kept.blocks[bytes / 16 % kept.blocks.size()].bytes = bytes;
  }
  ::operator delete(memory);
}

}  // namespace daedalus::integrate
